// What is to be saved, in the order in which it was done, kept by the browser until the server has acknowledged it.
//
// An entry: {key, item, answers, ms, cause, version} is a judgment, {key, op} an operation of the stage. Keys make
// repeats harmless, so entries that an earlier page left behind are sent again without asking their outcomes.
// A second judgment of an item takes the place of the first if that was never sent; else it waits for its version.

import { newKey, Refused, scopePath, send } from "./api.js";

const BATCH = 200;
const SLOWEST = 15_000;

export class Queue {
  // `versions` knows the version of an item; `on` has `saved(entry, answer)`, `conflict(entry, current)`,
  // `refused(entry, error)` and `state(text, kind)`.
  constructor(name, stage, versions, on) {
    Object.assign(this, { name, stage, versions, on, entries: [], conflicts: 0, flight: false, wait: 0, timer: 0, kept: true });
    this.prefix = `adjudge queue ${name} `;
    this.place = this.prefix + newKey();
    try {
      for (const place of Object.keys(localStorage).filter((each) => each.startsWith(this.prefix)).sort()) {
        this.entries.push(...JSON.parse(localStorage.getItem(place)));
        localStorage.removeItem(place);
      }
    } catch { /* the browser keeps nothing, and `keep` says so */ }
    window.addEventListener("online", () => this.soon(0));
    this.keep();
    this.soon(0);
  }

  judge(item, answers, ms, cause) {
    const before = this.entries.find((each) => each.item === item && !each.tried);
    if (before) {
      Object.assign(before, { answers, ms: before.ms + ms, key: newKey() });
      if (cause !== "undo") before.cause = cause;  // what was never sent need not be undone
    } else {
      this.entries.push({ key: newKey(), item, answers, ms, cause, version: this.versions(item) });
    }
    this.changed();
  }

  operate(op) {
    this.entries.push({ key: newKey(), op });
    this.changed();
  }

  has(item) { return this.entries.some((each) => each.item === item); }

  changed() {
    this.keep();
    this.soon(this.wait && !navigator.onLine ? this.wait : 0);
  }

  keep() {
    try {
      if (this.entries.length) localStorage.setItem(this.place, JSON.stringify(this.entries));
      else localStorage.removeItem(this.place);
      this.kept = true;
    } catch { this.kept = false; }
    const waiting = this.entries.length;
    if (this.conflicts) this.on.state(`conflict${waiting ? `, ${waiting} waiting` : ""}`, "bad");
    else if (this.why) this.on.state(`${waiting} waiting: ${this.why}`, "bad");
    else if (waiting) this.on.state(`${waiting} waiting${this.kept ? "" : ", keep this page open"}`, this.wait ? "bad" : "wait");
    else this.on.state("all saved", "good");
  }

  soon(ms) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), ms);
  }

  async flush() {
    if (this.flight || !this.entries.length) return;
    this.flight = true;
    const first = this.entries[0];
    const batch = [];
    if (!first.op) {
      for (const entry of this.entries) {
        if (entry.op || batch.length === BATCH) break;
        if (!batch.some((each) => each.item === entry.item)) batch.push(entry);
      }
    }
    for (const entry of first.op ? [first] : batch) entry.tried = true;
    this.keep();
    try {
      if (first.op) await this.sendOperation(first);
      else await this.sendBatch(batch);
      this.wait = 0;
      this.why = "";
    } catch (error) {
      this.wait = Math.min(SLOWEST, this.wait * 2 || 1000);
      this.why = error instanceof Refused ? error.message : "";
    }
    this.flight = false;
    this.keep();
    if (this.entries.length) this.soon(this.wait);
  }

  async sendOperation(entry) {
    try {
      const answer = await send("POST", `${scopePath()}/stages/${this.stage}`, { key: entry.key, ops: [entry.op], version: this.stage === "assess" ? 0 : this.versions() });
      this.done(entry);
      this.on.saved(entry, answer);
    } catch (error) {
      if (!(error instanceof Refused) || error.passes) throw error;
      this.done(entry);
      this.on.refused(entry, error.body);
    }
  }

  async sendBatch(batch) {
    const body = batch.map(({ key, item, answers, ms, cause, version }) => ({ key, item, answers, ms: Math.round(ms), cause: cause ?? null, version }));
    let results;
    try {
      results = await send("POST", `${scopePath()}/judgments`, body);
    } catch (error) {
      if (!(error instanceof Refused) || error.passes) throw error;
      results = batch.map(({ item }) => ({ item, status: error.status, fault: error.body }));
    }
    batch.forEach((entry, at) => {
      const result = results[at];
      if (result.status >= 500 || result.status === 429) throw new Refused(result.status, result.fault);
      this.done(entry);
      if (result.saved) {
        for (const later of this.entries) if (later.item === entry.item) later.version = result.saved.version;
        this.on.saved(entry, result.saved);
      } else if (result.status === 409) {
        const later = this.entries.filter((each) => each.item === entry.item);
        for (const each of later) this.done(each);
        this.conflicts += 1;
        this.on.conflict(later.at(-1) ?? entry, result.fault.current);
      } else {
        this.on.refused(entry, result.fault);
      }
    });
  }

  settled() {
    this.conflicts -= 1;
    this.keep();
  }

  done(entry) { this.entries = this.entries.filter((each) => each !== entry); }
}
