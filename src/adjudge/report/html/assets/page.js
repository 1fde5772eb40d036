"use strict";
// What the scripts of all pages share. Text from the data goes into the page as text, never as markup.
const adjudge = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  document.documentElement.classList.remove("still");

  const byId = (id) => document.getElementById(id);
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
        made.setAttribute(key, key === "title" || key === "aria-label" ? shown(cut(value, 2 * LONG)) : value);
      }
    }
    for (const child of children) {
      if (child !== null && child !== undefined) made.append(child instanceof Node ? child : shown(child));
    }
    return made;
  }

  // An element with attributes (functions are listeners, false leaves one out) and children (texts or elements).
  const element = (name, attributes = {}, ...children) => set(document.createElement(name), attributes, children);

  // The same for a part of a drawing.
  const SVG = ["http:", "", "www.w3.org", "2000", "svg"].join("/"); // a name, not an address
  const shape = (name, attributes = {}, ...children) => set(document.createElementNS(SVG, name), attributes, children);

  // Where a query stands in a text, without regard to case: [[begin, end], ...].
  function hits(text, query) {
    if (!query || !text) return [];
    const pattern = new RegExp(query.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
    return Array.from(text.matchAll(pattern), (found) => [found.index, found.index + found[0].length]);
  }

  // A text with marks [begin, end, mark, ...], outermost first, and hits. `make(mark, depth, first)` gives the element
  // of a mark for one stretch; `first` says that the mark does not go on there from the stretch before.
  function draw(target, text, marks, found, make) {
    let place = 0;
    let next = 0;
    const put = (parent, begin, end) => {
      while (next < found.length && found[next][0] < end) {
        const [from, to] = found[next];
        if (from > begin) parent.append(shown(text.slice(begin, from)));
        const start = Math.max(begin, from);
        const stop = Math.min(end, to);
        if (start < stop) parent.append(element("span", { class: "hit" }, text.slice(start, stop)));
        begin = Math.max(begin, stop);
        if (to > end) break;
        next += 1;
      }
      if (begin < end) parent.append(shown(text.slice(begin, end)));
    };
    marks.forEach(([begin, end, ...these], number) => {
      put(target, place, begin);
      const before = number > 0 && marks[number - 1][1] === begin ? marks[number - 1].slice(2) : [];
      let inner = target;
      these.forEach((mark, depth) => {
        const made = make(mark, depth, !before.includes(mark));
        inner.append(made);
        inner = made;
      });
      put(inner, begin, end);
      place = end;
    });
    put(target, place, text.length);
  }

  // Shortcuts: {key: [what it does, function]}. They rest while somebody writes.
  function keys(actions) {
    const dialog = element(
      "dialog",
      { "aria-label": "Keyboard shortcuts" },
      element("h3", {}, "Keyboard"),
      element("dl", {}, ...Object.entries(actions).flatMap(([key, [what]]) => [
        element("dt", {}, element("kbd", {}, key)),
        element("dd", {}, what),
      ])),
      element("form", { method: "dialog" }, element("button", {}, "Close")),
    );
    document.body.append(dialog);
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
      const writing = event.target.closest && event.target.closest("input[type=search], select, textarea");
      if (writing && event.key !== "Escape") return;
      const action = actions[event.key] || actions[event.key.toLowerCase()];
      if (!action) return;
      event.preventDefault();
      action[1]();
    });
    return () => dialog.showModal();
  }

  // What the address remembers after its #, so that a place in the page can be linked to.
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

  // Shares of a whole: [[name of the kind, number], ...].
  function bar(shares) {
    const made = shape("svg", { class: "bar", viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" });
    const total = shares.reduce((sum, [, number]) => sum + number, 0);
    let place = 0;
    for (const [key, number] of shares) {
      if (!number) continue;
      const width = (100 * number) / total;
      made.append(shape("rect", { class: `k-${key}`, x: place.toFixed(2), width: width.toFixed(2), height: 1 }));
      place += width;
    }
    return made;
  }

  // Names to choose from, by their numbers; `all` is what stands for none of them, and puts them in order.
  function fill(id, names, all = null, sorted = all !== null) {
    const order = [...names.keys()];
    if (sorted) order.sort((a, b) => (names[a] < names[b] ? -1 : names[a] > names[b] ? 1 : 0));
    byId(id).append(...(all === null ? [] : [element("option", { value: -1 }, all)]), ...order.map((each) => element("option", { value: each }, cut(names[each], 60))));
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
  function csv(table) {
    const cell = (each) => {
      const text = each.textContent.replace(/\s+/g, " ").trim();
      const safe = /^[=+\-@]/.test(text) && !/^[+-]?[\d.]+( \[.*\])?$/.test(text) ? `'${text}` : text;
      return /[",\n]/.test(safe) ? `"${safe.replaceAll("\"", "\"\"")}"` : safe;
    };
    // What only a screen reader is told, and small drawings, are no columns.
    const plain = (row) => [...row.cells].filter((each) => !each.classList.contains("plot")).map(cell).join(",");
    return [...table.rows].map(plain).join("\n") + "\n";
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
    const name = holder.dataset.file;
    const made = element("p", { class: "downloads" });
    const button = (kind, click) => made.append(element("button", { type: "button", "aria-label": `Download ${name} as ${kind}`, click }, kind));
    button("CSV", () => {
      before();
      offer(`${name}.csv`, "text/csv", csv(holder.querySelector("table")));
    });
    if (holder.matches("figure")) button("SVG", () => offer(`${name}.svg`, "image/svg+xml", svg(holder.querySelector("svg"))));
    holder.append(made);
  }
  for (const holder of document.querySelectorAll("[data-file]:not([hidden])")) downloads(holder);

  return { bar, byId, cut, data, downloads, draw, element, fill, hits, keys, shape, shown, state };
})();
