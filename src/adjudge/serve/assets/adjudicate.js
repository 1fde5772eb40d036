// Decide what readers disagree on: one row per reader, differing answers lit; names are told after the decision.

import { Reading } from "./answers.js";
import { campaignPath, newKey, send } from "./api.js";
import { ask, at, claimOf, el, fill, say } from "./dom.js";
import { guideline } from "./frame.js";
import { Keys } from "./keys.js";
import { MarkedText } from "./text.js";

const STAGES = { group: "Same fillers", link: "Events" };

class Adjudicate {
  constructor() {
    this.keys = new Keys();
    this.views = new Map();
    document.addEventListener("keys-changed", () => { if (this.now) this.draw(); });
    this.start();
  }

  async start() {
    try {
      this.disputes = await send("GET", `${campaignPath()}/disputes`);
    } catch (error) {
      fill(at("work"), el("p", { class: "problem", role: "alert" }, `This cannot be shown: ${error.message}`));
      return;
    }
    this.all = this.disputes.length;
    await this.go(this.disputes[0]);
  }

  path(dispute) { return `${campaignPath()}/scopes/${encodeURIComponent(dispute.scope)}`; }

  async go(dispute) {
    this.now = dispute;
    this.reason = "";
    this.keys.actions.clear();
    const bar = at("progress");
    bar.max = this.all || 1;
    bar.value = this.all - this.disputes.length;
    fill(at("count"), `${this.all - this.disputes.length} of ${this.all}`);
    if (!dispute) {
      fill(at("work"), el("h1", {}, "No disputes"), el("p", {}, "Whatever two readers have finished, they agree on, or it is decided."));
      fill(at("text"));
      fill(at("keys"));
      return;
    }
    if (!this.views.has(dispute.scope)) this.views.set(dispute.scope, await send("GET", `${this.path(dispute)}/disputes`));
    this.view = this.views.get(dispute.scope);
    if (this.shown !== dispute.scope) this.text = new MarkedText(at("text"), this.view);
    this.shown = dispute.scope;
    this.reading = new Reading(this.view.schema, [{ id: dispute.subject, fields: dispute.fields ?? {}, parent: null }]);
    this.pairs = dispute.pairs && new Pairs(dispute);
    this.text.mark(dispute.marks ?? {});
    this.keys.fresh();
    this.bindKeys();
    this.draw();
    say(`${dispute.scope}: ${dispute.claim}`);
  }

  // Digits take a reader; where the schema has them too, a comma before makes them part of an answer.
  bindKeys() {
    this.footer = [];
    const bind = (key, label, run, options) => { this.keys.bind(key, label, run, options); this.footer.push([key, label]); };
    this.now.said.forEach((each, number) => bind(String(number + 1), `take the ${each.reader}`, () => this.decide({ take: number + 1 }), { guarded: true }));
    if (this.now.stage === "assess") {
      const taken = this.now.said.map((_, number) => String(number + 1)), both = new Set();
      for (const question of this.view.schema.questions) {
        for (const [key, , label] of this.reading.choices(this.now.subject, question)) {
          if (taken.includes(key)) both.add(key);
          else this.keys.bind(key, `${question.label || question.id}: ${label}`, () => this.answer(key));
        }
      }
      if (both.size) bind(",", `own answer ${[...both].join(" ")}`, () => { this.keys.next = (key) => this.answer(key); });
      bind("Enter", "decide as yours", () => { if (this.own) this.decide({ answers: this.own }); });
      bind("z", "own answer anew", () => { this.reading.answers.clear(); this.draw(); });
    } else {
      bind("y", "together", () => this.together(true), { guarded: true });
      bind("n", "not together", () => this.together(false), { guarded: true });
      bind("z", "undo", () => { this.pairs.said.pop(); this.draw(); });
      bind("Enter", "decide as yours", () => { if (!this.pairs.open()) this.decide({ same: this.pairs.same() }); });
    }
    bind("f", "why", () => this.why());
    bind("j", "next", () => this.step(1));
    bind("k", "previous", () => this.step(-1));
    bind("h", "guideline", () => guideline());
    bind("?", "keys", () => this.keys.help());
  }

