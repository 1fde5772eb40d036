// Which of the things that responses name are one: a row for each group, a key for each row.

import { el, say } from "./dom.js";
import { Rows } from "./rows.js";

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

class Group extends Rows {
  constructor() {
    super("groups", {
      heading: "Which fillers are the same?",
      about: "Each row is one entity, time or value, with everything that names it. Equal strings start in one row: take apart what only looks the same, and join what has two names. Look at every row that is perhaps the same as another, then say that the document is reviewed.",
      early: "This comes when all responses of the document are assessed.",
    });
  }

  all() { return this.rows; }
  left() { return this.rows.filter((each) => each.perhaps && !each.seen); }
  row(id) { return this.rows.find((each) => each.id === id); }
  letter(row) { return LETTERS[this.rows.indexOf(row)] ?? ""; }

  // -------------------------------------------------------------------------------------------------------------------
  // Keys

  bindKeys() {
    const { frame } = this;
    frame.bind("y", () => (this.now?.perhaps ? "same as proposed" : ""), () => this.join(this.row(this.now?.perhaps?.row), this.now), { guarded: true, about: "the same as proposed" });
    frame.bind("n", "not the same, next doubtful", () => this.skip(), { guarded: true });
    frame.bind("m", "same as …", () => this.pick("the same as which row?", (other) => this.join(other, this.now)));
    frame.bind("x", () => (this.now?.members.length > 1 ? "take out number …" : ""), () => this.split(), { about: "take a member out" });
    frame.bind("g", "go to …", () => this.pick("go to which row?", (other) => this.go(other)));
  }

  bindEnd() { this.frame.bind("Enter", "reviewed", () => this.frame.finish(), { guarded: true }); }

  pick(text, run) {
    this.prompt(text, (key) => {
      const row = this.rows[LETTERS.indexOf(key)];
      if (row) run(row);
      else say("no such row");
    });
  }

  // Both rows are one; the members of the second go into the first, as the server will do it.
  join(first, second) {
    if (!first || !second || first === second) return;
    this.operate({ op: "join", a: first.id, b: second.id });
    const next = this.after(second);
    first.members.push(...second.members);
    first.uses = [...new Set([...first.uses, ...second.uses])].sort();
    this.rows = this.rows.filter((each) => each !== second);
    for (const each of this.rows) if (each.perhaps?.row === second.id) each.perhaps = each === first ? null : { ...each.perhaps, row: first.id };
    say("joined");
    this.draw();
    this.go(next ?? first);
  }

  skip() {
    if (this.now?.perhaps && !this.now.seen) {
      this.operate({ op: "seen", row: this.now.id });
      this.now.seen = true;
    }
    const next = this.after(this.now);
    if (!next) say("nothing doubtful is left");
    this.draw();
    this.go(next ?? this.now);
  }

  // The next doubtful row, from here on and then from the start.
  after(row) {
    const place = this.rows.indexOf(row), left = this.left().filter((each) => each !== row);
    return left.find((each) => this.rows.indexOf(each) > place) ?? left[0];
  }

  split() {
    const row = this.now;
    if (!(row?.members.length > 1)) return;
    this.prompt("take out which number?", (key) => {
      const member = row.members[Number(key) - 1];
      if (member) this.operate({ op: "out", row: row.id, member: member.id });
    });
  }

  // -------------------------------------------------------------------------------------------------------------------
  // What is seen

  marks() {
    const of = (row) => (row?.members ?? []).flatMap((each) => each.marks);
    return { line: of(this.now), tint: of(this.row(this.now.perhaps?.row)) };
  }

  spoken(row) {
    return `${this.named(row)}${row.perhaps && !row.seen ? `, perhaps the same as ${this.named(this.row(row.perhaps.row))}` : ""}`;
  }

  named(row) { return row ? [...new Set(row.members.map((each) => each.text))].join(", ") : ""; }

  draw() {
    const all = this.rows.filter((each) => each.perhaps).length;
    this.fill(all - this.left().length, all, this.rows.length ? el("ul", { class: "rows" }, this.rows.map((row) => this.drawRow(row))) : el("p", { class: "rows" }, "There is nothing to group here."));
  }

  drawRow(row) {
    const current = row === this.now;
    const texts = current && row.members.length > 1
      ? row.members.map((each, number) => el("span", { class: "member" }, el("sup", {}, String(number + 1)), each.text))
      : [...new Set(row.members.map((each) => each.text))].map((text) => {
        const times = row.members.filter((each) => each.text === text).length;
        return el("span", { class: "member" }, times > 1 ? `${text} ×${times}` : text);
      });
    const other = row.perhaps && !row.seen ? this.row(row.perhaps.row) : null;
    const perhaps = other ? el("span", { class: "perhaps" }, `perhaps ${this.letter(other)}: ${this.named(other)} (${row.perhaps.why})`) : null;
    const button = el("button", { type: "button", "aria-current": current ? "true" : null, "data-row": row.id, onclick: () => this.go(row) },
      el("kbd", {}, this.letter(row)), el("span", { class: "members" }, texts, perhaps), el("span", { class: "uses" }, row.uses.join(", ")));
    return el("li", {}, button);
  }
}

new Group();
