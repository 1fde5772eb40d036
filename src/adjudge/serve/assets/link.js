// Which classes of good responses belong to one event: a table for each type, rows in the order of the text.

import { ask, el, say } from "./dom.js";
import { page } from "./frame.js";
import { Rows } from "./rows.js";

const COLOURS = 6;

class Link extends Rows {
  constructor() {
    super("frames", {
      heading: "Which of these belong to one event?",
      about: "Each row is a filler in a role; put it into an event by its number, or into a new one. A row may be in several events, and types do not mix. Times and places of one event refine each other; a warning says where they do not. Rows that scorers ignore may stay in no event.",
      early: "This comes when the same fillers of the document are decided.",
    });
  }

  all() { return this.tables.flatMap((each) => each.rows); }
  left() { return this.all().filter((each) => !each.events.length && !each.ignored); }
  table(row = this.now) { return this.tables.find((each) => each.rows.includes(row)); }
  place(table, id) { return table.events.findIndex((each) => each.id === id) + 1; }

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
    keys.bind("ArrowRight", "next type", () => this.turn(1));
    keys.bind("ArrowLeft", "previous type", () => this.turn(-1));
  }

  bindEnd() {
    this.frame.bind("Enter", () => (this.left().length ? `${this.left().length} in no event` : "finish this document"), () => this.finish(), { guarded: true, about: "finish" });
  }

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
    row.events = [this.there(event)];
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
      row.events = this.last.events.slice(0, 1);
    }
    if (rows.length) this.onward(rows.at(-1));
  }

  also() {
    this.prompt("also in which event? a number, or n for a new one", (key) => {
      const event = key === "n" ? "new" : this.table()?.events[Number(key) - 1]?.id;
      if (!event) return;
      this.operate({ op: "also", row: this.now.id, event });
      const id = this.there(event);
      if (!this.now.events.includes(id)) this.now.events = [...this.now.events, id];
      this.go(this.now);
    });
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
    const rows = this.all(), left = this.left(), place = rows.indexOf(row);
    this.go(left.find((each) => rows.indexOf(each) > place) ?? left[0] ?? rows[place + 1] ?? row);
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

  // -------------------------------------------------------------------------------------------------------------------
  // What is seen

  marks() {
    const table = this.table(), marks = { line: this.now.marks };
    table.events.forEach((event, number) => {
      const name = `event${number % COLOURS}`;
      marks[name] = [...(marks[name] ?? []), ...table.rows.filter((each) => each.events.includes(event.id)).flatMap((each) => each.marks)];
    });
    return marks;
  }

  spoken(row) {
    const table = this.table(row), named = Object.values(row.cells).filter((each) => (each ?? null) !== null).join(" ");
    return `${table.table}: ${named}, ${row.events.length ? `in event ${row.events.map((id) => this.place(table, id)).join(", ")}` : "in no event"}`;
  }

  draw() {
    const counted = this.all().filter((each) => !each.ignored), table = this.table();
    const tabs = this.tables.map((each) => {
      const open = each.rows.filter((row) => !row.events.length && !row.ignored).length;
      return el("button", { type: "button", "aria-current": each === table ? "true" : null, onclick: () => this.go(each.rows[0]) }, `${each.table} ${open ? `${open} left` : "✓"}`);
    });
    this.fill(counted.filter((each) => each.events.length).length, counted.length,
      el("nav", { class: "types", "aria-label": "Types" }, tabs), table ? this.drawTable(table) : el("p", {}, "There is nothing to link here."));
  }

  drawTable(table) {
    const names = [...new Set(table.rows.flatMap((each) => Object.keys(each.cells)))];
    const heads = [...names.map((name) => el("th", { scope: "col" }, name)), ...table.events.map((event, number) => el("th", { scope: "col", class: `event${number % COLOURS}`, title: [event.name, ...(event.warn ?? [])].filter(Boolean).join("; ") }, `${number + 1}${event.warn?.length ? " ⚠" : ""}`)), el("th", { scope: "col" }, "")];
    const rows = table.rows.map((row) => {
      const cells = names.map((name) => el("td", {}, String(row.cells[name] ?? "")));
      const places = table.events.map((event, number) => el("td", { class: "place" }, el("button", { type: "button", "aria-label": `event ${number + 1}`, "aria-pressed": String(row.events.includes(event.id)), onclick: () => { this.go(row); this.into(number + 1); } }, row.events.includes(event.id) ? "●" : "·")));
      return el("tr", { "aria-current": row === this.now ? "true" : null, "data-row": row.id, class: row.ignored ? "ignored" : "", onclick: (event) => { if (!event.target.closest("button")) this.go(row); } },
        cells, places, el("td", { class: "about" }, row.new ? el("strong", {}, "new ") : "", row.ignored ?? (row.events.length ? "" : "in no event")));
    });
    const warn = table.events.flatMap((event, number) => (event.warn ?? []).map((text) => el("li", { class: "warn" }, `event ${number + 1}: ${text}`)));
    return el("div", { class: "frames" }, el("table", {}, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows)), el("ul", {}, warn));
  }
}

new Link();
