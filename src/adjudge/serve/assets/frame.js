// What every stage of a document has around it: the view, the queue and what it says, the keys that all share.

import { campaignPath, listen, scopePath, send } from "./api.js";
import { ask, at, el, fill, say } from "./dom.js";
import { Keys } from "./keys.js";
import { Queue } from "./queue.js";

export const page = document.body.dataset;

// What the organiser has written, and what the page itself has to say.
export async function guideline(...content) {
  const written = el("div", { class: "guideline" });
  ask("Guideline", el("div", {}, written, ...content));
  try { written.textContent = (await send("GET", campaignPath())).guideline ?? ""; } catch { written.textContent = "The guideline cannot be fetched without a connection."; }
}

export class Frame {
  // `stage` has: `drawn(view)` once, `merge(view)` when something was changed elsewhere, `saved(entry, answer)`,
  // `version(item)`, `mine(entry, current)` and `theirs(entry, current)` after a conflict, `show(answers)`, and
  // `guideline()`, which follows what the organiser has written.
  constructor(stage) {
    this.stage = stage;
    this.keys = new Keys();
    this.footer = [];
    document.addEventListener("keys-changed", () => { this.drawKeys(); this.stage.redraw?.(); });
  }

  async start() {
    try {
      this.view = await send("GET", scopePath());
    } catch (error) {
      fill(at("main"), el("p", { class: "problem", role: "alert" }, `This cannot be shown: ${error.message}`));
      return;
    }
    this.queue = new Queue(`${page.person} ${page.campaign} ${page.scope}`, page.stage, (item) => this.stage.version(item), {
      state: (text, kind) => { const place = at("saved"); if (place.textContent !== text) fill(place, text); place.className = kind; },
      saved: (entry, answer) => this.stage.saved(entry, answer),
      conflict: (entry, current) => this.conflict(entry, current),
      refused: (entry, error) => this.refused(entry, error),
    });
    this.stage.drawn(this.view);
    this.drawKeys();
    listen(() => this.again());
    window.addEventListener("online", () => this.again());
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.again(); });
  }

  // Ask for everything again, because something may have changed elsewhere.
  async again() {
    if (this.asking) return;
    this.asking = true;
    try { this.stage.merge(await send("GET", scopePath())); } catch { /* the queue says that there is no connection */ }
    this.asking = false;
  }

  conflict(entry, current) {
    const rows = [["yours", entry.answers], ["saved", current?.answers ?? {}]].map(([who, answers]) =>
      el("tr", {}, el("th", { scope: "row" }, who), el("td", {}, this.stage.show(answers))));
    const choose = (take) => () => { this.queue.settled(); chosen = true; this.stage[take](entry, current); };
    let chosen = false;
    const text = "This was answered elsewhere since you saw it, perhaps in another tab. Which answer is right?";
    const box = ask("Two answers", el("div", {}, el("p", {}, text), el("p", {}, this.stage.named?.(entry.item) ?? ""), el("table", {}, el("tbody", {}, rows))), [
      ["1", "take yours", choose("mine")],
      ["2", "take the saved one", choose("theirs")],
    ]);
    box.addEventListener("close", () => { if (!chosen) choose("theirs")(); });
  }

  refused(entry, error) {
    if (entry.op?.op === "finish" && error.error === "closed") { this.onward(); return; }  // its first answer was lost
    const text = el("p", {}, [error.message, error.hint].filter(Boolean).join(", "));
    if (this.troubles?.isConnected) this.troubles.append(text);
    else ask("Not saved", this.troubles = el("div", { role: "alert" }, text));
    this.again();
  }

  // A key that is shown below the page; `label` may be a function, and hides the key when it says nothing.
  bind(key, label, run, options = {}) {
    const text = typeof label === "function" ? label : () => label;
    this.keys.bind(key, options.about ?? text(), run, options);
    if (!options.quiet) this.footer.push([key, text]);
  }

  bindShared() {
    this.bind("h", "guideline", () => guideline(this.stage.guideline()));
    this.bind("?", "keys", () => this.keys.help());
  }

  drawKeys() {
    fill(at("keys"), this.footer.filter(([, label]) => label()).map(([key, label]) => this.keys.button(key, label())));
  }

  // Say that this stage is done, and go on to what is next.
  async finish() {
    this.queue.operate({ op: "finish" });
    say("finished");
  }

  async onward() {
    const { scopes = [] } = await send("GET", campaignPath());
    const here = scopes.find((each) => each.id === page.scope);
    const pages = [...document.querySelectorAll(".bar nav a")].map((each) => each.dataset.stage);
    const open = scopes.filter((each) => pages.includes(each.stage) && each.state !== "finished" && each.state !== "waiting");
    const next = here && open.includes(here) ? here : open[0];
    location.href = next ? `/c/${encodeURIComponent(page.campaign)}/${encodeURIComponent(next.id)}` : "/";
  }

  progress(done, all) {
    const bar = at("progress");
    bar.max = all || 1;
    bar.value = done;
    fill(at("count"), `${done} of ${all}`);
  }
}
