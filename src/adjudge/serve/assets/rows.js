// What grouping and linking have in common: rows of which one is the current one, and operations that change them.

import { at, el, fill, say } from "./dom.js";
import { Frame, page } from "./frame.js";
import { MarkedText } from "./text.js";

export class Rows {
  // `part` is what the view has for the stage. A stage has `all()`, `left()`, `bindKeys()`, `draw()`, `marks()`,
  // `spoken(row)`, what its page is called and how it is worked on; `early` is said before it can begin.
  constructor(part, { heading, about, early }) {
    Object.assign(this, { part, heading, about, early });
    this.frame = new Frame(this);
    this.frame.start();
  }

  drawn(view) {
    if (!view[this.part]) {
      fill(at("work"), el("p", { class: "problem" }, this.early));
      return;
    }
    this.text = new MarkedText(at("text"), view);
    const { keys } = this.frame;
    this.bindKeys();
    this.frame.bind("j", "next", () => this.step(1));
    this.frame.bind("k", "previous", () => this.step(-1));
    keys.bind("ArrowDown", "next", () => this.step(1));
    keys.bind("ArrowUp", "previous", () => this.step(-1));
    this.frame.bind("z", "undo", () => this.operate({ op: "undo" }));
    this.bindEnd();
    this.frame.bindShared();
    this.adopt(view[this.part]);
    this.go(this.left()[0] ?? this.all()[0]);
  }

  merge(view) {
    if (view[this.part] && this.text && !this.frame.queue.entries.length) this.adopt(view[this.part]);
  }

  // What the server has; the row that was looked at stays the current one.
  adopt({ version, decided, rows, tables }) {
    Object.assign(this, { known: version, decided, rows, tables });
    const again = (row) => this.all().find((each) => each.id === row?.id);
    this.now = again(this.now) ?? this.all()[0];
    this.last = again(this.last);
    this.draw();
  }

  version() { return this.known; }
  show() { return ""; }
  mine() { this.frame.again(); }
  theirs() { this.frame.again(); }
  redraw() { this.draw(); }

  operate(op) { if (!page.readonly) this.frame.queue.operate(op); }

  saved(entry, answer) {
    if (entry.op?.op === "finish") { this.frame.onward(); return; }
    if (!answer[this.part]) return;
    this.known = answer[this.part].version;
    if (!this.frame.queue.entries.length) this.adopt(answer[this.part]);
  }

  // Ask for one more key, and do with it what `run` does.
  prompt(text, run) {
    say(text);
    fill(at("asked"), text);
    this.frame.keys.next = (key) => {
      fill(at("asked"));
      run(key);
    };
  }

  step(by) {
    const rows = this.all(), row = rows[rows.indexOf(this.now) + by];
    if (row) this.go(row);
  }

  go(row) {
    if (!row) { this.draw(); return; }
    if (row !== this.now) this.frame.keys.fresh();
    this.now = row;
    this.draw();
    this.text.mark(this.marks());
    document.querySelector("#work [data-row][aria-current=true]")?.scrollIntoView({ block: "nearest" });
    say(this.spoken(row));
  }

  // Draw the page: its heading, how somebody else has decided it, what is asked for, and `content`.
  fill(done, all, ...content) {
    this.frame.progress(done, all);
    const { how, why } = this.decided ?? {};
    const decided = how === "adjudicated" ? el("p", { class: "decided" }, `These were decided by an adjudicator${why ? `: ${why}` : "."}`) : null;
    fill(at("work"), el("h1", { id: "claim" }, this.heading), decided, el("p", { id: "asked", class: "asked", role: "status" }), content);
    this.frame.drawKeys();
  }

  guideline() { return el("p", {}, this.about); }
}
