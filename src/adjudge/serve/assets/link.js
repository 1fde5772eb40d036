// Which classes of good responses belong to one event: a table for each type, rows in the order of the text.

import { ask, at, el, fill, say } from "./dom.js";
import { Frame, page } from "./frame.js";
import { MarkedText } from "./text.js";

const COLOURS = 6;

class Link {
  constructor() {
    this.frame = new Frame(this);
    this.frame.start();
  }

  drawn(view) {
    if (!view.frames) {
      fill(at("work"), el("p", { class: "problem" }, "This comes when the same fillers of the document are decided."));
      return;
    }
    this.text = new MarkedText(at("text"), view.text, view.hide, view.quote);
    this.bindKeys();
    this.adopt(view.frames);
    this.go(this.left()[0] ?? this.all()[0]);
  }

  merge(view) {
    if (view.frames && this.tables && !this.frame.queue.entries.length) this.adopt(view.frames);
  }

  adopt({ version, tables, decided }) {
    this.known = version;
    this.frame.decided = decided;
    const now = this.now?.id;
    this.tables = tables;
    this.now = this.all().find((each) => each.id === now) ?? this.all()[0];
    this.last = this.all().find((each) => each.id === this.last?.id);
    this.draw();
  }

  version() { return this.known; }
  show() { return ""; }
  mine() { this.frame.again(); }
  theirs() { this.frame.again(); }
  redraw() { this.draw(); }
  all() { return this.tables.flatMap((each) => each.rows); }
  left() { return this.all().filter((each) => !each.events.length && !each.ignored); }
  table(row = this.now) { return this.tables.find((each) => each.rows.includes(row)); }
  named(row) { return Object.values(row.cells).filter((each) => (each ?? null) !== null).join(" "); }

  // -------------------------------------------------------------------------------------------------------------------
  // Keys

  bindKeys() {
    const { frame } = this;
    const { keys } = frame;
    for (const digit of "123456789") keys.bind(digit, `into event ${digit}`, () => this.into(Number(digit)), { guarded: true });
    frame.bind("n", "new event", () => this.put("new"), { guarded: true });
    frame.bind(".", () => (this.last && this.alike().length ? `rest of this sentence likewise (${this.alike().length})` : ""), () => this.likewise(), { guarded: true, about: "the rest of this sentence likewise" });
    frame.bind(",", "also in event …", () => this.also());
    frame.bind("e", "event above 9 …", () => this.number());
    frame.bind("x", () => (this.now?.events.length ? "in no event" : ""), () => this.out(), { about: "in no event" });
    frame.bind("j", "next", () => this.step(1));
    frame.bind("k", "previous", () => this.step(-1));
    keys.bind("ArrowDown", "next", () => this.step(1));
    keys.bind("ArrowUp", "previous", () => this.step(-1));
    keys.bind("ArrowRight", "next type", () => this.turn(1));
    keys.bind("ArrowLeft", "previous type", () => this.turn(-1));
    frame.bind("z", "undo", () => this.operate({ op: "undo" }));
    frame.bind("Enter", () => (this.left().length ? `${this.left().length} in no event` : "finish this document"), () => this.finish(), { guarded: true, about: "finish" });
    frame.bindShared();
  }

  operate(op) { if (!page.readonly) this.frame.queue.operate(op); }

  into(number) {
    const event = this.table()?.events[number - 1];
    if (event) this.put(event.id);
    else say(`there is no event ${number} of this type, n makes a new one`);
  }

  // Into this event and no other, and on to the next row.
  put(event) {
    const row = this.now;
    if (!row || page.readonly) return;
    this.operate({ op: "put", row: row.id, event });
    const id = this.there(event);
    row.events = [id];
    this.clear();
    this.last = row;
    this.onward(row);
  }

  // The event as the server will call it.
  there(event) {
    if (event !== "new") return event;
    const id = String(Math.max(0, ...this.tables.flatMap((each) => each.events.map((one) => Number(one.id)))) + 1);
    this.table().events.push({ id, name: null, warn: [] });
    return id;
  }

  clear() {
    for (const table of this.tables) table.events = table.events.filter((event) => table.rows.some((row) => row.events.includes(event.id)));
  }

  alike() {
    const { last } = this;
    return last ? this.table(last)?.rows.filter((row) => row.sentence === last.sentence && !row.events.length && !row.ignored) ?? [] : [];
  }

  likewise() {
    const rows = this.alike();
    for (const row of rows) {
      this.operate({ op: "put", row: row.id, event: this.last.events[0] });
      row.events = [...this.last.events.slice(0, 1)];
    }
    if (rows.length) this.onward(rows.at(-1));
  }

  also() {
    say("also in which event?");
    fill(at("asked"), "also in which event? a number, or n for a new one");
    this.frame.keys.next = (key) => {
      fill(at("asked"), "");
      const event = key === "n" ? "new" : this.table()?.events[Number(key) - 1]?.id;
      if (!event) return;
      this.operate({ op: "also", row: this.now.id, event });
      const id = this.there(event);
      if (!this.now.events.includes(id)) this.now.events = [...this.now.events, id];
      this.go(this.now);
    };
  }

