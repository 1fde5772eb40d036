// Elements from data. Whatever comes from outside becomes a text node, never markup.

export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.flat().filter((each) => each !== null && each !== undefined && each !== ""));
  return made;
}

export function fill(parent, ...children) {
  parent.replaceChildren(...children.flat().filter((each) => each !== null && each !== undefined && each !== ""));
  return parent;
}

// A claim, in which the values that name the item stand out: that of its group, and those of its label.
export function claimOf({ group, label }, { claim, fields = {} }) {
  const names = [group, ...(label ?? [])].filter(Boolean), parts = [];
  let rest = claim;
  names.forEach((name, number) => {
    const value = String(fields[name] ?? ""), place = value ? rest.indexOf(value) : -1;
    if (place < 0) return;
    const kind = number === 0 ? "group" : number === names.length - 1 ? "last" : "part";
    parts.push(rest.slice(0, place), el("span", { class: kind }, value));
    rest = rest.slice(place + value.length);
  });
  return [...parts, rest];
}

export const at = (id) => document.getElementById(id);

// Read by screen readers once they are done with what they are reading.
export function say(text) {
  at("live").textContent = text;
}

// A dialog with a heading; it closes by Escape or by what `choices` says: [[key, label, run], ...].
export function ask(heading, content, choices = []) {
  const buttons = choices.map(([key, label, run]) =>
    el("button", { type: "button", "data-key": key, onclick: () => { box.close(); run(); } }, el("kbd", {}, key), ` ${label}`));
  const close = el("button", { type: "button", onclick: () => box.close() }, el("kbd", {}, "Esc"), " close");
  const box = el("dialog", { "aria-label": heading }, el("h2", {}, heading), content, el("p", { class: "choices" }, buttons, close));
  box.addEventListener("keydown", (event) => {
    event.stopPropagation();
    const typing = event.target.matches("input, textarea, select");
    const chosen = buttons.find((each) => each.dataset.key === event.key);
    if (chosen && !event.repeat && !(typing && event.key.length === 1) && !(event.key === "Enter" && event.shiftKey)) {
      event.preventDefault();
      chosen.click();
    }
  });
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  return box;
}
