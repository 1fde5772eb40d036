// The page of event nuggets. A document is drawn when somebody looks at it.
(() => {
  const { browse, byId, cut, data, draw, element, fill, hits, state } = adjudge;
  const { documents, systems, types, realis, kinds, changes } = data;
  const CORRECT = kinds.findIndex((kind) => kind.key === "correct");
  const view = {
    document: 0, system: 0, kinds: new Set(kinds.keys()), type: -1, realis: -1, query: "", order: "file", pinned: null,
  };
  let marks = { gold: new Map(), system: new Map() }; // nugget -> its elements
  let items = []; // what j and k go through

  // A nugget is [id, type, realis, text, cluster]; an outcome is [kind, partner, dice].
  const sideOf = (doc, side) => (side === "gold" ? doc.gold : doc.systems[view.system]);
  const outcomeOf = (doc, side, index) => doc.systems[view.system][side === "gold" ? "gold" : "own"][index];

  // Every gold nugget with its partner, and the system nuggets that have none.
  function rows(doc) {
    const mine = doc.systems[view.system];
    const found = mine.gold.map(([kind, partner, dice], index) => ({ kind, gold: index, system: partner, dice }));
    mine.own.forEach(([kind, partner], index) => {
      if (partner < 0) found.push({ kind, gold: -1, system: index, dice: 0 });
    });
    return found;
  }

  const wanted = (doc, row) => view.kinds.has(row.kind) && suits(doc, row);

  // Whether one of the two nuggets has the type and one has the realis that are looked for.
  function suits(doc, row) {
    const pair = [];
    if (row.gold >= 0) pair.push(doc.gold.nuggets[row.gold]);
    if (row.system >= 0) pair.push(doc.systems[view.system].nuggets[row.system]);
    return (view.type < 0 || pair.some((nugget) => nugget[1] === view.type))
      && (view.realis < 0 || pair.some((nugget) => nugget[2] === view.realis));
  }

  const filtered = () => view.kinds.size < kinds.length || view.type >= 0 || view.realis >= 0;

  function matches(doc) {
    if (!view.query) return true;
    const own = sideOf(doc, "system").nuggets;
    return hits(doc.id, view.query).length > 0
      || (doc.text === null
        ? [...doc.gold.nuggets, ...own].some((nugget) => hits(nugget[3], view.query).length > 0)
        : hits(doc.text, view.query).length > 0);
  }

  // The list of documents, and the numbers of the legend.
  function list() {
    const totals = kinds.map(() => 0);
    const entries = [];
    documents.forEach((doc, number) => {
      if (!matches(doc)) return;
      const counts = kinds.map(() => 0);
      let some = false;
      for (const row of rows(doc)) {
        if (!suits(doc, row)) continue;
        totals[row.kind] += 1;
        if (view.kinds.has(row.kind)) {
          counts[row.kind] += 1;
          some = true;
        }
      }
      const errors = counts.reduce((sum, count, kind) => (kind === CORRECT ? sum : sum + count), 0);
      if (some || !filtered()) entries.push({ number, title: doc.id, said: String(errors), note: `${errors} errors`, counts, errors });
    });
    if (view.order === "errors") entries.sort((a, b) => b.errors - a.errors || a.number - b.number);
    return { entries, totals, of: documents.length };
  }

  // One side of a document as a text with marks, or as a table where there is no text.
  function drawSide(doc, side, chosen) {
    const mine = sideOf(doc, side);
    const { nuggets } = mine;
    const name = side === "gold" ? "Gold" : systems[view.system];
    const head = element("h4", {}, element("b", { dir: "auto" }, cut(name)), `${nuggets.length} nugget${nuggets.length === 1 ? "" : "s"}`);
    const section = element("section", { class: "sheet side", "aria-label": name }, head);
    if (side === "system" && mine.absent) section.append(element("p", { class: "remark" }, "The system has no such document."));
    const make = (index, depth, first) => {
      const [, type, real] = nuggets[index];
      const [kind] = outcomeOf(doc, side, index);
      const drawn = marks[side].get(index);
      const classes = ["n", `d${Math.min(depth, 3)}`, `k-${kinds[kind].key}`];
      if (!chosen[side].has(index)) classes.push("off");
      if (first && drawn) classes.push("later");
      const made = element("mark", {
        class: classes.join(" "),
        "data-side": side,
        "data-index": index,
        "data-label": `${types[type]} ${realis[real]}`,
        title: said(doc, side, index),
        tabindex: drawn ? false : 0,
        role: drawn ? false : "button",
        "aria-label": drawn ? false : said(doc, side, index),
      });
      if (drawn) drawn.push(made);
      else marks[side].set(index, [made]);
      return made;
    };
    if (doc.text !== null) {
      const text = element("div", { class: "text", dir: "auto" });
      draw(text, doc.text, mine.marks, hits(doc.text, view.query), make);
      for (const drawn of marks[side].values()) drawn[drawn.length - 1].classList.add("last");
      section.append(text);
    }
    const unplaced = [...nuggets.keys()].filter((index) => !marks[side].has(index));
    if (unplaced.length) {
      if (doc.text !== null) section.append(element("p", { class: "remark" }, "Not in this text:"));
      section.append(element("table", {}, element("tbody", {}, ...unplaced.map((index) => {
        const [id, type, real, text] = nuggets[index];
        const made = make(index, 0, true);
        made.append(named([id, type, real, text]));
        return element("tr", {}, element("td", { dir: "auto" }, made), element("td", {}, cut(types[type])), element("td", {}, cut(realis[real])));
      }))));
    }
    return section;
  }

  // What a nugget is called.
  const named = ([id, , , text]) => cut(text || id);

  // A nugget in one sentence.
  function said(doc, side, index) {
    const [, type, real] = sideOf(doc, side).nuggets[index];
    const [kind, partner, dice] = outcomeOf(doc, side, index);
    let sentence = `${named(sideOf(doc, side).nuggets[index])}: ${types[type]}, ${realis[real]} – ${kinds[kind].label}`;
    if (partner >= 0) {
      const [, otherType, otherReal] = sideOf(doc, side === "gold" ? "system" : "gold").nuggets[partner];
      const theirs = [];
      if (otherType !== type) theirs.push(types[otherType]);
      if (otherReal !== real) theirs.push(realis[otherReal]);
      if (theirs.length) sentence += ` (${side === "gold" ? "system" : "gold"}: ${theirs.join(", ")})`;
      if (dice < 1) sentence += `, Dice ${dice.toFixed(2)}`;
    }
    return sentence;
  }

  function nuggetTable(doc, found) {
    const cell = (text, differs, quiet) => element("td", { class: differs ? "differs" : quiet ? "quiet" : false, dir: "auto" }, text);
    const line = (row) => {
      const gold = row.gold < 0 ? null : doc.gold.nuggets[row.gold];
      const own = row.system < 0 ? null : sideOf(doc, "system").nuggets[row.system];
      const columns = (nugget, other) => (nugget === null
        ? [cell("–", false, true), cell("", false), cell("", false)]
        : [cell(named(nugget), other && row.dice < 1), cell(cut(types[nugget[1]]), other && nugget[1] !== other[1]), cell(cut(realis[nugget[2]]), other && nugget[2] !== other[2])]);
      return element(
        "tr",
        { "data-gold": row.gold, "data-system": row.system, click: () => pin(row.gold >= 0 ? { side: "gold", index: row.gold } : { side: "system", index: row.system }) },
        element("td", {}, element("span", { class: `n d0 k-${kinds[row.kind].key}` }, kinds[row.kind].label)),
        ...columns(gold, own),
        ...columns(own, gold),
        element("td", { class: "number" }, row.system >= 0 && row.gold >= 0 ? row.dice.toFixed(2) : ""),
      );
    };
    const heads = ["outcome", "gold", "type", "realis", systems[view.system], "type", "realis"];
    return element(
      "details", { class: "more", open: "" },
      element("summary", {}, "Nuggets ", element("small", {}, String(found.length))),
      element("div", { class: "wide" }, element(
        "table", { class: "pairs" },
        element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)), element("th", { scope: "col", class: "number" }, "Dice"))),
        element("tbody", {}, ...found.map(line)),
      )),
    );
  }

  const mention = (doc, side, index) => element("span", {
    class: `n d0 k-${kinds[outcomeOf(doc, side, index)[0]].key}`, "data-side": side, "data-index": index, title: said(doc, side, index), tabindex: 0, role: "button", dir: "auto",
  }, named(sideOf(doc, side).nuggets[index]));

  function members(nuggets) {
    const found = [];
    nuggets.forEach((nugget, index) => (found[nugget[4]] = found[nugget[4]] || []).push(index));
    return found;
  }

  function clusterList(doc) {
    const own = sideOf(doc, "system");
    const clusters = { gold: members(doc.gold.nuggets), system: members(own.nuggets) };
    const worth = own.groups.filter(([, ours, theirs]) => ours.some((each) => clusters.gold[each].length > 1) || theirs.some((each) => clusters.system[each].length > 1));
    if (!worth.length) return null;
    const column = (side, numbers) => element("div", {}, ...numbers.map((number) => element("div", { class: "cluster" }, ...clusters[side][number].map((index) => mention(doc, side, index)))));
    return element(
      "details", { class: "more", open: "" },
      element("summary", {}, "Clusters ", element("small", {}, `of more than one mention on either side: ${worth.length}`)),
      element("ul", { class: "groups" }, ...worth.map(([change, ours, theirs]) => element(
        "li", {},
        element("div", { class: "change" }, element("b", {}, changes[change].label), `: ${ours.length} in gold, ${theirs.length} in ${systems[view.system]}`),
        element("div", { class: "sides" }, column("gold", ours), column("system", theirs)),
      ))),
    );
  }

  function linkList(doc) {
    const own = sideOf(doc, "system");
    if (!doc.gold.links.length && !own.links.length) return null;
    const column = (side, links) => element("ul", { class: "links" }, ...links.map(([name, ...ends]) => element(
      "li", {}, element("span", { class: "quiet" }, `${name}: `), ...ends.flatMap((index, place) => (place ? [" → ", mention(doc, side, index)] : [mention(doc, side, index)])),
    )));
    return element(
      "details", { class: "more" },
      element("summary", {}, "Links ", element("small", {}, `${doc.gold.links.length} in gold, ${own.links.length} in ${systems[view.system]}`)),
      element("div", { class: "sides" }, column("gold", doc.gold.links), column("system", own.links)),
    );
  }

  // The document that is looked at.
  function show() {
    marks = { gold: new Map(), system: new Map() };
    items = [];
    const target = byId("document");
    if (!around.shown().length) {
      target.replaceChildren(around.nothing(documents.length));
      return;
    }
    const doc = documents[view.document];
    const found = rows(doc).filter((row) => wanted(doc, row));
    const chosen = { gold: new Set(found.map((row) => row.gold)), system: new Set(found.map((row) => row.system)) };
    const parts = [
      around.header(doc.id),
      element("div", { class: "sides" }, drawSide(doc, "gold", chosen), drawSide(doc, "system", chosen)),
      element("aside", { class: "about", id: "about", hidden: "" }),
      clusterList(doc),
      linkList(doc),
      nuggetTable(doc, found),
    ];
    target.replaceChildren(...parts.filter(Boolean));
    const order = (row) => {
      const made = row.gold >= 0 ? marks.gold.get(row.gold) : marks.system.get(row.system);
      return made ? made[0] : null;
    };
    const places = new Map();
    for (const side of ["gold", "system"]) {
      sideOf(doc, side).marks.forEach(([begin, , ...these]) => these.forEach((index) => {
        const key = `${side} ${index}`;
        if (!places.has(key)) places.set(key, begin);
      }));
    }
    const placeOf = (row) => places.get(row.gold >= 0 ? `gold ${row.gold}` : `system ${row.system}`) ?? Infinity;
    items = found.filter(order).sort((a, b) => (placeOf(a) === placeOf(b) ? 0 : placeOf(a) - placeOf(b)));
    light(view.pinned);
    about();
    remember();
  }

  // Light up a nugget, its partner, and the clusters of both.
  function light(here) {
    for (const made of byId("document").querySelectorAll(".here, .mate, .partner")) made.classList.remove("here", "mate", "partner");
    if (!here) return;
    const doc = documents[view.document];
    const paint = (side, index, name) => {
      for (const made of byId("document").querySelectorAll(`[data-side="${side}"][data-index="${index}"]`)) made.classList.add(name);
    };
    const other = here.side === "gold" ? "system" : "gold";
    const partner = outcomeOf(doc, here.side, here.index)[1];
    const family = (side, index) => {
      const { nuggets } = sideOf(doc, side);
      nuggets.forEach((nugget, number) => {
        if (number !== index && nugget[4] === nuggets[index][4]) paint(side, number, "mate");
      });
    };
    family(here.side, here.index);
    paint(here.side, here.index, "here");
    if (partner >= 0) {
      family(other, partner);
      paint(other, partner, "partner");
    }
    for (const row of byId("document").querySelectorAll(`tr[data-${here.side}="${here.index}"]`)) row.classList.add("here");
  }

  // What is known of the nugget that is pinned.
  function about() {
    const target = byId("about");
    if (!target) return;
    target.hidden = !view.pinned;
    if (!view.pinned) return;
    const doc = documents[view.document];
    const { side, index } = view.pinned;
    const [kind, partner, dice] = outcomeOf(doc, side, index);
    const pair = side === "gold" ? { gold: index, system: partner } : { gold: partner, system: index };
    const both = partner >= 0;
    const fields = (which) => {
      const title = which === "gold" ? "Gold" : systems[view.system];
      if (pair[which] < 0) return element("dl", {}, element("dt", {}, title), element("dd", { class: "quiet" }, "nothing here"));
      const { nuggets } = sideOf(doc, which);
      const [id, type, real, text, cluster] = nuggets[pair[which]];
      const other = both ? sideOf(doc, which === "gold" ? "system" : "gold").nuggets[pair[which === "gold" ? "system" : "gold"]] : null;
      const mates = [...nuggets.keys()].filter((each) => nuggets[each][4] === cluster && each !== pair[which]);
      return element(
        "dl", {},
        element("dt", {}, title), element("dd", { dir: "auto" }, cut(text || "–", 400), " ", element("small", { class: "quiet" }, cut(id))),
        element("dt", {}, "type"), element("dd", { class: other && other[1] !== type ? "differs" : false }, cut(types[type])),
        element("dt", {}, "realis"), element("dd", { class: other && other[2] !== real ? "differs" : false }, cut(realis[real])),
        element("dt", {}, "cluster"), element("dd", {}, mates.length ? cut(`with ${mates.map((each) => named(nuggets[each])).join(", ")}`, 800) : "alone"),
      );
    };
    target.replaceChildren(
      element("button", { type: "button", class: "close", title: "Let go (Escape)", click: () => pin(null) }, "×"),
      element("div", { class: "pair" }, fields("gold"), fields("system")),
      element("p", {}, element("span", { class: `n d0 k-${kinds[kind].key}` }, kinds[kind].label), both ? ` Dice ${dice.toFixed(2)}` : ""),
    );
  }

  function pin(here) {
    view.pinned = here === null || (view.pinned && view.pinned.side === here.side && view.pinned.index === here.index) ? null : here;
    light(view.pinned);
    about();
  }

  function move(by) {
    const at = items.findIndex((row) => view.pinned && view.pinned.index === (view.pinned.side === "gold" ? row.gold : row.system));
    const next = around.after(items, at, by);
    if (!next) return;
    const side = next.gold >= 0 ? "gold" : "system";
    view.pinned = { side, index: next[side] };
    light(view.pinned);
    about();
    const [made] = marks[side].get(view.pinned.index);
    made.focus({ preventScroll: true });
    made.scrollIntoView({ block: "center" });
  }

  function chooseSystem(number) {
    view.system = number;
    byId("system").value = number;
    around.refresh();
  }

  function toggleLabels() {
    around.press("labels", byId("document").classList.toggle("labelled"));
  }

  function remember() {
    if (documents.length) state.write({ doc: documents[view.document].id, system: systems[view.system] });
  }

  function recall() {
    const wish = state.read();
    const number = documents.findIndex((doc) => doc.id === wish.doc);
    const system = systems.indexOf(wish.system);
    if (system >= 0) view.system = system;
    if (number >= 0) view.document = number;
    byId("system").value = view.system;
  }

  // Putting it together.
  const around = browse({
    view, list, show, recall, kinds: () => kinds, chosen: () => view.kinds, choose: (chosen) => (view.kinds = chosen), isError: (kind) => kind !== CORRECT,
  });
  fill("system", systems);
  fill("type", types, "all");
  fill("realis", realis, "all");
  byId("system").addEventListener("change", (event) => chooseSystem(Number(event.target.value)));
  for (const name of ["type", "realis"]) around.field(name, (value) => (view[name] = Number(value)));
  byId("labels").addEventListener("click", toggleLabels);
  around.items(String, pin, light);
  if (systems.length) {
    around.start({
      word: "nugget", move, release: () => pin(null), system: () => chooseSystem((view.system + 1) % systems.length), more: { t: ["types in the text", toggleLabels] },
    });
  }
})();