  number() {
    const field = el("input", { type: "number", min: 1, "aria-label": "Number of the event" });
    ask("Into which event?", field, [["Enter", "into it", () => this.into(Number(field.value))]]);
    field.focus();
  }

  out() {
    if (!this.now?.events.length) return;
    this.operate({ op: "out", row: this.now.id });
    this.now.events = [];
    this.clear();
    this.go(this.now);
  }

  onward(row) {
    const rows = this.all();
    const left = this.left();
    const place = rows.indexOf(row);
    this.go(left.find((each) => rows.indexOf(each) > place) ?? left[0] ?? rows[place + 1] ?? row);
  }

  step(by) {
    const rows = this.all();
    const row = rows[rows.indexOf(this.now) + by];
    if (row) this.go(row);
  }

  turn(by) {
    const table = this.tables[this.tables.indexOf(this.table()) + by];
    if (table) this.go(table.rows.find((each) => !each.events.length && !each.ignored) ?? table.rows[0]);
  }

  finish() {
    const [row] = this.left();
    if (row) { this.go(row); say("this is in no event yet"); return; }
    this.frame.finish();
  }

  saved(entry, answer) {
    if (entry.op?.op === "finish") { this.frame.onward(); return; }
    if (!answer.frames) return;
    this.known = answer.frames.version;
    if (!this.frame.queue.entries.length) this.adopt(answer.frames);
  }

  // -------------------------------------------------------------------------------------------------------------------
  // What is seen

  go(row) {
    if (!row) { this.draw(); return; }
    if (row !== this.now) this.frame.keys.fresh();
    this.now = row;
    this.draw();
    const table = this.table();
    const marks = { line: row.marks };
    table.events.forEach((event, number) => {
      marks[`event${number % COLOURS}`] = [...(marks[`event${number % COLOURS}`] ?? []), ...table.rows.filter((each) => each.events.includes(event.id)).flatMap((each) => each.marks)];
    });
    this.text.mark(marks);
    document.querySelector("tr[aria-current=true]")?.scrollIntoView({ block: "nearest" });
    say(`${table.table}: ${this.named(row)}, ${row.events.length ? `in event ${row.events.map((id) => table.events.findIndex((each) => each.id === id) + 1).join(", ")}` : "in no event"}`);
  }

  draw() {
    const counted = this.all().filter((each) => !each.ignored);
    this.frame.progress(counted.filter((each) => each.events.length).length, counted.length);
    const table = this.table();
    const tabs = this.tables.map((each) => {
      const open = each.rows.filter((row) => !row.events.length && !row.ignored).length;
      return el("button", { type: "button", "aria-current": each === table ? "true" : null, onclick: () => this.go(each.rows[0]) }, `${each.table} ${open ? `${open} left` : "✓"}`);
    });
    fill(at("work"), el("nav", { class: "types", "aria-label": "Types" }, tabs), el("p", { id: "asked", class: "asked", role: "status" }), table ? this.drawTable(table) : el("p", {}, "There is nothing to link here."));
    this.frame.drawKeys();
  }

  drawTable(table) {
    const names = [...new Set(table.rows.flatMap((each) => Object.keys(each.cells)))];
    const heads = [...names.map((name) => el("th", { scope: "col" }, name)), ...table.events.map((event, number) => el("th", { scope: "col", class: `event${number % COLOURS}`, title: [event.name, ...(event.warn ?? [])].filter(Boolean).join("; ") }, `${number + 1}${event.warn?.length ? " ⚠" : ""}`)), el("th", { scope: "col" }, "")];
    const rows = table.rows.map((row) => {
      const cells = names.map((name) => el("td", {}, String(row.cells[name] ?? "")));
      const places = table.events.map((event, number) => el("td", { class: "place" }, el("button", { type: "button", "aria-label": `event ${number + 1}`, "aria-pressed": String(row.events.includes(event.id)), onclick: () => { this.go(row); this.into(number + 1); } }, row.events.includes(event.id) ? "●" : "·")));
      const about = row.ignored ? `scorers ignore it: ${row.ignored}` : row.events.length ? "" : "in no event";
      return el("tr", { "aria-current": row === this.now ? "true" : null, "data-row": row.id, class: row.ignored ? "ignored" : "", onclick: (event) => { if (!event.target.closest("button")) this.go(row); } },
        cells, places, el("td", { class: "about" }, row.new ? el("strong", {}, "new ") : "", about));
    });
    const warn = table.events.flatMap((event, number) => (event.warn ?? []).map((text) => el("li", { class: "warn" }, `event ${number + 1}: ${text}`)));
    return el("div", { class: "frames" }, el("table", {}, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows)), el("ul", {}, warn));
  }
}

new Link();
