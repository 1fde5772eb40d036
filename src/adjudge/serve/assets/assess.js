// Judge the responses of a document one by one, by keys. What is asked comes from the schema; no answer is known here.

import { Reading } from "./answers.js";
import { ask, at, claimOf, el, fill, say } from "./dom.js";
import { Frame, page } from "./frame.js";
import { MarkedText } from "./text.js";

const LONGEST = 600_000;  // milliseconds after which somebody has gone for coffee

class Assess {
  constructor() {
    this.frame = new Frame(this);
    this.undone = [];  // what answers were before: [[[id, answers], ...], ...]
    this.later = new Set();
    let hidden = 0;
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) hidden = performance.now();
      else this.since += performance.now() - hidden;
    });
    this.frame.start();
  }

  // -------------------------------------------------------------------------------------------------------------------
  // What is there

  drawn(view) {
    this.schema = view.schema;
    this.items = view.items;
    this.byId = new Map(view.items.map((each) => [each.id, each]));
    this.reading = new Reading(view.schema, view.items);
    const order = [...view.items].sort((a, b) => (a.n ?? 0) - (b.n ?? 0));  // carried is what was said last
    for (const item of order) this.take(item);
    for (const entry of this.frame.queue.entries) if (this.byId.has(entry.item)) this.reading.answer(entry.item, entry.answers);
    this.text = new MarkedText(at("text"), view);
    this.bindKeys();
    this.drawList();
    this.drawQuestions();
    this.go(this.open()[0] ?? this.items[0]?.id);
  }

  merge(view) {
    for (const fresh of view.items) {
      const item = this.byId.get(fresh.id);
      if (!item) { location.reload(); return; }  // late responses
      if (this.frame.queue.has(fresh.id) || fresh.version < item.version) continue;
      const changed = fresh.version !== item.version;
      Object.assign(item, fresh);
      if (changed) this.take(item);
      this.drawRow(item.id);
    }
    this.drawCard();
    this.drawProgress();
  }

  // What the server says of an item.
  take(item) {
    this.reading.answer(item.id, item.answers ?? {});
    if (!item.complete) this.reading.complete.delete(item.id);
  }

  version(id) { return this.byId.get(id).version; }
  open() { return this.items.map((each) => each.id).filter((id) => !this.reading.isComplete(id)); }
  named(id) { return this.byId.get(id)?.claim; }
  word(value) { return this.schema.words?.[value] ?? String(value); }

  show(answers) {
    const said = this.schema.questions.filter((each) => each.id in answers).map((each) => `${each.label || each.id}: ${this.word(answers[each.id])}`);
    return said.join(", ") || "no answer";
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Keys

  bindKeys() {
    const { frame } = this;
    const { keys } = frame;
    for (const question of this.schema.questions) {
      const values = Object.entries(question.keys ?? {});
      if (question.kind === "class" && question.new_key) values.push([question.new_key, "a new one"], ...[..."123456789"].map((each) => [each, `number ${each}`]));
      for (const [key, value] of values) keys.bind(key, `${question.label || question.id}: ${this.word(value)}`, () => this.press(key), { guarded: true });
    }
    frame.bind("Enter", () => this.enterLabel(), () => this.enter(), { guarded: true, about: "take what is suggested, go on, or finish" });
    frame.bind(".", () => this.sameLabel(), () => this.same(), { guarded: true, about: "the same for all alike" });
    frame.bind("z", "undo", () => this.undo());
    frame.bind("j", "next", () => this.step(1));
    frame.bind("k", "previous", () => this.step(-1));
    keys.bind("ArrowDown", "next", () => this.step(1));
    keys.bind("ArrowUp", "previous", () => this.step(-1));
    frame.bind("f", "flag", () => this.flag());
    frame.bind("/", "find", () => this.find());
    frame.bind("s", "later", () => this.skip());
    frame.bindShared();
  }

  press(key) {
    if (!this.now || page.readonly) return;
    const answers = this.reading.pressed(this.now, key);
    if (answers) this.answer(answers);
  }

  // Answer the response that is shown; if nothing is open any more, go on to the next.
  answer(answers, cause) {
    const id = this.now;
    const was = this.reading.isComplete(id);
    this.undone.push([[id, this.reading.answers.get(id) ?? {}]]);
    const state = this.reading.answer(id, answers);
    this.frame.queue.judge(id, this.reading.answers.get(id) ?? {}, this.spent(), cause);
    this.later.delete(id);
    if (state.complete && !was) this.last = id;
    this.drawRow(id);
    this.drawProgress();
    if (!state.complete || was || page.confirm) {
      this.drawCard();
      say(this.show(this.reading.answers.get(id) ?? {}));
      return;
    }
    if (this.byId.get(id).training) this.drawCard();  // goes on when it has been told what is right
    else this.next();
  }

  next() {
    const at = this.items.findIndex((each) => each.id === this.now);
    const open = this.open();
    const after = this.items.slice(at + 1).map((each) => each.id).filter((id) => open.includes(id));
    const ordered = [...after, ...open.filter((id) => !after.includes(id))];
    this.go(ordered.find((id) => !this.later.has(id)) ?? ordered[0] ?? this.now);
  }

  step(by) {
    const at = this.items.findIndex((each) => each.id === this.now) + by;
    if (this.items[at]) this.go(this.items[at].id);
  }

  skip() {
    this.later.add(this.now);
    this.next();
  }

  same() {
    const alike = this.last ? this.reading.likewise(this.last) : [];
    if (!alike.length) return;
    const answers = this.reading.answers.get(this.last);
    this.undone.push(alike.map((id) => [id, this.reading.answers.get(id) ?? {}]));
    for (const id of alike) {
      this.reading.answer(id, answers);
      this.frame.queue.judge(id, this.reading.answers.get(id), 0, `same as ${this.last}`);
      this.drawRow(id);
    }
    say(`the same for ${alike.length} more`);
    this.drawProgress();
    this.next();
  }

  sameLabel() {
    const count = this.last ? this.reading.likewise(this.last).length : 0;
    return count ? `same for ${count} more` : "";
  }

  undo() {
    const before = this.undone.pop();
    if (!before) { say("nothing to undo"); return; }
    for (const [id, answers] of before) {
      this.reading.answer(id, answers);
      this.frame.queue.judge(id, this.reading.answers.get(id) ?? {}, 0, "undo");
      this.drawRow(id);
    }
    this.last = null;
    this.drawProgress();
    this.go(before[0][0]);
  }

  enterLabel() {
    if (!this.now) return "";
    if (!this.open().length) return "finish this document";
    if (this.reading.isComplete(this.now)) return page.confirm ? "right, next" : "";
    return this.byId.get(this.now).suggestion ? "take the suggestion" : "";
  }

  enter() {
    const item = this.byId.get(this.now);
    if (!this.open().length) this.frame.finish();
    else if (this.reading.isComplete(this.now)) { if (page.confirm) this.next(); }
    else if (item?.suggestion) this.answer(item.suggestion.answers, "suggestion");
  }

  flag() {
    const item = this.byId.get(this.now);
    const text = el("textarea", { rows: 3, "aria-label": "Why", maxlength: 2000 });
    text.value = item.flag ?? "";
    const mark = (value) => () => {
      item.flag = value;
      this.frame.queue.operate({ op: "flag", item: item.id, text: value });
      this.drawRow(item.id);
      this.drawCard();
    };
    const comment = () => {
      const said = text.value.trim();
      if (!said) return;
      this.frame.queue.operate({ op: "comment", item: item.id, text: said });
      item.comments.push({ by: page.person, text: said });
    };
    const before = item.comments.map(({ by, text: said }) => el("li", {}, `${by}: ${said}`));
    ask(`Flag: ${item.claim}`, el("div", {}, el("ul", {}, before), text), [["Enter", "flag it", () => mark(text.value.trim() || "flagged")()], ["c", "only a comment", comment], ["n", "no flag", mark(null)]]);
    text.focus();
  }

  find() {
    const field = el("input", { type: "search", "aria-label": "Find a response" });
    const list = el("ul", { class: "found" });
    const matching = () => this.items.filter((each) => `${each.claim} ${each.group}`.toLowerCase().includes(field.value.toLowerCase()));
    const draw = () => fill(list, matching().slice(0, 12).map((each) => el("li", {}, el("button", { type: "button", onclick: () => { box.close(); this.go(each.id); } }, each.claim))));
    field.addEventListener("input", draw);
    const box = ask("Find", el("div", {}, field, list), [["Enter", "go to the first", () => { const [first] = matching(); if (first) this.go(first.id); }]]);
    draw();
    field.focus();
  }

  guideline() {
    const { ask: asked = {} } = this.byId.get(this.now) ?? {};
    return this.schema.questions.map((each) => el("div", {}, el("h3", {}, each.label || each.id), el("p", {}, asked[each.id] ?? ""),
      el("ul", {}, Object.entries(each.keys ?? {}).map(([key, value]) => el("li", {}, el("kbd", {}, this.frame.keys.shown(key)), ` ${this.word(value)}`)))));
  }

  // -------------------------------------------------------------------------------------------------------------------
  // The outcome of what was sent

  saved(entry, answer) {
    if (entry.op) {
      if (entry.op.op === "finish") this.frame.onward();
      return;
    }
    const item = this.byId.get(entry.item);
    if (!item) return;
    item.version = answer.version;
    if (answer.feedback && item.training) this.feedback(item, answer.feedback);
  }

  mine(entry, current) {
    this.byId.get(entry.item).version = current.version;
    this.frame.queue.judge(entry.item, entry.answers, 0, "conflict");
  }

  theirs(entry, current) {
    Object.assign(this.byId.get(entry.item), { version: current.version, answers: current.answers });
    this.reading.answer(entry.item, current.answers ?? {});
    this.drawRow(entry.item);
    this.drawCard();
    this.drawProgress();
  }

  feedback(item, { answers, why }) {
    const mine = this.reading.answers.get(item.id) ?? {};
    const right = JSON.stringify(Object.entries(answers).sort()) === JSON.stringify(Object.entries(mine).sort());
    const content = el("div", {}, el("p", {}, item.claim), el("p", {}, `You: ${this.show(mine)}`), el("p", {}, `Answer: ${this.show(answers)}`), el("p", {}, why ?? ""));
    const box = ask(right ? "Training: right" : "Training: another answer", content, [["Enter", "go on", () => {}]]);
    box.addEventListener("close", () => { if (this.now === item.id) this.next(); });
  }

  // -------------------------------------------------------------------------------------------------------------------
  // What is seen

  go(id) {
    if (!id) { fill(at("claim"), "There is nothing to assess here."); return; }
    const before = this.now;
    this.now = id;
    this.since = performance.now();
    if (before !== id) this.frame.keys.fresh();
    if (before) this.drawRow(before);
    this.drawRow(id);
    this.drawCard();
    this.drawProgress();
    const item = this.byId.get(id);
    this.rows.get(id).scrollIntoView({ block: "nearest" });
    this.text.mark(item.marks ?? {});
    at("where").scrollIntoView({ block: "nearest" });
    say([item.claim, ...(item.detail ?? []), ...(item.warn ?? []), this.differs(item)].filter(Boolean).join(". "));
  }

  // The time since the last answer to it, or since it was shown; not while nobody could see it.
  spent() {
    const spent = Math.min(LONGEST, performance.now() - this.since);
    this.since = performance.now();
    return spent;
  }

  differs(item) { return item.differs?.length ? `as the response before, but another ${item.differs.join(", another ")}` : ""; }

  drawList() {
    this.rows = new Map();
    let list, group;
    const parts = [];
    for (const item of this.items) {
      if (!list || item.group !== group) {
        group = item.group;
        list = el("ul", {});
        parts.push(el("h2", {}, group ?? ""), list);
      }
      const row = el("button", { type: "button", onclick: () => this.go(item.id) });
      this.rows.set(item.id, row);
      list.append(el("li", {}, row));
    }
    fill(at("list"), parts);
    for (const item of this.items) this.drawRow(item.id);
  }

  drawRow(id) {
    const item = this.byId.get(id);
    const row = this.rows.get(id);
    const state = this.reading.state(id);
    const differs = this.schema.questions.some((each) => (each.implied ?? null) !== null && each.id in state.values && state.values[each.id] !== each.implied);
    const [sign, kind, word] = !this.reading.isComplete(id) ? ["·", "open", "open"] : state.nil.length ? ["✗", "broken", "answered, not all correct"] : differs ? ["~", "near", "answered, not all correct"] : ["✓", "fine", "answered"];
    const labels = (this.schema.label ?? []).map((name) => item.fields[name]).filter((each) => (each ?? null) !== null);
    row.className = kind;
    if (id === this.now) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
    fill(row, el("span", { class: "sign", "aria-hidden": "true" }, sign), el("span", { class: "unseen" }, word), (labels.length ? labels : [item.claim]).map((each) => el("span", { class: "cell" }, String(each))), item.flag ? el("span", { class: "flag", title: item.flag }, "⚑") : null);
  }

  drawQuestions() {
    this.cells = new Map();
    fill(at("questions"), this.schema.questions.map((question) => {
      const cell = { box: el("section", { "aria-label": question.label || question.id }), value: el("p", { class: "value" }), keys: el("p", { class: "keys" }) };
      fill(cell.box, el("h3", {}, question.label || question.id), cell.value, cell.keys);
      this.cells.set(question.id, cell);
      return cell.box;
    }));
  }

  redraw() {
    for (const cell of this.cells.values()) cell.drawn = "";
    this.drawCard();
  }

  drawCard() {
    const item = this.byId.get(this.now);
    if (!item) return;
    const number = this.items.indexOf(item) + 1;
    at("card").dataset.item = item.id;
    const state = this.reading.state(item.id);
    const answers = this.reading.answers.get(item.id) ?? {};
    const { carried } = this.reading.around(item.id);
    const suggested = item.suggestion?.answers ?? {};
    const waits = this.schema.questions.find((each) => state.open.includes(each.id) && (each.implied ?? null) === null && !(each.id in carried));
    fill(at("where"), `${page.scope} · response ${number} of ${this.items.length}${item.training ? " · training" : ""}`);
    fill(at("claim"), claimOf(this.schema, item));
    fill(at("detail"), (item.detail ?? []).map((each) => el("span", {}, each)), this.differs(item) ? el("strong", { class: "differs" }, this.differs(item)) : null,
      (item.warn ?? []).map((each) => el("strong", { class: "warn" }, each)), item.flag ? el("span", { class: "flag" }, `⚑ ${item.flag}`) : null,
      item.decided?.how === "adjudicated" ? el("strong", { class: "decided" }, `decided by an adjudicator: ${this.show(item.decided.answers)}${item.decided.why ? `, because: ${item.decided.why}` : ""}`) : null);
    for (const question of this.schema.questions) this.drawCell(question, { item, state, answers, carried, suggested, waits: waits === question });
    this.frame.drawKeys();
  }

  drawCell(question, { item, state, answers, carried, suggested, waits }) {
    const cell = this.cells.get(question.id);
    const nil = state.nil.includes(question.id);
    const given = answers[question.id];
    const rest = carried[question.id] ?? question.implied ?? null;
    const shown = (value) => (question.kind === "class" ? this.reading.classes(item.id, question).find(([name]) => name === value)?.[1] ?? value : this.word(value));
    let text = "?", kind = "none";
    if (nil) [text, kind] = ["–", "nil"];
    else if (given !== undefined) [text, kind] = [shown(given), given === (question.implied ?? given) ? "given" : "given other"];
    else if (suggested[question.id] !== undefined) [text, kind] = [`${shown(suggested[question.id])}?`, "faint"];
    else if (rest !== null) [text, kind] = [`${shown(rest)}${question.id in carried ? " (as before)" : ""}`, "faint"];
    cell.box.className = `${waits ? "waits" : ""} ${nil ? "nil" : ""}`;
    cell.box.title = item.ask?.[question.id] ?? "";
    cell.value.className = `value ${kind}`;
    fill(cell.value, text);
    if (question.kind === "text" || question.kind === "number") { this.drawField(question, cell, given, nil); return; }
    if (question.kind === "span") { this.drawTaker(question, cell, nil); return; }
    const choices = this.reading.choices(item.id, question);
    const drawn = JSON.stringify(choices);
    if (cell.drawn !== drawn) {  // else the buttons stay, and with them the focus
      cell.drawn = drawn;
      fill(cell.keys, choices.map(([key, , label]) => this.frame.keys.button(key, label)));
    }
    choices.forEach(([, value], number) => {
      const button = cell.keys.children[number];
      button.setAttribute("aria-pressed", String(!nil && given === value));
      button.disabled = nil || Boolean(page.readonly);
    });
  }

  // Answer one question with what was typed or selected; with nothing, take its answer back.
  put(question, value) {
    const answers = { ...this.reading.answers.get(this.now) };
    if (value === "") delete answers[question.id];
    else answers[question.id] = value;
    this.answer(answers);
  }

  // A stretch of the text is "from-to", the end not included.
  drawTaker(question, cell, nil) {
    cell.taker ??= el("button", { type: "button", onclick: () => {
      const found = this.text.selected();
      if (found) this.put(question, found.join("-"));
      else say("select something in the text first");
    } }, "take what is selected");
    if (!cell.taker.isConnected) fill(cell.keys, cell.taker);
    cell.taker.disabled = nil || Boolean(page.readonly);
  }

  drawField(question, cell, given, nil) {
    cell.field ??= el("input", { type: question.kind, "aria-label": question.label || question.id, onchange: () => {
      cell.field.blur();
      this.put(question, cell.field.value);
    } });
    if (!cell.field.isConnected) fill(cell.keys, cell.field);
    cell.field.disabled = nil || Boolean(page.readonly);
    if (document.activeElement !== cell.field) cell.field.value = given ?? "";
  }

  drawProgress() { this.frame.progress(this.items.length - this.open().length, this.items.length); }
}

new Assess();
