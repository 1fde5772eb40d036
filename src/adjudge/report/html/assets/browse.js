// The list of documents with its filters, and going around in it: for pages that show documents.
//
// `page` says what is special: `view` (what is looked at), `kinds()` (outcomes), `chosen()` and `choose(kinds)`,
// `isError(kind)`, `list()` (what the list shows), `show()` (draws the document), `recall()` (from the address),
// and perhaps `legend()` (where the outcomes stand).
adjudge.browse = (page) => {
  const { bar, byId, cut, element, keys } = adjudge;
  const { view } = page;
  const LISTED = 300; // documents in the list before somebody wants all of them
  let shown = [];
  let all = false;
  const kindOf = (input) => page.kinds().findIndex((kind) => kind.key === input.value);
  const inputs = () => document.querySelectorAll(`#${page.legend ? page.legend() : "legend"} input`);

  // An entry is { number, title, said, note, counts }; those of `before` are no documents.
  function list() {
    const { before = [], entries, totals, of } = page.list();
    shown = [...before, ...entries].map(({ number }) => number);
    const some = all ? entries : entries.slice(0, LISTED);
    byId("all").hidden = some.length === entries.length;
    byId("list").replaceChildren(...[...before, ...some].map(({ number, title, said, note, counts }) => element("li", {}, element(
      "button",
      { type: "button", "data-number": number, "aria-current": String(number === view.document), title, click: () => open(number) },
      element("span", { class: "title", dir: "auto" }, cut(title)),
      said === undefined ? null : element("span", { class: "errors", title: note }, said),
      counts ? bar(counts.map((count, kind) => [page.kinds()[kind].key, count])) : null,
    ))));
    byId("found").textContent = entries.length < of ? `${entries.length} of ${of}` : "";
    for (const input of inputs()) input.parentElement.querySelector(".count").textContent = totals[kindOf(input)];
  }

  // Scroll the list, and not the page.
  function reveal(button) {
    const around = byId("list").parentElement;
    const [outer, inner] = [around.getBoundingClientRect(), button.getBoundingClientRect()];
    if (inner.top < outer.top) around.scrollTop -= outer.top - inner.top;
    else if (inner.bottom > outer.bottom) around.scrollTop += inner.bottom - outer.bottom;
  }

  function open(number) {
    view.document = number;
    view.pinned = null;
    for (const button of byId("list").querySelectorAll("button")) {
      const current = Number(button.dataset.number) === number;
      button.setAttribute("aria-current", String(current));
      if (current) reveal(button);
    }
    page.show();
  }

  function step(by) {
    if (shown.length) open(shown[(shown.indexOf(view.document) + by + shown.length) % shown.length]);
  }

  function refresh() {
    press("errors", [...page.kinds().keys()].every((kind) => page.chosen().has(kind) === page.isError(kind)));
    list();
    if (shown.includes(view.document) || !shown.length) open(view.document);
    else open(shown.find((number) => number >= 0) ?? shown[0]);
  }

  function press(id, on) {
    byId(id).setAttribute("aria-pressed", String(on));
  }

  function choose(kinds) {
    page.choose(kinds);
    for (const input of inputs()) input.checked = kinds.has(kindOf(input));
    refresh();
  }

  function errorsOnly() {
    const on = byId("errors").getAttribute("aria-pressed") !== "true";
    choose(new Set([...page.kinds().keys()].filter((kind) => !on || page.isError(kind))));
  }

  // The next of some things, or the one before: `at` is the place of the one that is chosen, -1 if there is none.
  function after(things, at, by) {
    return things[at < 0 ? (by > 0 ? 0 : things.length - 1) : at + by];
  }

  const header = (title) => element(
    "header", {},
    element("h3", { dir: "auto" }, cut(title, 320)),
    element("button", { type: "button", click: () => step(-1), title: "Previous document (p)" }, "← previous"),
    element("button", { type: "button", click: () => step(1), title: "Next document (n)" }, "next →"),
  );

  const nothing = (some) => element("p", { class: "remark" }, some ? "Nothing fits these filters." : "There are no documents.");

  // A control that changes what is looked at.
  function field(id, take) {
    byId(id).addEventListener("change", (event) => {
      take(event.target.value);
      refresh();
    });
  }

  // Items in a document: parts with a side and an index light up, and one of them can be held.
  function items(side, pin, light) {
    const target = byId("document");
    const at = (event) => {
      const made = event.target.closest("[data-side]");
      return made ? { side: side(made.dataset.side), index: Number(made.dataset.index) } : null;
    };
    const on = (name, act) => target.addEventListener(name, (event) => {
      const here = at(event);
      if (here) act(here, event);
    });
    on("click", pin);
    on("keydown", (here, event) => {
      if (event.target.tagName === "BUTTON" || (event.key !== "Enter" && event.key !== " ")) return;
      event.preventDefault();
      pin(here);
    });
    on("mouseover", light);
    on("mouseout", () => light(view.pinned));
  }

  // Everything that all pages have; `more` are keys of one page, `word` is what it calls an item.
  function start({ word, move, release, system, more = {} }) {
    for (const input of document.querySelectorAll(".legend input")) input.disabled = false;
    for (const legend of document.querySelectorAll(".legend")) {
      legend.addEventListener("change", () => choose(new Set([...inputs()].filter((input) => input.checked).map(kindOf))));
    }
    byId("errors").addEventListener("click", errorsOnly);
    byId("order").addEventListener("change", (event) => {
      view.order = event.target.value;
      list();
      const first = shown.find((number) => number >= 0);
      if (view.document >= 0 && first !== undefined) open(first);
    });
    byId("all").addEventListener("click", () => {
      all = true;
      list();
    });
    let waiting = 0;
    byId("search").addEventListener("input", (event) => {
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        view.query = event.target.value.trim();
        refresh();
        const first = byId("document").querySelector(".hit");
        if (first) first.scrollIntoView({ block: "nearest" });
      }, 150);
    });
    const help = keys({
      n: ["next document", () => step(1)],
      p: ["previous document", () => step(-1)],
      j: [`next ${word}`, () => move(1)],
      k: [`previous ${word}`, () => move(-1)],
      ...(system ? { s: ["next system", system] } : {}),
      e: ["errors only, or everything", errorsOnly],
      ...more,
      "/": ["search", () => byId("search").focus()],
      Escape: [`let go of the ${word}, leave the search`, () => {
        if (document.activeElement) document.activeElement.blur();
        release();
      }],
      "?": ["this list", () => help()],
    });
    byId("help").addEventListener("click", () => help());
    const wanted = () => {
      page.recall();
      refresh();
    };
    // Links inside of the page to other parts of it say nothing about documents.
    window.addEventListener("hashchange", () => location.hash.includes("=") && wanted());
    byId("tools").hidden = false;
    byId("panes").hidden = false;
    wanted();
  }

  return { after, choose, errorsOnly, field, header, items, list, nothing, open, press, refresh, shown: () => shown, start, step };
};

