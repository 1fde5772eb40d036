"use strict";
// What the scripts of all pages share. Text from the data goes into the page as text, never as markup.
const adjudge = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  document.documentElement.classList.remove("still");

  // An element with attributes (functions are listeners, false leaves one out) and children (texts or elements).
  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (typeof value === "function") made.addEventListener(key, value);
      else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }

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
        if (from > begin) parent.append(text.slice(begin, from));
        const start = Math.max(begin, from);
        const stop = Math.min(end, to);
        if (start < stop) parent.append(element("span", { class: "hit" }, text.slice(start, stop)));
        begin = Math.max(begin, stop);
        if (to > end) break;
        next += 1;
      }
      if (begin < end) parent.append(text.slice(begin, end));
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
    const made = element("span", { class: "bar", "aria-hidden": "true" });
    for (const [key, number] of shares) {
      if (!number) continue;
      const share = element("i", { class: `k-${key}` });
      share.style.flexGrow = number;
      made.append(share);
    }
    return made;
  }

  return { bar, data, draw, element, hits, keys, state };
})();