  get own() { return this.reading.answers.get(this.now.subject); }

  answer(key) {
    const answers = this.reading.pressed(this.now.subject, key);
    if (answers) this.reading.answers.set(this.now.subject, answers);
    this.draw();
  }

  // Whether the two of the disputed pair that is shown belong together.
  together(same) {
    const open = this.pairs.open();
    if (!open) return;
    this.pairs.said.push([open.pair, same]);
    this.keys.fresh();
    this.draw();
  }

  word(value) { return this.view.schema.words?.[value] ?? String(value); }

  step(by) {
    const next = this.disputes[this.disputes.indexOf(this.now) + by];
    if (next) this.go(next);
  }

  why() {
    const text = el("textarea", { rows: 3, "aria-label": "Why", maxlength: 2000 });
    text.value = this.reason;
    ask("Why this decision?", text, [["Enter", "keep it", () => { this.reason = text.value.trim(); this.draw(); }]]);
    text.focus();
  }

  async decide(verdict) {
    const { now } = this;
    if (this.busy) return;
    this.busy = true;
    const body = { stage: now.stage, version: now.version, key: newKey(), why: this.reason, ...verdict };
    fill(at("saved"), "saving");
    try {
      const made = await send("PUT", `${this.path(now)}/decisions/${encodeURIComponent(now.subject)}`, body);
      fill(at("saved"), "all saved");
      at("saved").className = "good";
      const place = this.disputes.indexOf(now);
      this.disputes = this.disputes.filter((each) => each !== now);
      say(`decided; readers were ${made.readers.join(", ")}`);
      fill(at("saved"), `all saved (readers: ${made.readers.join(", ")})`);
      if (made.stage !== now.stage && !this.disputes.some((each) => each.scope === now.scope)) this.views.delete(now.scope);
      await this.go(this.disputes[place] ?? this.disputes[0]);
    } catch (error) {
      fill(at("saved"), "not saved");
      at("saved").className = "bad";
      ask("Not saved", el("div", { role: "alert" }, el("p", {}, [error.body?.message ?? error.message, error.body?.hint].filter(Boolean).join(", "))));
    } finally {
      this.busy = false;
    }
  }

  draw() {
    const { now } = this;
    const assess = now.stage === "assess";
    const head = [el("p", { id: "where" }, `${now.scope} · ${now.stage}`), el("h1", { id: "claim" }, assess ? claimOf(this.view.schema, now) : STAGES[now.claim] ?? now.claim)];
    const detail = el("p", { id: "detail" }, [...(now.detail ?? []), ...(now.warn ?? [])].map((each) => el("span", {}, each)));
    fill(at("work"), head, detail, assess ? this.drawAnswers() : this.drawSets(), this.reason ? el("p", {}, `why: ${this.reason}`) : null);
    fill(at("keys"), this.footer.map(([key, label]) => this.keys.button(key, label)));
  }

  drawAnswers() {
    const { now } = this;
    const { questions } = this.view.schema;
    const heads = questions.map((each) => el("th", { scope: "col" }, each.label || each.id));
    const row = (name, answers) => el("tr", {}, el("th", { scope: "row" }, name), questions.map((each) => el("td", { class: now.differ.includes(each.id) ? "differs" : "" }, each.id in answers ? this.word(answers[each.id]) : "–")));
    const rows = now.said.map((each, number) => row(this.keys.button(String(number + 1), each.reader), each.answers));
    const state = this.reading.state(now.subject), taken = now.said.map((_, number) => String(number + 1));
    const own = el("tr", {}, el("th", { scope: "row" }, "your own"), questions.map((each) => el("td", {}, el("div", { class: "keys" },
      this.reading.choices(now.subject, each).map(([key, , label]) => el("button", { type: "button", disabled: state.nil.includes(each.id), onclick: () => this.answer(key) }, el("kbd", {}, taken.includes(key) ? `, ${key}` : this.keys.shown(key)), ` ${label}`))))));
    return el("div", {}, el("table", { class: "said" }, el("thead", {}, el("tr", {}, el("th", {}, ""), heads)), el("tbody", {}, rows, this.own ? row("yours", state.values) : null), el("tfoot", {}, own)),
      el("p", { class: "about" }, "Take a reader's answer, or give your own and press Enter; both readers will see it, and why."));
  }

