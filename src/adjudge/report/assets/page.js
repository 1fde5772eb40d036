"use strict";
// What all parts of the page share. Text from the data goes into the page as text, never as markup.
const adjudge = (() => {
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const LONG = 160; // letters of a name in a list, a table or a title
  const cut = (text, length = LONG) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

  // What a browser would obey, or not show at all, as an escape: controls, overrides of direction, halves of letters.
  const OBEYED = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\p{Cs}]/gu;
  function shown(text) {
    return String(text).replace(OBEYED, (letter) => {
      const code = letter.charCodeAt(0).toString(16);
      return code.length > 2 ? `\\u${code.padStart(4, "0")}` : `\\x${code.padStart(2, "0")}`;
    });
  }

  function set(made, attributes, children) {
    for (const [key, value] of Object.entries(attributes)) {
      if (typeof value === "function") made.addEventListener(key, value);
      else if (value !== false && value !== null && value !== undefined) {
        made.setAttribute(key, /^(title|aria-label|data-tag)$/.test(key) ? shown(cut(value, 2 * LONG)) : value);
      }
    }
    for (const child of children.flat()) {
      if (child !== null && child !== undefined) made.append(child instanceof Node ? child : shown(child));
    }
    return made;
  }

  // An element with attributes (functions are listeners, false leaves one out) and children (texts or elements).
  const element = (name, attributes = {}, ...children) => set(document.createElement(name), attributes, children);

  // The same for a part of a drawing.
  const SVG = ["http:", "", "www.w3.org", "2000", "svg"].join("/"); // a name, not an address
  const shape = (name, attributes = {}, ...children) => set(document.createElementNS(SVG, name), attributes, children);

  // A table of heads and rows of cells; cells that are elements stay as they are.
  function table(heads, rows, attributes = {}) {
    return element(
      "table", attributes,
      element("thead", {}, element("tr", {}, heads.map((head) => element("th", { scope: "col" }, head)))),
      element("tbody", {}, rows.map((cells) => element("tr", {}, cells.map((cell, at) => (cell instanceof Element && /^T[DH]$/.test(cell.tagName) ? cell : element(at ? "td" : "th", { scope: at ? false : "row", dir: "auto" }, cell)))))),
    );
  }

  // Lines of data, each read when somebody needs it.
  function lines(id) {
    let every = null;
    const read = new Map();
    const raw = (number) => {
      every ??= byId(id).textContent.split("\n");
      return every[number] || "0";
    };
    const line = (number) => read.get(number) ?? read.set(number, JSON.parse(raw(number))).get(number);
    return Object.assign(line, { raw });
  }

  // Shortcuts: {key: [what it does, function]}. They rest while somebody writes, and while `on` says so.
  function keys(actions, on) {
    const dialog = element(
      "dialog",
      { "aria-label": "Keyboard shortcuts" },
      element("h3", {}, "Keyboard"),
      element("dl", {}, Object.entries(actions).flatMap(([key, [what]]) => [element("dt", {}, element("kbd", {}, key)), element("dd", {}, what)])),
      element("form", { method: "dialog" }, element("button", {}, "Close")),
    );
    document.body.append(dialog);
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || dialog.open || !on()) return;
      const writing = event.target.closest && event.target.closest("input[type=search], select, textarea");
      if (writing && event.key !== "Escape") return;
      const action = actions[event.key] || actions[event.key.toLowerCase()];
      if (!action) return;
      event.preventDefault();
      action[1]();
    });
    return () => dialog.showModal();
  }

  // Tabs: the address says which part is looked at, `#doc=...` and the like belong to the documents.
  const opened = new Map();
  const state = {
    read: () => Object.fromEntries(new URLSearchParams(location.hash.slice(1))),
    write(values) {
      try {
        history.replaceState(null, "", `#${new URLSearchParams(values)}`);
      } catch {
        // Some browsers refuse it for files; the page works without.
      }
    },
  };
  const tabs = [...document.querySelectorAll(".tab")];
  const current = () => tabs.find((each) => each.classList.contains("now")).id;
  function tab(name) {
    if (!tabs.some((each) => each.id === name)) return;
    for (const each of tabs) each.classList.toggle("now", each.id === name);
    document.documentElement.classList.toggle("deep", name !== "ranking");
    for (const link of document.querySelectorAll(".tabs a")) {
      if (link.hash === `#${name}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (opened.has(name)) opened.get(name)();
    scrolled();
  }
  function follow() {
    const hash = location.hash.slice(1);
    tab(hash.includes("=") ? "documents" : tabs.some((each) => each.id === hash) ? hash : current());
  }

  // Switches: one of several tables at a time.
  for (const holder of document.querySelectorAll(".switch")) {
    const choices = [...holder.children].filter((each) => each.classList.contains("choice"));
    const show = (number) => choices.forEach((each, at) => each.classList.toggle("chosen", at === number));
    holder.classList.add("live");
    show(0);
    if (choices.length < 2) continue;
    const select = element("select", { change: () => { show(Number(select.value)); scrolled(); } }, choices.map((each, at) => element("option", { value: at }, cut(each.dataset.name, 60))));
    holder.prepend(element("p", { class: "choose" }, element("label", {}, `${holder.dataset.label} `, select)));
  }

  // On a narrow window, what is too wide is stacked: its cells stand below each other, each behind the head of its column.
  // What scrolls sideways on others can be reached by the keyboard.
  const narrow = matchMedia("(max-width: 45rem)");
  function stack(holder) {
    holder.classList.add("stacked");
    const found = holder.querySelector("table");
    if (!found || !found.tHead) return;
    const heads = [...found.tHead.rows[0].cells].map((each) => each.textContent);
    for (const row of [...found.tBodies].flatMap((body) => [...body.rows])) {
      for (const cell of row.cells) if (cell.colSpan === 1) cell.dataset.head = heads[cell.cellIndex];
    }
  }
  function scrolled() {
    const every = [...document.querySelectorAll(".wide")];
    for (const each of every) each.classList.remove("stacked");
    const broad = every.filter((each) => each.scrollWidth > each.clientWidth);
    if (narrow.matches) broad.forEach(stack);
    for (const each of every) {
      if (broad.includes(each) && each.scrollWidth > each.clientWidth) each.tabIndex = 0;
      else each.removeAttribute("tabindex");
    }
  }
  addEventListener("resize", scrolled);
  document.addEventListener("toggle", scrolled, true);

  // Words that can be looked for in the documents.
  for (const cell of document.querySelectorAll(".finds tbody th")) {
    const words = cell.textContent;
    cell.replaceChildren(element("button", { type: "button", click: () => (location.hash = new URLSearchParams({ q: words.replace(/…$/, "").split(" … ")[0] })) }, words));
  }

  // Fields, of which the documents show their outcomes.
  for (const cell of document.querySelectorAll(".by-field tbody th")) {
    const field = cell.textContent;
    cell.replaceChildren(element("button", { type: "button", click: () => (location.hash = new URLSearchParams({ field })) }, field));
  }

  // Downloads: the table of a part as CSV, its chart as SVG with its colours of print. `before` makes a table that is
  // made on demand.
  function offer(name, type, text) {
    const link = element("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
  function csv(found) {
    const cell = (each) => {
      const text = each.textContent.replace(/\s+/g, " ").trim();
      const safe = /^[=+\-@]/.test(text) && !/^[+-]?[\d.]+\*?( \[.*\])?$/.test(text) ? `'${text}` : text;
      return /[",\n]/.test(safe) ? `"${safe.replaceAll("\"", "\"\"")}"` : safe;
    };
    // Small drawings are not columns.
    const plain = (row) => [...row.cells].filter((each) => !each.classList.contains("plot")).map(cell).join(",");
    return [...found.rows].map(plain).join("\n") + "\n";
  }
  function svg(chart) {
    const copy = chart.cloneNode(true);
    const [, , width, height] = copy.getAttribute("viewBox").split(" ");
    copy.setAttribute("xmlns", SVG);
    copy.setAttribute("font-family", "system-ui, Arial, sans-serif");
    copy.prepend(shape("title", {}, chart.getAttribute("aria-label") || ""), shape("rect", { width, height, fill: "#ffffff" }));
    return new XMLSerializer().serializeToString(copy);
  }
  function downloads(holder, before = () => {}) {
    const name = shown(holder.dataset.file);
    const made = element("p", { class: "downloads" });
    const button = (kind, click) => made.append(element("button", { type: "button", "aria-label": `Download ${name} as ${kind}`, click }, kind));
    button("CSV", () => {
      before();
      offer(`${name}.csv`, "text/csv", csv(holder.querySelector("table")));
    });
    if (holder.querySelector(".chart")) button("SVG", () => offer(`${name}.svg`, "image/svg+xml", svg(holder.querySelector(".chart"))));
    holder.append(made);
  }
  for (const holder of document.querySelectorAll("[data-file]")) downloads(holder);

  addEventListener("hashchange", follow);
  return { byId, current, cut, data, downloads, element, follow, keys, lines, opened, scrolled, shape, shown, state, tab, table };
})();
