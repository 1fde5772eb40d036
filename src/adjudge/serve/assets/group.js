// Which of the things that responses name are one: a row for each group, a key for each row.

import { at, el, fill, say } from "./dom.js";
import { Frame, page } from "./frame.js";
import { MarkedText } from "./text.js";

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

class Group {
  constructor() {
    this.frame = new Frame(this);
    this.frame.start();
  }

  drawn(view) {
    if (!view.groups) {
      fill(at("work"), el("p", { class: "problem" }, "This comes when all responses of the document are assessed."));
      return;
    }
    this.text = new MarkedText(at("text"), view.text, view.hide, view.quote);
    this.bindKeys();
    this.adopt(view.groups);
    this.go(this.doubtful()[0] ?? this.rows[0]);
  }

  merge(view) {
    if (view.groups && this.rows && !this.frame.queue.entries.length) this.adopt(view.groups);
  }

  adopt({ version, rows, decided }) {
    this.known = version;
    this.frame.decided = decided;
    const now = this.now?.id;
    this.rows = rows;
    this.now = rows.find((each) => each.id === now) ?? rows[0];
    this.draw();
  }

  version() { return this.known; }
  show() { return ""; }
  mine() { this.frame.again(); }
  theirs() { this.frame.again(); }
  redraw() { this.draw(); }
  doubtful() { return this.rows.filter((each) => each.perhaps && !each.seen); }
  row(id) { return this.rows.find((each) => each.id === id); }
  letter(row) { return LETTERS[this.rows.indexOf(row)] ?? ""; }

  // -------------------------------------------------------------------------------------------------------------------
  // Keys

  bindKeys() {
    const { frame } = this;
    const { keys } = frame;
    frame.bind("y", () => (this.now?.perhaps ? "same as proposed" : ""), () => this.take(), { guarded: true, about: "the same as proposed" });
    frame.bind("n", "not the same, next doubtful", () => this.skip(), { guarded: true });
    frame.bind("m", "same as …", () => this.pick("the same as which row?", (other) => this.join(other, this.now)));
    frame.bind("x", () => (this.now?.members.length > 1 ? "take out number …" : ""), () => this.split(), { about: "take a member out" });
    frame.bind("g", "go to …", () => this.pick("go to which row?", (other) => this.go(other)));
    frame.bind("j", "next", () => this.step(1));
    frame.bind("k", "previous", () => this.step(-1));
    keys.bind("ArrowDown", "next", () => this.step(1));
    keys.bind("ArrowUp", "previous", () => this.step(-1));
    frame.bind("z", "undo", () => this.operate({ op: "undo" }));
    frame.bind("Enter", "reviewed", () => this.frame.finish(), { guarded: true });
    frame.bindShared();
  }

  operate(op) { if (!page.readonly) this.frame.queue.operate(op); }

  pick(text, run) {
    say(text);
    fill(at("asked"), text);
    this.frame.keys.next = (key) => {
      fill(at("asked"), "");
      const row = this.rows[LETTERS.indexOf(key)];
      if (LETTERS.includes(key) && row) run(row);
      else say("no such row");
    };
  }

  take() {
    const other = this.now?.perhaps && this.row(this.now.perhaps.row);
    if (other) this.join(other, this.now);
  }

  // Both rows are one; the members of the second go into the first, as the server will do it.
  join(first, second) {
    if (!second || first === second) return;
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
    const place = this.rows.indexOf(row);
    const left = this.doubtful().filter((each) => each !== row);
    return left.find((each) => this.rows.indexOf(each) > place) ?? left[0];
  }

  split() {
    const row = this.now;
    if (!(row?.members.length > 1)) return;
    say("take out which number?");
    fill(at("asked"), "take out which number?");
    this.frame.keys.next = (key) => {
      fill(at("asked"), "");
      const member = row.members[Number(key) - 1];
      if (member) this.operate({ op: "out", row: row.id, member: member.id });
    };
  }

  step(by) {
    const row = this.rows[this.rows.indexOf(this.now) + by];
    if (row) this.go(row);
  }

  saved(entry, answer) {
    if (entry.op?.op === "finish") { this.frame.onward(); return; }
    if (!answer.groups) return;
    this.known = answer.groups.version;
    if (!this.frame.queue.entries.length) this.adopt(answer.groups);
  }

  // -------------------------------------------------------------------------------------------------------------------
  // What is seen

  go(row) {
    if (!row) { this.draw(); return; }
    if (row !== this.now) this.frame.keys.fresh();
    this.now = row;
    this.draw();
    this.text.mark({ line: row.members.flatMap((each) => each.marks), tint: row.perhaps ? (this.row(row.perhaps.row)?.members ?? []).flatMap((each) => each.marks) : [] });
    document.querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" });
    say(`${this.named(row)}${row.perhaps && !row.seen ? `, perhaps the same as ${this.named(this.row(row.perhaps.row))}` : ""}`);
  }

  named(row) { return row ? [...new Set(row.members.map((each) => each.text))].join(", ") : ""; }

  draw() {
    const all = this.rows.filter((each) => each.perhaps).length;
    this.frame.progress(all - this.doubtful().length, all);
    fill(at("work"), this.frame.drawDecided(), el("p", { id: "asked", class: "asked", role: "status" }),
      this.rows.length ? el("ul", { class: "rows" }, this.rows.map((row) => this.drawRow(row))) : el("p", { class: "rows" }, "There is nothing to group here."));
    this.frame.drawKeys();
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
      el("kbd", {}, this.letter(row)), el("span", { class: "members" }, texts), perhaps, el("span", { class: "uses" }, row.uses.join(", ")));
    return el("li", {}, button);
  }
}

new Group();
