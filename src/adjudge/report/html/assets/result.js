// The page of any result: its documents. A document is drawn when somebody looks at it.
(() => {
  const { browse, byId, cut, data, draw, element, fill, hits, inUnits, state, stretches } = adjudge;
  const { systems, ids, scores, values, levels, metrics, counts, unit, kinds, types } = data;
  if (!byId("panes")) return;
  const [CORRECT, PARTIAL, TYPE, MISSED, SPURIOUS] = kinds.keys();
  const FIELDS = ["type", "role", "label", "slot"];
  const LONG = 160; // letters of an item in a table or a title
  // What can be looked at: a metric with its score of every document, its items, or both.
  const choices = scores.map((name, score) => ({ name, score, metric: metrics.findIndex((one) => name.startsWith(`${one} `)) }));
  metrics.forEach((name, metric) => {
    if (!choices.some((one) => one.metric === metric)) choices.push({ name, score: -1, metric });
  });
  // Every document is a line; it is read when somebody looks at it.
  const lines = byId("documents").textContent.split("\n");
  const read = new Map();
  function documentAt(number) {
    if (!lines[number]) return undefined;
    if (!read.has(number)) {
      const doc = JSON.parse(lines[number]);
      // A system item with the value of a gold item has -1 - n instead of its level.
      for (const own of doc.systems) {
        for (const item of own ? own[0] : []) {
          if (item[0] < 0) {
            const [level, , value] = doc.gold[-1 - item[0]];
            item[0] = level;
            item.push(value);
          }
        }
      }
      read.set(number, doc);
    }
    return read.get(number);
  }
  const view = { document: 0, choice: 0, system: 0, beside: -1, kinds: new Set(kinds.keys()), type: -1, query: "", order: "file", pinned: null };
  let marks = {};
  let items = [];

  // Items are [level, places, value]; an inner one without a value is found in the value of the outermost one.
  const known = new WeakMap();
  const paths = levels.map((level) => {
    const end = level.indexOf("[*]") + 3;
    return { root: level.slice(0, end), steps: level.slice(end).match(/\.[^.[\]|]+|\[\*\]|[^]/g) || [] };
  });
  function valuesOf(list) {
    if (known.has(list)) return known.get(list);
    const roots = new Map();
    for (const [level, places, value] of list) if (places.length === 1) roots.set(`${levels[level]} ${places[0]}`, value);
    const found = list.map(([level, places, value]) => {
      if (value !== undefined || places.length < 2) return value;
      let at = 1;
      return paths[level].steps.reduce((inner, step) => {
        if (inner === null || typeof inner !== "object") return undefined;
        return step === "[*]" ? inner[places[at++]] : Object.hasOwn(inner, step.slice(1)) ? inner[step.slice(1)] : undefined;
      }, roots.get(`${paths[level].root} ${places[0]}`));
    });
    known.set(list, found);
    return found;
  }

  const isRecord = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  const isSpan = (value) => isRecord(value) && Number.isInteger(value.start) && Number.isInteger(value.end) && value.start >= 0 && value.start <= value.end;
  const typeOf = (value) => {
    const name = isRecord(value) ? FIELDS.find((field) => typeof value[field] === "string") : undefined;
    return name === undefined ? null : value[name];
  };
  function spansOf(value) {
    if (!isRecord(value)) return [];
    const found = isSpan(value) ? [[value.start, value.end]] : [];
    for (const inner of Object.values(value)) {
      for (const each of Array.isArray(inner) ? inner : [inner]) {
        if (isSpan(each) && Object.keys(each).length === 2) found.push([each.start, each.end]);
      }
    }
    return found;
  }

  // The text of a document as it is shown, and a function from the ends of spans to places in it.
  const laid = new WeakMap();
  function layout(doc) {
    if (laid.has(doc)) return laid.get(doc);
    let found = { text: null, at: () => null };
    if (unit === "tokens" && doc.tokens) {
      const starts = [];
      let size = 0;
      for (const token of doc.tokens) {
        starts.push(size);
        size += token.length + 1;
      }
      const text = doc.tokens.join(" ");
      found = { text, at: (start, end) => (start < end && end <= starts.length ? [starts[start], starts[end - 1] + doc.tokens[end - 1].length] : null) };
    } else if (doc.text !== undefined) {
      const { text } = doc;
      const wide = [];
      if (/[\ud800-\udbff][\udc00-\udfff]/.test(text)) {
        let count = 0;
        for (const letter of text) {
          if (letter.length > 1) wide.push(count);
          count += 1;
        }
      }
      const shift = inUnits(wide);
      found = { text, at: (start, end) => (unit === "characters" && start < end && shift(end) <= text.length ? [shift(start), shift(end)] : null) };
    } else if (doc.tokens) found.text = doc.tokens.join(" ");
    laid.set(doc, found);
    return found;
  }

  function written(value) {
    if (value === null || value === undefined) return "–";
    if (Array.isArray(value)) return value.map(written).join(", ");
    if (isRecord(value)) return Object.entries(value).filter(([, each]) => each !== null).map(([name, each]) => `${name} ${written(each)}`).join(", ");
    return String(value);
  }
  function quoted(doc, value) {
    const { text, at } = layout(doc);
    const pieces = text === null ? [] : spansOf(value).map(([start, end]) => at(start, end)).filter(Boolean);
    return cut(pieces.length ? pieces.map(([begin, end]) => text.slice(begin, Math.min(end, begin + LONG))).join(" … ") : written(value));
  }

  // One document with one system: every item of the metric, alone or with its counterpart.
  const listOf = (doc, side) => (side < 0 ? doc.gold : doc.systems[side] ? doc.systems[side][0] : []);
  function rows(number, system) {
    const doc = documentAt(number);
    const own = doc && doc.systems[system];
    const outcome = own ? own[1].find((each) => each[0] === choices[view.choice].metric) : null;
    if (!outcome) return [];
    const [, gold, theirs, points, missed, spurious, nearGold, nearTheirs] = outcome;
    const found = gold.map((one, place) => ({ kind: points.length && points[place] < 1 ? PARTIAL : CORRECT, gold: one, system: theirs[place], score: points.length ? points[place] : 1 }));
    nearGold.forEach((one, place) => found.push({ kind: TYPE, gold: one, system: nearTheirs[place], score: 0 }));
    const [near, beyond] = [new Set(nearGold), new Set(nearTheirs)];
    for (const one of missed) if (!near.has(one)) found.push({ kind: MISSED, gold: one, system: -1, score: 0 });
    for (const one of spurious) if (!beyond.has(one)) found.push({ kind: SPURIOUS, gold: -1, system: one, score: 0 });
    return found;
  }

  function suits(number, row, system) {
    if (view.type < 0) return true;
    const wanted = types[view.type];
    const doc = documentAt(number);
    return (row.gold >= 0 && typeOf(valuesOf(doc.gold)[row.gold]) === wanted) || (row.system >= 0 && typeOf(valuesOf(listOf(doc, system))[row.system]) === wanted);
  }
  const filtered = () => view.kinds.size < kinds.length || view.type >= 0;

  const heaps = new Map();
  function matches(number) {
    if (!view.query) return true;
    if (!heaps.has(number)) {
      const doc = documentAt(number);
      const lists = doc ? [doc.gold, ...doc.systems.map((own) => (own ? own[0] : []))] : [];
      const said = lists.flatMap((list) => list.filter((item) => item[2] !== undefined).map((item) => written(item[2])));
      heaps.set(number, [ids[number], (doc && layout(doc).text) || "", ...said].join("\n").toLowerCase());
    }
    return heaps.get(number).includes(view.query.toLowerCase());
  }

  // How many items of each outcome a document has; those of one type are counted in the document itself.
  function tally(number, system) {
    const { metric } = choices[view.choice];
    const found = kinds.map(() => 0);
    if (metric < 0) return found;
    if (view.type < 0) return counts[metric][system].slice(kinds.length * number, kinds.length * (number + 1));
    for (const row of rows(number, system)) if (suits(number, row, system)) found[row.kind] += 1;
    return found;
  }
  const errorsIn = (found) => found.reduce((sum, count, kind) => (kind === CORRECT ? sum : sum + count), 0);

  const scoreOf = (number, system) => {
    const { score } = choices[view.choice];
    return score < 0 ? null : values[score][system][number];
  };
  const percent = (value) => (value === null || value === undefined ? "n/a" : (100 * value).toFixed(1));
  // How far two systems, or all of them, are apart on a document.
  function apart(entry) {
    const chosen = view.beside >= 0 ? [view.system, view.beside] : [...systems.keys()];
    let known = chosen.map((system) => scoreOf(entry.number, system)).filter((value) => value !== null);
    if (choices[view.choice].score < 0) known = chosen.map((system) => errorsIn(tally(entry.number, system)));
    return known.length > 1 ? Math.max(...known) - Math.min(...known) : -1;
  }

  function list() {
    const totals = kinds.map(() => 0);
    const found = [];
    ids.forEach((_, number) => {
      if (!matches(number)) return;
      const all = tally(number, view.system);
      const wanted = all.map((count, kind) => (view.kinds.has(kind) ? count : 0));
      all.forEach((count, kind) => (totals[kind] += count));
      if (!filtered() || wanted.some(Boolean)) found.push({ number, wanted, errors: errorsIn(wanted) });
    });
    const order = {
      errors: (a, b) => b.errors - a.errors,
      score: (a, b) => (scoreOf(a.number, view.system) ?? 2) - (scoreOf(b.number, view.system) ?? 2),
      differ: (a, b) => b.apart - a.apart,
    }[view.order];
    if (view.order === "differ") for (const entry of found) entry.apart = apart(entry);
    if (order) found.sort((a, b) => order(a, b) || a.number - b.number);
    const entries = found.map(({ number, wanted, errors }) => {
      const score = scoreOf(number, view.system);
      const other = view.beside >= 0 ? scoreOf(number, view.beside) : null;
      const said = score === null ? `${errors} errors` : percent(score) + (other === null ? "" : ` / ${percent(other)}`);
      return { number, title: ids[number], said, counts: metrics.length ? wanted : null };
    });
    return { entries, totals, of: ids.length };
  }

  const nameOf = (side) => (side < 0 ? "Gold" : systems[side]);
  // What became of every item of a side: Map from its number to [kind, counterpart, score].
  function fates(found, side) {
    const all = new Map();
    for (const row of found) {
      const [own, other] = side < 0 ? [row.gold, row.system] : [row.system, row.gold];
      if (own >= 0 && !all.has(own)) all.set(own, [row.kind, other, row.score]);
    }
    return all;
  }

  function said(doc, side, index, fate) {
    const value = valuesOf(listOf(doc, side))[index];
    const type = typeOf(value);
    return cut(`${type === null ? "" : `${type}: `}${quoted(doc, value)} – ${kinds[fate[0]].label}`, 2 * LONG);
  }

  function drawSide(number, side, found, chosen) {
    const doc = documentAt(number);
    const all = fates(found, side);
    const list = listOf(doc, side);
    const { text, at } = layout(doc);
    const every = valuesOf(list);
    const head = element("h4", {}, element("b", {}, nameOf(side)), ` ${all.size} item${all.size === 1 ? "" : "s"}`);
    const section = element("section", { class: "sheet side", "aria-label": nameOf(side) }, head);
    if (side >= 0 && doc.systems[side] && doc.systems[side][2]) section.append(element("p", { class: "remark" }, "The system has no such document."));
    marks[side] = new Map();
    const make = (index, depth) => {
      const fate = all.get(index);
      const drawn = marks[side].get(index);
      const made = element("mark", {
        class: `n d${Math.min(depth, 3)} k-${kinds[fate[0]].key}${chosen.has(index) ? "" : " off"}`,
        "data-side": side,
        "data-index": index,
        title: said(doc, side, index, fate),
        tabindex: drawn ? false : 0,
        role: drawn ? false : "button",
        "aria-label": drawn ? false : said(doc, side, index, fate),
      });
      if (drawn) drawn.push(made);
      else marks[side].set(index, [made]);
      return made;
    };
    if (text !== null) {
      const places = [...all.keys()].map((mark) => ({ mark, pieces: spansOf(every[mark]).map(([start, end]) => at(start, end)).filter(Boolean) }));
      const target = element("div", { class: "text", dir: "auto" });
      draw(target, text, stretches(text, places), hits(text, view.query), make);
      section.append(target);
    }
    const unplaced = [...all.keys()].filter((index) => !marks[side].has(index) && (text === null || list[index][1].length === 1));
    if (unplaced.length) {
      if (text !== null) section.append(element("p", { class: "remark" }, "Not marked in the text:"));
      section.append(element("ul", { class: "loose" }, ...unplaced.map((index) => {
        const made = make(index, 0);
        const type = typeOf(every[index]);
        made.dir = "auto";
        made.append(quoted(doc, every[index]));
        return element("li", { class: `in${Math.min(list[index][1].length, 4)}`, dir: "auto" }, made, type === null ? null : " ", type === null ? null : element("small", { dir: "auto" }, cut(type)));
      })));
    }
    return section;
  }

  function itemTable(number, found) {
    const doc = documentAt(number);
    const second = view.beside >= 0 ? fates(rows(number, view.beside), -1) : null;
    const cell = (side, index, other) => {
      if (index < 0) return [element("td", { class: "quiet" }, "–"), element("td", {})];
      const value = valuesOf(listOf(doc, side))[index];
      const type = typeOf(value);
      const differs = other !== undefined && typeOf(other) !== type;
      const link = element("button", { type: "button", class: "item", "data-side": side, "data-index": index, dir: "auto" }, quoted(doc, value) || "–");
      return [element("td", {}, link), element("td", { class: differs ? "differs" : false }, type === null ? "" : cut(type))];
    };
    const line = (row) => {
      const ours = row.gold < 0 ? undefined : valuesOf(doc.gold)[row.gold];
      const theirs = row.system < 0 ? undefined : valuesOf(listOf(doc, view.system))[row.system];
      const level = levels[(row.gold < 0 ? listOf(doc, view.system)[row.system] : doc.gold[row.gold])[0]];
      const fate = second && row.gold >= 0 ? second.get(row.gold) : null;
      return element(
        "tr", { "data-gold": row.gold, "data-system": row.system },
        element("td", {}, element("span", { class: `n d0 k-${kinds[row.kind].key}` }, kinds[row.kind].label)),
        ...cell(-1, row.gold, theirs),
        ...cell(view.system, row.system, ours),
        element("td", { class: "quiet" }, cut(level.replaceAll("[*]", ""), 40)),
        element("td", { class: "number" }, row.system >= 0 && row.gold >= 0 && row.kind !== TYPE ? String(row.score) : ""),
        second ? element("td", {}, fate ? element("span", { class: `n d0 k-${kinds[fate[0]].key}` }, kinds[fate[0]].label) : "") : null,
      );
    };
    const heads = ["outcome", "gold", "type", systems[view.system], "type", "of", "score", ...(second ? [systems[view.beside]] : [])];
    return element(
      "details", { class: "more", open: "" },
      element("summary", {}, "Items ", element("small", {}, String(found.length))),
      element("div", { class: "wide" }, element(
        "table", { class: "rows pairs" },
        element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
        element("tbody", {}, ...found.map(line)),
      )),
    );
  }

  function scoreTable(number) {
    if (!scores.length) return null;
    return element(
      "details", { class: "more", open: metrics.length ? false : "" },
      element("summary", {}, "Scores of this document"),
      element("div", { class: "wide" }, element(
        "table", {},
        element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "score"), ...systems.map((name) => element("th", { scope: "col", class: "number" }, name)))),
        element("tbody", {}, ...scores.map((name, score) => element("tr", {}, element("th", { scope: "row" }, name), ...systems.map((_, system) => element("td", { class: "number" }, percent(values[score][system][number])))))),
      )),
    );
  }

  function show() {
    marks = {};
    items = [];
    const target = byId("document");
    if (!around.shown().length) {
      target.replaceChildren(around.nothing(ids.length));
      return;
    }
    const number = view.document;
    const doc = documentAt(number);
    const parts = [around.header(ids[number])];
    if (doc && (doc.gold.length || doc.text !== undefined || doc.tokens || doc.systems.some(Boolean))) {
      const every = rows(number, view.system);
      const found = every.filter((row) => view.kinds.has(row.kind) && suits(number, row, view.system));
      const chosen = (side) => new Set(found.map((row) => (side < 0 ? row.gold : row.system)));
      const sides = [drawSide(number, -1, every, chosen(-1)), drawSide(number, view.system, every, chosen(view.system))];
      if (view.beside >= 0) {
        const others = rows(number, view.beside);
        const fitting = others.filter((row) => view.kinds.has(row.kind) && suits(number, row, view.beside));
        sides.push(drawSide(number, view.beside, others, new Set(fitting.map((row) => row.system))));
      }
      parts.push(element("div", { class: `sides of${sides.length}` }, ...sides), element("aside", { class: "about", id: "about", hidden: "" }));
      const place = (row) => {
        const value = row.gold >= 0 ? valuesOf(doc.gold)[row.gold] : valuesOf(listOf(doc, view.system))[row.system];
        const spans = spansOf(value);
        return spans.length ? Math.min(...spans.map(([start]) => start)) : Infinity;
      };
      items = found.map((row) => [place(row), row]).sort((a, b) => (a[0] === b[0] ? 0 : a[0] - b[0])).map(([, row]) => row);
      parts.push(itemTable(number, items));
    }
    parts.push(scoreTable(number));
    target.replaceChildren(...parts.filter(Boolean));
    light(view.pinned);
    about();
    if (ids.length) state.write({ doc: ids[number], system: systems[view.system], metric: choices[view.choice].name, ...(view.beside >= 0 ? { beside: systems[view.beside] } : {}) });
  }

  // The counterpart of an item: [side, index] pairs.
  function counterparts({ side, index }) {
    const found = [];
    const every = side < 0 ? (view.beside >= 0 ? [view.system, view.beside] : [view.system]) : [side];
    for (const system of every) {
      for (const row of rows(view.document, system)) {
        if (side < 0 && row.gold === index && row.system >= 0) found.push({ side: system, index: row.system, row });
        if (side >= 0 && row.system === index && row.gold >= 0) found.push({ side: -1, index: row.gold, row });
      }
    }
    return found;
  }

  function light(here) {
    for (const made of byId("document").querySelectorAll(".here, .partner")) made.classList.remove("here", "partner");
    if (!here) return;
    const paint = ({ side, index }, name) => {
      for (const made of byId("document").querySelectorAll(`[data-side="${side}"][data-index="${index}"]`)) made.classList.add(name);
    };
    paint(here, "here");
    for (const each of counterparts(here)) paint(each, "partner");
    const attribute = here.side < 0 ? "gold" : here.side === view.system ? "system" : null;
    if (attribute) for (const row of byId("document").querySelectorAll(`tr[data-${attribute}="${here.index}"]`)) row.classList.add("here");
  }

  // All that is known of the item that is chosen, beside its counterparts.
  function about() {
    const target = byId("about");
    if (!target) return;
    target.hidden = !view.pinned;
    if (!view.pinned) return;
    const doc = documentAt(view.document);
    const mates = counterparts(view.pinned);
    const own = valuesOf(listOf(doc, view.pinned.side))[view.pinned.index];
    const fields = ({ side, index }, other) => {
      const value = valuesOf(listOf(doc, side))[index];
      const [level, places] = listOf(doc, side)[index];
      let at = 0;
      const path = levels[level].replace(/\[\*\]/g, () => `[${places[at++]}]`);
      const pairs = isRecord(value) ? Object.entries(value) : [["value", value]];
      return element(
        "dl", {},
        element("dt", {}, cut(nameOf(side))), element("dd", { dir: "auto" }, quoted(doc, value), " ", element("small", { class: "quiet" }, cut(path))),
        ...pairs.flatMap(([name, each]) => [
          element("dt", {}, cut(name, 40)),
          element("dd", { class: other !== undefined && JSON.stringify(isRecord(other) ? other[name] : other) !== JSON.stringify(each) ? "differs" : false, dir: "auto" }, cut(written(each), 400)),
        ]),
      );
    };
    const first = mates.length ? valuesOf(listOf(doc, mates[0].side))[mates[0].index] : undefined;
    const go = (mate) => element("button", { type: "button", click: () => pin(mate, true) }, `Go to ${cut(nameOf(mate.side), 40)}`);
    target.replaceChildren(
      element("button", { type: "button", class: "close", title: "Let go (Escape)", "aria-label": "Let go", click: () => pin(null) }, "×"),
      element("div", { class: "pair" }, fields(view.pinned, first), ...mates.slice(0, 3).map((mate) => fields(mate, own))),
      element("p", {}, ...(mates.length ? mates.slice(0, 3).flatMap((mate) => [go(mate), " "]) : [element("span", { class: "quiet" }, "It has no counterpart. ")]),
        ...(mates.length ? [element("span", { class: `n d0 k-${kinds[mates[0].row.kind].key}` }, kinds[mates[0].row.kind].label)] : [])),
    );
  }

  function pin(here, going = false) {
    const same = here && view.pinned && view.pinned.side === here.side && view.pinned.index === here.index;
    view.pinned = here === null || (same && !going) ? null : { side: here.side, index: here.index };
    light(view.pinned);
    about();
    if (going && view.pinned) reach(view.pinned);
  }

  function reach({ side, index }) {
    const made = marks[side] && marks[side].get(index);
    if (!made) return;
    made[0].focus({ preventScroll: true });
    made[0].scrollIntoView({ block: "center" });
  }

  adjudge.openDocument = (number) => {
    if (!around.shown().includes(number)) clear();
    around.open(number);
    byId("main").focus({ preventScroll: true });
    byId("document").scrollIntoView({ block: "start" });
  };

  function move(by) {
    const at = items.findIndex((row) => view.pinned && view.pinned.index === (view.pinned.side < 0 ? row.gold : row.system));
    const row = around.after(items, at, by);
    if (!row) return;
    view.pinned = row.gold >= 0 ? { side: -1, index: row.gold } : { side: view.system, index: row.system };
    light(view.pinned);
    about();
    reach(view.pinned);
  }

  function clear() {
    view.query = "";
    view.type = -1;
    byId("search").value = "";
    byId("type").value = -1;
    around.choose(new Set(kinds.keys()));
  }

  function chooseSystems(system, beside) {
    view.system = system;
    view.beside = beside === system ? -1 : beside;
    byId("system").value = view.system;
    byId("beside").value = view.beside;
    around.refresh();
  }

  function recall() {
    const wish = state.read();
    const find = (list, name, otherwise) => (list.includes(name) ? list.indexOf(name) : otherwise);
    view.document = find(ids, wish.doc, view.document);
    view.system = find(systems, wish.system, view.system);
    view.choice = find(choices.map((one) => one.name), wish.metric, view.choice);
    view.beside = find(systems, wish.beside, -1);
    if (view.beside === view.system) view.beside = -1;
    for (const [id, value] of [["system", view.system], ["metric", view.choice], ["beside", view.beside]]) byId(id).value = value;
  }

  // Putting it together.
  const around = browse({
    view, list, show, recall, kinds: () => kinds, chosen: () => view.kinds, choose: (chosen) => (view.kinds = chosen), isError: (kind) => kind !== CORRECT,
  });
  fill("system", systems);
  fill("metric", choices.map((one) => one.name));
  fill("beside", systems, "nothing", false);
  fill("type", types, "all", false);
  byId("beside-label").hidden = systems.length < 2;
  byId("type-label").hidden = !types.length;
  byId("errors").hidden = !metrics.length;
  if (systems.length < 2) byId("order").querySelector("[value=differ]").remove();
  if (!scores.length) byId("order").querySelector("[value=score]").remove();
  byId("system").addEventListener("change", (event) => chooseSystems(Number(event.target.value), view.beside));
  byId("beside").addEventListener("change", (event) => chooseSystems(view.system, Number(event.target.value)));
  around.field("metric", (value) => (view.choice = Number(value)));
  around.field("type", (value) => (view.type = Number(value)));
  around.items(Number, (here) => pin(here), light);
  if (systems.length && choices.length) {
    around.start({
      word: "item",
      move,
      release: () => pin(null),
      system: () => chooseSystems((view.system + 1) % systems.length, view.beside),
      more: {
        c: ["counterpart of the item", () => {
          const [mate] = view.pinned ? counterparts(view.pinned) : [];
          if (mate) pin(mate, true);
        }],
      },
    });
  }
})();
