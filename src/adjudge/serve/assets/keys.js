// Keys as people know them: what is printed on the key, or where it is if the layout is not Latin. Every key is a
// button, too, and can be another one: what is remapped is remembered by the browser.

import { ask, el } from "./dom.js";

export const GUARD = 120;
const PLACE = "adjudge keys";
const CODES = { Period: ".", Comma: ",", Slash: "/", Minus: "-", Equal: "=" };
const NAMES = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc", " ": "Space" };

// The key of an event: "q", "Q" with Shift (whatever Caps Lock says), ".", "Enter"; "" if it is none of ours.
export function keyOf(event) {
  const graph = event.getModifierState?.("AltGraph");
  if ((event.ctrlKey || event.altKey) && !graph || event.metaKey) return "";
  const { key, code } = event;
  if (key.length > 1 && key !== "Dead" && key !== "Unidentified" && key !== "Process") return key;
  const letter = /^[a-z]$/i.test(key) ? key : /^Key[A-Z]$/.test(code) && !/^[\x21-\x7e]$/.test(key) ? code[3] : "";
  if (letter) return event.shiftKey ? letter.toUpperCase() : letter.toLowerCase();
  if (/^[\x20-\x7e]$/.test(key)) return key;
  if (/^(Digit|Numpad)[0-9]$/.test(code)) return code.at(-1);
  return code === "Slash" && event.shiftKey ? "?" : CODES[code] ?? "";
}

export class Keys {
  constructor() {
    this.actions = new Map();  // key: {label, run, ready, guarded}
    this.until = 0;
    this.next = null;  // takes the next key, as in m + key
    try { this.changed = JSON.parse(localStorage.getItem(PLACE)) ?? {}; } catch { this.changed = {}; }
    document.addEventListener("keydown", (event) => this.pressed(event));
  }

  // What a key does; `guarded` ones do nothing just after something new was shown.
  bind(key, label, run, { guarded = false } = {}) { this.actions.set(key, { label, run, guarded }); }
  unbind(key) { this.actions.delete(key); }

  // The key to press for what the schema or the page calls by this key, and what is written on it.
  shown(key) {
    const now = this.changed[key] ?? key;
    return NAMES[now] ?? (/^[A-Z]$/.test(now) ? `⇧${now.toLowerCase()}` : now);
  }

  // Something new is shown: what was meant for the old is not for it.
  fresh() { this.until = performance.now() + GUARD; }

  pressed(event) {
    const key = keyOf(event);
    if (!key || event.repeat || event.isComposing || event.target.closest("input, textarea, select, dialog")) return;
    if ((key === "Enter" || key === " ") && event.target.closest("button, a")) return;
    if (this.next) {
      const take = this.next;
      this.next = null;
      event.preventDefault();
      take(key);
      return;
    }
    const meant = Object.keys(this.changed).find((each) => this.changed[each] === key) ?? (this.changed[key] ? "" : key);
    if (this.actions.has(meant)) {
      event.preventDefault();
      this.press(meant);
    }
  }

  // Do what a key does, by key or by button.
  press(key) {
    const action = this.actions.get(key);
    if (!action || (action.guarded && performance.now() < this.until)) return false;
    action.run(key);
    return true;
  }

  button(key, label, extra = {}) {
    return el("button", { type: "button", "data-key": key, onclick: () => this.press(key), ...extra }, el("kbd", {}, this.shown(key)), ` ${label}`);
  }

  remap(key, pressed) {
    const old = this.changed[key] ?? key;
    const other = [...this.actions.keys()].find((each) => each !== key && (this.changed[each] ?? each) === pressed);
    const change = (name, to) => { if (name === to) delete this.changed[name]; else this.changed[name] = to; };
    change(key, pressed);
    if (other) change(other, old);
    localStorage.setItem(PLACE, JSON.stringify(this.changed));
    document.dispatchEvent(new Event("keys-changed"));
  }

  // All keys, and a way to have others.
  help() {
    const rows = [...this.actions].map(([key, { label }]) => {
      const now = el("kbd", {}, this.shown(key));
      const change = el("button", { type: "button", "aria-label": `change the key for ${label}` }, "change");
      change.addEventListener("click", () => {
        change.textContent = "press a key";
        change.addEventListener("keydown", (event) => {
          const pressed = keyOf(event);
          if (pressed === "Tab" || pressed === "Shift") return;
          event.preventDefault();
          event.stopPropagation();
          if (pressed && pressed !== "Escape") this.remap(key, pressed);
          box.close();
          this.help();
        });
      });
      return el("tr", {}, el("td", {}, now), el("td", {}, label), el("td", {}, change));
    });
    const box = ask("Keys", el("table", { class: "keys" }, el("tbody", {}, rows)), [["r", "as they were", () => {
      this.changed = {};
      localStorage.removeItem(PLACE);
      document.dispatchEvent(new Event("keys-changed"));
    }]]);
  }
}