// Stretches of a text in which no mark begins or ends: [begin, end, mark, ...], outermost first. A place is
// { mark, pieces: [[begin, end], ...] }; `compare` says which of two places is the outer one, by default the one that
// begins earlier, then the one that ends later.
adjudge.stretches = (text, places, compare = (a, b) => a.begin - b.begin || b.end - a.end || a.at - b.at) => {
  const STRETCH = 2000; // browsers are slow to outline an element of thousands of lines
  const ends = new Map();
  const note = (at, what, place) => {
    if (!ends.has(at)) ends.set(at, { opened: [], closed: [] });
    ends.get(at)[what].push(place);
  };
  places.forEach(({ mark, pieces }, at) => {
    if (!pieces.length) return;
    const place = { mark, at, begin: Infinity, end: 0, open: 0 };
    for (const [begin, end] of pieces) {
      place.begin = Math.min(place.begin, begin);
      place.end = Math.max(place.end, end);
      note(begin, "opened", place);
      note(end, "closed", place);
    }
  });
  const found = [];
  const active = new Set();
  let before = 0;
  for (const at of [...ends.keys()].sort((a, b) => a - b)) {
    const marks = [...active].sort(compare).map(({ mark }) => mark);
    for (let from = before, to; active.size && from < at; from = to) {
      to = Math.min(from + STRETCH, at);
      if (to < at && (text.charCodeAt(to) & 0xfc00) === 0xdc00) to += 1; // not in the middle of a letter
      found.push([from, to, ...marks]);
    }
    // Pieces of one mark may overlap each other.
    for (const place of ends.get(at).closed) {
      place.open -= 1;
      if (!place.open) active.delete(place);
    }
    for (const place of ends.get(at).opened) {
      place.open += 1;
      active.add(place);
    }
    before = at;
  }
  return found;
};

// From offsets that count characters to those of the browser, which count letters beyond U+FFFF twice; `wide` are the
// numbers of those.
adjudge.inUnits = (wide) => (place) => {
  let low = 0;
  let high = wide.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (wide[middle] < place) low = middle + 1;
    else high = middle;
  }
  return place + low;
};