  // The disputed pair, of which both are marked in the text; when none is left, what came of it. Below, the readers.
  drawSets() {
    const { blocks, said } = this.now, open = this.pairs.open();
    const drawn = (heading, sets) => el("section", {}, el("h2", {}, heading), el("ul", {}, sets.filter((own) => own.length > 1).map((own) => el("li", {}, own.join(" = ")))),
      el("p", { class: "about" }, `${sets.filter((own) => own.length < 2).length} alone`));
    const whole = drawn(open ? "yours so far" : "yours: Enter decides", this.pairs.sets().map((set) => set.map((id) => blocks[id].text)));
    let asked = null;
    if (open) {
      const [one, other] = open.pair.map((id) => blocks[id]);
      this.text.mark({ line: one.marks, tint: other.marks });
      asked = el("p", { class: "asked", role: "status" }, `${this.pairs.said.length + 1}. `, el("strong", {}, one.text), " and ", el("strong", {}, other.text), `: together for the ${open.by.join(" and ")} reader, not for the ${said.length - open.by.length > 1 ? "others" : "other"}`);
      say(`${one.text} and ${other.text}`);
    } else {
      this.text.mark({});
    }
    return el("div", {}, asked, whole, said.map((each, number) => drawn(`${number + 1} ${each.reader}`, each.sets)));
  }
}

// Disputed pairs and what is said of them. What follows from that is not asked: of groups, those of one are the same.
class Pairs {
  constructor({ blocks, agreed, pairs, closed }) { Object.assign(this, { names: Object.keys(blocks), agreed, pairs, closed, said: [] }); }

  yes() { return [...this.agreed, ...this.said.filter(([, same]) => same).map(([pair]) => pair)]; }

  // The group of every block, if what hangs together is one.
  hangs() {
    const first = new Map(this.names.map((each) => [each, each]));
    for (const [one, other] of this.yes()) {
      const [old, now] = [first.get(other), first.get(one)];
      for (const [name, own] of first) if (own === old) first.set(name, now);
    }
    return first;
  }

  open() {
    const done = new Set(this.said.map(([pair]) => pair.join())), first = this.hangs();
    const apart = new Set(this.said.filter(([, same]) => !same).flatMap(([[one, other]]) => [`${first.get(one)} ${first.get(other)}`, `${first.get(other)} ${first.get(one)}`]));
    const follows = ([one, other]) => this.closed && (first.get(one) === first.get(other) || apart.has(`${first.get(one)} ${first.get(other)}`));
    return this.pairs.find(({ pair }) => !done.has(pair.join()) && !follows(pair));
  }

  same() { return this.said.filter(([, same]) => same).map(([pair]) => pair); }

  // What belongs together: groups, or for events the largest sets in which every two do.
  sets() {
    const sets = [], near = new Map(this.names.map((each) => [each, new Set()]));
    if (this.closed) {
      const first = this.hangs();
      for (const each of this.names) if (first.get(each) === each) sets.push(this.names.filter((other) => first.get(other) === each));
      return sets;
    }
    for (const [one, other] of this.yes()) { near.get(one).add(other); near.get(other).add(one); }
    const grow = (inside, open, done) => {
      if (!open.length && !done.length) sets.push(inside);
      for (let left = open; left.length; left = left.slice(1)) {
        const [block] = left, here = (each) => near.get(block).has(each);
        grow([...inside, block], left.filter(here), done.filter(here));
        done = [...done, block];
      }
    };
    grow([], this.names, []);
    return sets;
  }
}

new Adjudicate();
