// Documents: the list with its filters, and one document with gold and system side by side. The data is made by
// documents.py; a document is read and drawn when somebody looks at it.
(() => {
  const { byId, current, cut, data, element, keys, lines, opened, scrolled, shape, shown, state, table } = adjudge;
  const { systems, ids, scores, metrics, levels, labels, fields, outcomes, changes } = data;
  if (!byId("panes")) return;
  const [CORRECT, , , MISSED, SPURIOUS, IGNORED] = outcomes.keys();
  const LISTED = 300; // documents in the list before somebody wants all of them
  const MANY = 8; // pieces with a role
  const TAG = 14; // letters of a group or role in the text
  const SUPPORT = /^(justification|support|context)/; // roles of words that only say why: they show with their item
  const isError = (kind) => kind !== CORRECT && kind !== IGNORED;
  const [documentLine, scoreLine, countLine] = ["data-documents", "data-scores", "data-counts"].map(lines);
  const view = { document: 0, metric: 0, score: 0, system: 0, beside: -1, kinds: new Set(outcomes.keys()), label: -1, field: -1, query: "", order: metrics.length ? "errors" : "score", pinned: null };
  let listed = [];
  let all = false;
  let rowsShown = [];
  let marks = new Map();

  // ------------------------------------------------------------------------------------------------------------------
  // Reading

  function item(raw, gold) {
    if (typeof raw === "number") return gold[raw];
    if (Array.isArray(raw)) return { ...gold[raw[0]], id: raw[1], group: raw[2] };
    const place = [];
    for (let at = 0; at < (raw.p || []).length; at += 2) place.push([raw.p[at], raw.p[at + 1]]);
    return { id: raw.i, level: raw.l, label: raw.t === undefined ? "" : labels[raw.t], place, words: raw.x, group: raw.g || [], roles: raw.r || [], value: raw.v };
  }
  const documents = new Map();
  function documentAt(number) {
    if (!documents.has(number)) {
      const raw = documentLine(number);
      const gold = raw ? raw.g.map((each) => item(each)) : [];
      documents.set(number, raw ? {
        text: raw.t ?? null,
        groups: raw.k || "",
        gold,
        systems: raw.s.map((own) => (own ? { items: own[0].map((each) => item(each, gold)), matchings: own[1], missing: own[2] === 1, unread: typeof own[2] === "string" ? own[2] : "" } : null)),
      } : null);
    }
    return documents.get(number);
  }
  const itemsOf = (doc, side) => (side < 0 ? doc.gold : doc.systems[side] ? doc.systems[side].items : []);
  const matchings = (doc, system) => (doc && doc.systems[system] ? doc.systems[system].matchings.filter(([metric]) => metric === view.metric) : []);

  // Of metrics that count leaves, what is missed is omitted, and what is spurious hallucinated.
  const hasLeaves = () => data.leaves.includes(view.metric);
  const worded = (kind) => (hasLeaves() ? { [MISSED]: "omitted", [SPURIOUS]: "hallucinated" }[kind] : undefined) ?? outcomes[kind];

  // The items of a level that share a character with some places; found by where they begin.
  const starts = new WeakMap();
  function touching(items, level, places) {
    if (!starts.has(items)) {
      const all = items.flatMap((each) => each.place.map(([from, to]) => ({ from, to, each }))).sort((a, b) => a.from - b.from);
      starts.set(items, { all, longest: all.reduce((most, { from, to }) => Math.max(most, to - from), 0) });
    }
    const { all, longest } = starts.get(items);
    const found = new Set();
    for (const [begin, end] of places) {
      let [low, high] = [0, all.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (all[middle].from < begin - longest) low = middle + 1; else high = middle;
      }
      for (; low < all.length && all[low].from < end; low += 1) if (all[low].to > begin && all[low].each.level === level) found.add(all[low].each);
    }
    return [...found];
  }

  // Why an item has its outcome. Of one without a counterpart, if its task says nothing: what the other side has there.
  function reasonOf(doc, system, row) {
    if (row.why || row.near !== undefined || (row.kind !== MISSED && row.kind !== SPURIOUS)) return row.why;
    const other = row.kind === MISSED ? system : -1;
    const { level, place } = itemsOf(doc, row.kind === MISSED ? -1 : system)[row.kind === MISSED ? row.gold : row.system];
    if (!place.length) return "no counterpart";
    const there = touching(itemsOf(doc, other), level, place);
    const said = there.slice(0, 3).map((each) => `${cut(words(doc, each), 60)}${each.label ? ` (${cut(each.label, 60)})` : ""}`);
    return `${cut(nameOf(other), 60)} has ${said.length ? `${said.join(", ")}${there.length > 3 ? ", ..." : ""} there, which is not a match` : "nothing there"}`;
  }

  // The outcome of every item, alone or with its counterpart: {kind, gold, system, credit, why, near}.
  function rowsOf(number, system) {
    const found = [];
    for (const [, correct = [], other = [], missed = [], spurious = [], ignored = []] of matchings(documentAt(number), system)) {
      for (let at = 0; at < correct.length; at += 2) found.push({ kind: CORRECT, gold: correct[at], system: correct[at + 1], credit: 1, why: "" });
      for (const [gold, own, kind, credit, why] of other) found.push({ kind, gold, system: own, credit, why });
      for (const [kind, singles] of [[MISSED, missed], [SPURIOUS, spurious], [IGNORED, ignored]]) {
        for (const each of singles) {
          const [at, why = "", near] = Array.isArray(each) ? each : [each];
          found.push(kind === MISSED ? { kind, gold: at, system: -1, credit: 0, why, near } : { kind, gold: -1, system: at, credit: 0, why, near });
        }
      }
    }
    return found;
  }

  function written(value) {
    if (value === null || value === undefined) return "–";
    if (Array.isArray(value)) return value.map(written).join(", ");
    if (typeof value === "object") return Object.entries(value).filter(([, each]) => each !== null).map(([name, each]) => `${name} ${written(each)}`).join(", ");
    return String(value);
  }
  const piece = (doc, [begin, end]) => cut(doc.text.slice(begin, Math.min(end, begin + 200)));
  function words(doc, each) {
    if (each.words !== undefined && each.words !== "") return cut(each.words);
    if (doc.text !== null && each.place.length) return cut(each.place.map((place) => piece(doc, place)).join(" … "));
    return cut(each.value === undefined ? each.id : written(each.value));
  }

  // ------------------------------------------------------------------------------------------------------------------
  // The list

  const scoreFor = (metric) => Math.max(0, scores.findIndex((each) => each.startsWith(`${metrics[metric]} `)));
  const scoreOf = (number, system) => (scores.length ? scoreLine(view.score * systems.length + system)[number] ?? null : null);
  const percent = (value) => (value === null || value === undefined ? "n/a" : (100 * value).toFixed(1));
  const narrowed = () => view.label >= 0 || (hasLeaves() && view.field >= 0);
  function suits(doc, row, system) {
    const both = [row.gold >= 0 ? doc.gold[row.gold] : null, row.system >= 0 ? itemsOf(doc, system)[row.system] : null].filter(Boolean);
    return (view.label < 0 || both.some((each) => each.label === labels[view.label])) && (!hasLeaves() || view.field < 0 || both.some((each) => each.level === view.field));
  }
  function tally(number, system) {
    if (!metrics.length) return outcomes.map(() => 0);
    if (!narrowed()) return countLine(view.metric * systems.length + system).slice(outcomes.length * number, outcomes.length * (number + 1));
    const found = outcomes.map(() => 0);
    for (const row of rowsOf(number, system)) if (suits(documentAt(number), row, system)) found[row.kind] += 1;
    return found;
  }
  const errorsIn = (found) => found.reduce((sum, count, kind) => (isError(kind) ? sum + count : sum), 0);

  const reasonsOf = ([, , other = [], ...singles]) => [...other.map((each) => each[4]), ...singles.slice(0, 3).flat().map((each) => each[1] || "")];
  const heaps = new Map();
  function matches(number) {
    if (!view.query || ids[number].toLowerCase().includes(view.query.toLowerCase())) return true;
    // What does not even stand in the line of a document, as it is written there, need not be read.
    const plain = JSON.stringify(view.query).slice(1, -1).replace(/[<>&]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`);
    const named = labels.some((label) => label.toLowerCase().includes(view.query.toLowerCase()));
    if (!named && !documentLine.raw(number).toLowerCase().includes(plain.toLowerCase())) return false;
    if (!heaps.has(number)) {
      const doc = documentAt(number);
      const every = doc ? [doc.gold, ...doc.systems.map((own) => (own ? own.items : []))].flat() : [];
      const told = doc ? doc.systems.flatMap((own) => (own ? own.matchings.flatMap(reasonsOf) : [])) : [];
      const said = new Set([...every.flatMap((each) => [words(doc, each), each.label, each.id, written(each.value)]), ...told]);
      heaps.set(number, [ids[number], (doc && doc.text) || "", ...said].join("\n").toLowerCase());
    }
    return heaps.get(number).includes(view.query.toLowerCase());
  }
  function apart(number) {
    const chosen = view.beside >= 0 ? [view.system, view.beside] : [...systems.keys()];
    const known = chosen.map((system) => (scores.length ? scoreOf(number, system) : errorsIn(tally(number, system)))).filter((value) => value !== null);
    return known.length > 1 ? Math.max(...known) - Math.min(...known) : -1;
  }

  function bar(counts) {
    const made = shape("svg", { class: "bar", viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" });
    const total = counts.reduce((sum, number) => sum + number, 0);
    let place = 0;
    counts.forEach((number, kind) => {
      if (!number) return;
      made.append(shape("rect", { class: `k-${outcomes[kind]}`, x: place.toFixed(2), width: ((100 * number) / total).toFixed(2), height: 1 }));
      place += (100 * number) / total;
    });
    return made;
  }

  function list() {
    const totals = outcomes.map(() => 0);
    const found = [];
    const filtered = view.kinds.size < outcomes.length || narrowed();
    ids.forEach((_, number) => {
      if (!matches(number)) return;
      const every = tally(number, view.system);
      const wanted = every.map((count, kind) => (view.kinds.has(kind) ? count : 0));
      every.forEach((count, kind) => (totals[kind] += count));
      if (!filtered || wanted.some(Boolean)) found.push({ number, wanted, errors: errorsIn(wanted), apart: view.order === "differ" ? apart(number) : 0 });
    });
    const order = {
      errors: (a, b) => b.errors - a.errors,
      score: (a, b) => (scoreOf(a.number, view.system) ?? 2) - (scoreOf(b.number, view.system) ?? 2),
      differ: (a, b) => b.apart - a.apart,
      file: () => 0,
    }[view.order];
    found.sort((a, b) => order(a, b) || a.number - b.number);
    listed = found.map(({ number }) => number);
    const some = all ? found : found.slice(0, LISTED);
    byId("all").hidden = some.length === found.length;
    byId("list").replaceChildren(...some.map(({ number, wanted, errors }) => {
      const other = view.beside >= 0 ? ` / ${percent(scoreOf(number, view.beside))}` : "";
      const said = scores.length && (view.order !== "errors" || !metrics.length) ? percent(scoreOf(number, view.system)) + other : `${errors} error${errors === 1 ? "" : "s"}`;
      return element("li", {}, element(
        "button", { type: "button", "data-number": number, "aria-current": String(number === view.document), title: ids[number], click: () => open(number) },
        element("span", { class: "title", dir: "auto" }, cut(ids[number])), element("span", { class: "errors" }, said), metrics.length ? bar(wanted) : null,
      ));
    }));
    byId("found").textContent = found.length < ids.length ? `${found.length} of ${ids.length}` : "";
    for (const input of inputs()) {
      const kind = outcomes.indexOf(input.value);
      input.parentElement.querySelector(".count").textContent = totals[kind];
      input.parentElement.querySelector(".n").textContent = worded(kind);
    }
  }

  function open(number, pinned = null) {
    view.document = number;
    view.pinned = pinned;
    for (const button of byId("list").querySelectorAll("button")) {
      const chosen = Number(button.dataset.number) === number;
      button.setAttribute("aria-current", String(chosen));
      if (chosen) {
        // Scroll the list, and not the page.
        const around = byId("list").parentElement;
        const [outer, inner] = [around.getBoundingClientRect(), button.getBoundingClientRect()];
        if (inner.top < outer.top) around.scrollTop -= outer.top - inner.top;
        else if (inner.bottom > outer.bottom) around.scrollTop += inner.bottom - outer.bottom;
      }
    }
    show();
  }
  const step = (by) => listed.length && open(listed[(listed.indexOf(view.document) + by + listed.length) % listed.length]);
  function refresh() {
    byId("errors").setAttribute("aria-pressed", String([...outcomes.keys()].every((kind) => view.kinds.has(kind) === isError(kind))));
    list();
    open(listed.includes(view.document) || !listed.length ? view.document : listed[0]);
  }

  // ------------------------------------------------------------------------------------------------------------------
  // The text

  // Where a query stands in a text, without regard to case: [[begin, end], ...].
  function hits(text) {
    if (!view.query) return [];
    const pattern = new RegExp(view.query.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
    return Array.from(text.matchAll(pattern), (found) => [found.index, found.index + found[0].length]);
  }

  // Stretches in which no mark begins or ends: [begin, end, mark, ...], outermost first.
  function stretches(text, places) {
    const STRETCH = 2000; // browsers are slow to outline an element of thousands of lines
    const ends = new Map();
    const at = (place) => ends.get(place) || ends.set(place, { opened: [], closed: [] }).get(place);
    for (const place of places) {
      at(place.begin).opened.push(place);
      at(place.end).closed.push(place);
    }
    const found = [];
    const active = new Set();
    let before = 0;
    for (const place of [...ends.keys()].sort((a, b) => a - b)) {
      const these = [...active].sort((a, b) => a.begin - b.begin || b.end - a.end);
      for (let from = before, to; active.size && from < place; from = to) {
        to = Math.min(from + STRETCH, place);
        if (to < place && (text.charCodeAt(to) & 0xfc00) === 0xdc00) to += 1; // not in the middle of a letter
        found.push([from, to, these]);
      }
      for (const each of ends.get(place).closed) active.delete(each);
      for (const each of ends.get(place).opened) active.add(each);
      before = place;
    }
    return found;
  }

  // A text with its marks and what is searched for; `make(mark, depth, first)` gives the element of a stretch.
  function draw(target, text, places, make) {
    const found = hits(text);
    let place = 0;
    let next = 0;
    const put = (parent, begin, end) => {
      while (next < found.length && found[next][0] < end) {
        const [from, to] = found[next];
        if (from > begin) parent.append(shown(text.slice(begin, from)));
        const [start, stop] = [Math.max(begin, from), Math.min(end, to)];
        if (start < stop) parent.append(element("span", { class: "hit" }, text.slice(start, stop)));
        begin = Math.max(begin, stop);
        if (to > end) break;
        next += 1;
      }
      if (begin < end) parent.append(shown(text.slice(begin, end)));
    };
    for (const [begin, end, these] of stretches(text, places)) {
      put(target, place, begin);
      let inner = target;
      let depth = 0;
      for (const mark of these) {
        const made = make(mark, depth, mark.begin === begin);
        if (!SUPPORT.test(mark.role)) depth += 1;
        inner.append(made);
        inner = made;
      }
      put(inner, begin, end);
      place = end;
    }
    put(target, place, text.length);
  }

  // The colours of groups: a group of the system has that of the first gold group that it stands for.
  function colours(number, system) {
    const found = new Map();
    const doc = documentAt(number);
    doc.gold.forEach((each) => each.group.forEach((name) => found.has(`-1 ${name}`) || found.set(`-1 ${name}`, found.size % 8)));
    for (const [, , , , , , groups = []] of matchings(doc, system)) {
      for (const [, ours, theirs] of groups || []) theirs.forEach((name, at) => found.set(`${system} ${name}`, ours.length ? found.get(`-1 ${ours[Math.min(at, ours.length - 1)]}`) : 7));
    }
    return (side, name) => found.get(`${side} ${name}`) ?? 7;
  }

  const nameOf = (side) => (side < 0 ? "Gold" : systems[side]);
  function fates(rows, side) {
    const found = new Map();
    for (const row of rows) {
      const own = side < 0 ? row.gold : row.system;
      if (own >= 0 && (!found.has(own) || found.get(own).kind === CORRECT)) found.set(own, row);
    }
    return found;
  }

  // The groups of a side that are worth a tag: those that the metric compares, and that have several members.
  function tagged(doc, side) {
    const sizes = new Map();
    if (matchings(doc, side < 0 ? view.system : side).some(([, , , , , , groups]) => groups && groups.length)) {
      for (const each of itemsOf(doc, side)) for (const name of each.group) sizes.set(name, (sizes.get(name) || 0) + 1);
    }
    return (each) => each.group.find((name) => sizes.get(name) > 1);
  }

  function drawSide(number, side, rows, chosen, colour) {
    const doc = documentAt(number);
    const groupOf = tagged(doc, side);
    const found = fates(rows, side);
    const items = itemsOf(doc, side);
    const section = element("section", { class: "sheet side", "aria-label": nameOf(side) }, element("h4", {}, element("b", {}, cut(nameOf(side))), ` ${found.size} item${found.size === 1 ? "" : "s"}`));
    const made = new Map();
    marks.set(side, made);
    if (doc.text === null) return section;
    const places = [];
    for (const [index, row] of found) {
      const { place, roles } = items[index];
      const seen = new Set();
      place.forEach(([begin, end], at) => {
        if (begin >= end || end > doc.text.length || seen.has(`${begin} ${end}`)) return;
        seen.add(`${begin} ${end}`);
        places.push({ begin, end, index, row, role: roles.length > 1 ? roles[at] : "" });
      });
    }
    // Where there are many roles, only those of the item that is looked at are named.
    const many = !doc.groups && places.filter(({ role }) => role).length > MANY;
    const target = element("div", { class: many ? "text many" : "text", dir: "auto" });
    draw(target, doc.text, places, (mark, depth, first) => {
      const each = items[mark.index];
      const key = outcomes[mark.row.kind];
      const group = groupOf(each);
      const support = SUPPORT.test(mark.role);
      const tag = support ? "" : doc.groups ? group : mark.role;
      const fresh = !made.has(mark.index);
      const why = reasonOf(doc, side < 0 ? view.system : side, mark.row);
      const said = `${each.label ? `${each.label}: ` : ""}${words(doc, each)}${mark.role ? `, ${mark.role}` : ""}${group === undefined ? "" : `, ${doc.groups} ${group}`} – ${key}${why ? `: ${why}` : ""}`;
      const drawn = element("mark", {
        class: `${support ? "support" : `n d${Math.min(depth, 3)}`} k-${key}${chosen.has(mark.row) ? "" : " off"}${group === undefined ? "" : ` s${colour(side, group)}`}`,
        "data-side": side, "data-index": mark.index, "data-tag": first && tag ? cut(tag, TAG) : false,
        title: said,
      });
      if (fresh && !support) made.set(mark.index, drawn);
      return drawn;
    });
    section.append(target);
    return section;
  }

  // ------------------------------------------------------------------------------------------------------------------
  // Items and groups

  function link(doc, side, index) {
    const each = itemsOf(doc, side)[index];
    const parts = each.roles.length > 1 && each.roles.length === each.place.length && doc.text !== null
      ? each.place.flatMap((place, at) => [at ? " " : "", element("span", { class: "role" }, `${each.roles[at]} `), piece(doc, place)])
      : [words(doc, each) || "–"];
    return element("button", { type: "button", class: "item", "data-side": side, "data-index": index, dir: "auto" }, parts);
  }
  function parent(doc, side, each) {
    if (doc.groups || !each.group.length) return null;
    const home = itemsOf(doc, side).find((other) => other.id === each.group[0]);
    return element("div", { class: "role" }, `in ${home ? `${home.label ? `${home.label} ` : ""}${words(doc, home)}` : each.group[0]}`);
  }
  const badge = (kind) => element("span", { class: `n d0 k-${outcomes[kind]}` }, worded(kind));
  // Why there is nothing of a system in a document.
  function notice(doc, system) {
    const own = doc.systems[system];
    const said = !own ? "nothing was saved of this system." : own.missing ? "the system has no such document." : own.unread ? `the answer could not be read (${cut(own.unread)}): it counts as empty.` : "";
    return said ? element("p", { class: "notice" }, element("b", {}, cut(nameOf(system))), `: ${said}`) : null;
  }

  // Leaves as rows of their tables, as they are read from top to bottom; nothing if the items are not leaves.
  function leafRows(doc, system, rows) {
    if (!hasLeaves()) return null;
    const found = rows.map((row) => {
      const one = row.gold < 0 ? itemsOf(doc, system)[row.system] : doc.gold[row.gold];
      return one.group.length ? { row, groups: one.group, field: leaves.fieldIn(levels[one.level], one.group) } : null;
    });
    return found.includes(null) ? null : leaves.sorted(found);
  }
  function leafSection(doc, system, rows, every) {
    const value = (side, index) => element("td", {}, index < 0 ? element("span", { class: "quiet" }, "–") : link(doc, side, index));
    const lines = rows.map(({ row, groups, field }) => ({
      groups,
      line: element(
        "tr", { class: `k-${outcomes[row.kind]}`, "data-gold": system === view.system && row.gold, "data-system": system === view.system && row.system },
        element("th", { scope: "row", dir: "auto" }, cut(field, 60)), value(-1, row.gold), value(system, row.system),
        element("td", {}, badge(row.kind), row.credit > 0 && row.credit < 1 ? element("span", { class: "role" }, ` ${row.credit.toFixed(2)}`) : null),
      ),
    }));
    const mates = leaves.matesOf(every.filter((row) => row.system >= 0).map((row) => itemsOf(doc, system)[row.system]));
    const heads = ["field", "gold", cut(systems[system], 60), "outcome"];
    return element("section", {}, element("h4", {}, `Gold and ${cut(systems[system], 60)}: ${rows.length < every.length ? `${rows.length} of ` : ""}${every.length} value${every.length === 1 ? "" : "s"}`), leaves.tables(lines, heads, mates).map((each) => element("div", { class: "wide" }, each)));
  }


  function itemTable(number, rows) {
    const doc = documentAt(number);
    const second = view.beside >= 0 ? fates(rowsOf(number, view.beside), -1) : null;
    const several = new Set(rows.map((row) => (row.gold < 0 ? itemsOf(doc, view.system)[row.system] : doc.gold[row.gold]).level)).size > 1;
    const labelled = rows.some((row) => [doc.gold[row.gold], itemsOf(doc, view.system)[row.system]].some((each) => each && each.label)) || several;
    const lines = rows.map((row) => {
      const ours = row.gold < 0 ? null : doc.gold[row.gold];
      const theirs = row.system < 0 ? null : itemsOf(doc, view.system)[row.system];
      const one = ours || theirs;
      const label = ours && theirs && ours.label !== theirs.label ? element("span", { class: "differs" }, `${cut(ours.label || "–", 60)} → ${cut(theirs.label || "–", 60)}`) : cut(one.label, 60);
      const other = row.kind === MISSED ? view.system : -1;
      const near = row.near === undefined ? null : element("div", {}, element("span", { class: "role" }, "near "), link(doc, other, row.near), element("span", { class: "role" }, ` ${cut(itemsOf(doc, other)[row.near].label, 60)}`));
      const credit = row.credit > 0 && row.credit < 1 ? ` ${row.credit.toFixed(2)}` : "";
      const cells = [
        element("td", {}, badge(row.kind), credit ? element("span", { class: "role" }, credit) : null),
        labelled && element("td", { dir: "auto" }, label, several ? element("div", { class: "role" }, levels[one.level].replaceAll("[*]", "")) : null),
        element("td", {}, ours ? [link(doc, -1, row.gold), parent(doc, -1, ours)] : element("span", { class: "quiet" }, "–")),
        element("td", {}, theirs ? [link(doc, view.system, row.system), parent(doc, view.system, theirs)] : element("span", { class: "quiet" }, "–")),
        element("td", { dir: "auto" }, cut(reasonOf(doc, view.system, row), 400), near),
      ];
      if (second) cells.push(element("td", {}, row.gold >= 0 && second.has(row.gold) ? badge(second.get(row.gold).kind) : ""));
      return { row, cells: cells.filter(Boolean) };
    });
    const made = table(["outcome", ...(labelled ? ["label"] : []), "gold", cut(systems[view.system], 60), "why", ...(second ? [cut(systems[view.beside], 60)] : [])], lines.map(({ cells }) => cells), { class: "rows" });
    [...made.tBodies[0].rows].forEach((line, at) => {
      line.dataset.gold = lines[at].row.gold;
      line.dataset.system = lines[at].row.system;
    });
    return element("section", {}, element("h4", {}, `Items: ${rows.length}, errors first`), element("div", { class: "wide" }, made));
  }

  // Chains, hoppers, frames: the outcome of each, with its members on both sides.
  function groupList(number, colour) {
    const doc = documentAt(number);
    const found = matchings(doc, view.system).flatMap(([, , , , , , groups]) => groups || []);
    if (!doc.groups || !found.length) return null;
    const rows = rowsOf(number, view.system).filter(({ gold, system, kind }) => gold >= 0 && system >= 0 && outcomes[kind] !== "wrong");
    const mates = { gold: new Map(rows.map(({ gold, system }) => [gold, system])), system: new Map(rows.map(({ gold, system }) => [system, gold])) };
    const bracket = (side, name, others) => {
      const [own, rest] = side < 0 ? ["gold", itemsOf(doc, view.system)] : ["system", doc.gold];
      const members = [...itemsOf(doc, side).entries()].filter(([, each]) => each.group.includes(name));
      return element("div", { class: `bracket s${colour(side, name)}` }, element("span", { class: "tag" }, cut(name, 40)), element("ul", {}, members.map(([index]) => {
        const mate = mates[own].get(index);
        const kept = mate !== undefined && rest[mate].group.some((home) => others.includes(home));
        return element("li", { class: kept ? false : `lone k-${side < 0 ? "missed" : "spurious"}` }, link(doc, side, index));
      })));
    };
    const order = [...found].sort(([a], [b]) => (a === 0) - (b === 0));
    return element("section", {}, element("h4", {}, `${doc.groups[0].toUpperCase()}${doc.groups.slice(1)}s: ${found.length}, of which ${found.filter(([change]) => change === 0).length} the same`), element("ul", { class: "groups" }, order.map(([change, ours, theirs]) => element(
      "li", {}, element("span", { class: change ? "differs" : "quiet" }, changes[change]),
      element("div", {}, ours.map((name) => bracket(-1, name, theirs))), element("div", {}, theirs.map((name) => bracket(view.system, name, ours))),
    ))));
  }

  function show() {
    marks = new Map();
    const target = byId("document");
    if (!listed.length) {
      rowsShown = [];
      target.replaceChildren(element("p", { class: "remark" }, ids.length ? "Nothing fits these filters." : "There are no documents."));
      return;
    }
    const number = view.document;
    const doc = documentAt(number);
    const button = (label, key, act) => element("button", { type: "button", click: act, title: `${label} (${key})` }, label);
    const numbers = matchings(doc, view.system).flatMap(([, , , , , , , own]) => Object.entries(own || {})).filter(([, value]) => value !== null);
    const every = rowsOf(number, view.system);
    const counts = outcomes.map((_, kind) => [worded(kind), every.filter((row) => row.kind === kind).length]).filter(([, count]) => count);
    const said = [
      ...counts.map(([name, count]) => `${count} ${name}`),
      ...numbers.map(([name, value]) => `${name} ${typeof value === "number" ? Number(value.toPrecision(4)) : value}`),
      ...(scores.length ? [`${scores[view.score]} ${systems.slice(0, 6).map((name, system) => `${cut(name, 30)} ${percent(scoreOf(number, system))}`).join(", ")}`] : []),
    ];
    const parts = [element(
      "header", {}, element("h3", { dir: "auto" }, cut(ids[number], 320)),
      button("← document", "p", () => step(-1)), button("document →", "n", () => step(1)),
      ...(metrics.length ? [button("← error", "k", () => move(-1)), button("error →", "j", () => move(1))] : []), element("p", {}, said.join(" · ")),
    )];
    if (doc) {
      const fitting = every.filter((row) => view.kinds.has(row.kind) && suits(doc, row, view.system));
      const place = (row) => Math.min(...[row.gold >= 0 ? doc.gold[row.gold] : itemsOf(doc, view.system)[row.system]].flatMap((each) => each.place.map(([begin]) => begin)), Infinity);
      const placed = fitting.map((row) => ({ row, at: place(row) })).sort((a, b) => isError(b.row.kind) - isError(a.row.kind) || (a.at === b.at ? 0 : a.at - b.at));
      const inTables = leafRows(doc, view.system, fitting);
      rowsShown = (inTables || placed).map(({ row }) => row);
      parts.push(notice(doc, view.system), view.beside >= 0 ? notice(doc, view.beside) : null);
      const colour = colours(number, view.system);
      const sides = [drawSide(number, -1, every, new Set(fitting), colour), drawSide(number, view.system, every, new Set(fitting), colour)];
      if (view.beside >= 0) {
        const others = rowsOf(number, view.beside);
        sides.push(drawSide(number, view.beside, others, new Set(others.filter((row) => view.kinds.has(row.kind) && suits(doc, row, view.beside))), colours(number, view.beside)));
      }
      if (doc.text !== null) parts.push(element("div", { class: `sides of${sides.length}` }, sides));
      parts.push(element("aside", { class: "about", id: "about-item", hidden: "", "aria-live": "polite" }));
      parts.push(groupList(number, colour));
      if (inTables && every.length) {
        parts.push(leafSection(doc, view.system, inTables, every));
        if (view.beside >= 0) {
          const others = rowsOf(number, view.beside);
          const own = leafRows(doc, view.beside, others.filter((row) => view.kinds.has(row.kind) && suits(doc, row, view.beside)));
          if (own) parts.push(leafSection(doc, view.beside, own, others));
        }
      } else if (rowsShown.length) parts.push(itemTable(number, rowsShown));
    } else rowsShown = [];
    target.replaceChildren(...parts.filter(Boolean));
    light(view.pinned);
    about();
    scrolled();
    state.write({ doc: ids[number], system: systems[view.system], ...(metrics.length > 1 ? { metric: metrics[view.metric] } : {}), ...(view.beside >= 0 ? { beside: systems[view.beside] } : {}), ...(hasLeaves() && view.field >= 0 ? { field: fields[view.field] } : {}), ...(view.query ? { q: view.query } : {}) });
  }

  // ------------------------------------------------------------------------------------------------------------------
  // One item

  function rowOf({ side, index }) {
    const system = side < 0 ? view.system : side;
    return rowsOf(view.document, system).find((row) => (side < 0 ? row.gold : row.system) === index);
  }
  function mateOf(here) {
    const row = rowOf(here);
    if (!row) return null;
    const system = here.side < 0 ? view.system : here.side;
    const index = here.side < 0 ? row.system : row.gold;
    const other = here.side < 0 ? system : -1;
    return index >= 0 ? { side: other, index } : row.near === undefined ? null : { side: other, index: row.near };
  }
  function light(here) {
    for (const made of byId("document").querySelectorAll(".here, .partner")) made.classList.remove("here", "partner");
    const paint = (each, name) => {
      if (!each) return;
      for (const made of byId("document").querySelectorAll(`[data-side="${each.side}"][data-index="${each.index}"]`)) made.classList.add(name);
      const side = each.side < 0 ? "gold" : each.side === view.system ? "system" : null;
      if (side) for (const row of byId("document").querySelectorAll(`tr[data-${side}="${each.index}"]`)) row.classList.add(name);
    };
    if (here) {
      paint(mateOf(here), "partner");
      paint(here, "here");
    }
  }
  // All that is known of the item that is chosen, beside its counterpart: one table of fields.
  function about() {
    const target = byId("about-item");
    if (!target) return;
    target.hidden = !view.pinned;
    if (!view.pinned) return;
    const doc = documentAt(view.document);
    const row = rowOf(view.pinned);
    const both = [view.pinned, mateOf(view.pinned)].filter(Boolean).sort((a, b) => a.side - b.side);
    const items = both.map(({ side, index }) => itemsOf(doc, side)[index]);
    const record = (value) => (value !== null && typeof value === "object" && !Array.isArray(value) ? value : value === undefined ? {} : { value });
    const fields = [...new Set(items.flatMap((each) => Object.keys(record(each.value))))];
    const lines = [
      ["words", items.map((each) => words(doc, each))], ["id", items.map((each) => each.id)], ["label", items.map((each) => each.label)],
      ...(doc.groups ? [[doc.groups, items.map((each) => each.group.join(", "))]] : []),
      ...fields.map((name) => [name, items.map((each) => (Object.hasOwn(record(each.value), name) ? written(record(each.value)[name]) : ""))]),
    ].filter(([, values]) => values.some(Boolean));
    target.replaceChildren(
      element("button", { type: "button", class: "close", title: "Let go (Escape)", "aria-label": "Let go", click: () => pin(null) }, "×"),
      element("p", {}, row ? badge(row.kind) : null, row ? ` ${cut(reasonOf(doc, view.pinned.side < 0 ? view.system : view.pinned.side, row), 400)}` : "", row && row.near !== undefined ? element("span", { class: "role" }, " The item beside it is near, but no counterpart.") : null),
      table(["field", ...both.map(({ side }) => cut(nameOf(side), 60))], lines.map(([name, values]) => [cut(name, 60), ...values.map((value) => element("td", { dir: "auto", class: new Set(values).size > 1 ? "differs" : false }, cut(value, 400)))])),
    );
  }
  function pin(here, going = false) {
    const same = here && view.pinned && view.pinned.side === here.side && view.pinned.index === here.index;
    view.pinned = here === null || (same && !going) ? null : here;
    light(view.pinned);
    about();
    if (!going || !here) return;
    // The item is read out where it stands in the table, and seen where it stands in the text.
    const listed = byId("document").querySelector(`tr.here button.item[data-side="${here.side}"][data-index="${here.index}"]`);
    if (listed) listed.focus({ preventScroll: true });
    const made = (marks.get(here.side) && marks.get(here.side).get(here.index)) || listed;
    if (made) made.scrollIntoView({ block: "center" });
  }
  // The next error, or the one before; behind the last one comes the next document.
  function move(by) {
    const errors = rowsShown.filter((row) => isError(row.kind));
    const some = errors.length ? errors : rowsShown;
    const at = some.findIndex((row) => view.pinned && view.pinned.index === (view.pinned.side < 0 ? row.gold : row.system) && (view.pinned.side < 0) === (row.gold >= 0));
    const row = some[at < 0 ? (by > 0 ? 0 : some.length - 1) : at + by];
    if (row) pin(row.gold >= 0 ? { side: -1, index: row.gold } : { side: view.system, index: row.system }, true);
    else if (listed.length > 1) {
      step(by);
      if (rowsShown.some((each) => isError(each.kind))) move(by);
    }
  }

  // ------------------------------------------------------------------------------------------------------------------
  // Controls

  const inputs = () => document.querySelectorAll("#legend input");
  function choose(kinds) {
    view.kinds = kinds;
    for (const input of inputs()) input.checked = kinds.has(outcomes.indexOf(input.value));
    refresh();
  }
  function errorsOnly() {
    const on = byId("errors").getAttribute("aria-pressed") !== "true";
    choose(new Set([...outcomes.keys()].filter((kind) => !on || isError(kind))));
  }
  function nextSystem() {
    view.system = (view.system + 1) % systems.length;
    if (view.beside === view.system) view.beside = -1;
    settle();
    refresh();
  }
  function settle() {
    for (const name of ["metric", "score", "system", "beside", "label", "field", "order"]) byId(name).value = view[name];
    byId("field-label").hidden = !hasLeaves();
    byId("search").value = view.query;
  }
  function recall() {
    const wish = state.read();
    const find = (names, name, otherwise) => (names.includes(name) ? names.indexOf(name) : otherwise);
    if (!wish.doc && (wish.q ?? wish.field) !== undefined) view.document = -1; // the first that has it
    view.document = find(ids, wish.doc, view.document);
    view.system = find(systems, wish.system, view.system);
    view.metric = find(metrics, wish.metric, view.metric);
    view.beside = find(systems, wish.beside, -1);
    view.query = wish.q || "";
    view.field = Number(Object.keys(fields).find((level) => fields[level] === wish.field) ?? -1);
    if (wish.metric) view.score = scoreFor(view.metric);
    if (view.beside === view.system) view.beside = -1;
    settle();
  }

  function start() {
    const options = (id, names, none) => byId(id).append(...(none ? [element("option", { value: -1 }, none)] : []), ...names.map((name, at) => element("option", { value: at }, cut(name, 60))));
    if (data.leaves.length) [view.metric] = data.leaves;
    if (metrics.length) view.score = scoreFor(view.metric);
    options("system", systems);
    options("metric", metrics);
    options("score", scores);
    options("beside", systems, "nothing");
    const order = [...labels.keys()].sort((a, b) => (labels[a] < labels[b] ? -1 : 1));
    byId("label").append(element("option", { value: -1 }, "all"), ...order.map((at) => element("option", { value: at }, cut(labels[at], 60))));
    byId("field").append(element("option", { value: -1 }, "all"), ...Object.entries(fields).sort(([, a], [, b]) => (a < b ? -1 : 1)).map(([level, name]) => element("option", { value: level }, cut(name, 60))));
    for (const [id, off] of [["metric-label", metrics.length < 2], ["score-label", scores.length < 2], ["beside-label", systems.length < 2], ["label-label", labels.length < 2], ["errors", !metrics.length]]) byId(id).hidden = off;
    if (systems.length < 2) byId("order").querySelector("[value=differ]").remove();
    if (!scores.length) byId("order").querySelector("[value=score]").remove();
    for (const name of ["metric", "score", "system", "beside", "label", "field"]) {
      byId(name).addEventListener("change", (event) => {
        view[name] = Number(event.target.value);
        if (name === "metric") view.score = scoreFor(view.metric);
        if (view.beside === view.system) view.beside = -1;
        settle();
        refresh();
      });
    }
    byId("order").addEventListener("change", (event) => {
      view.order = event.target.value;
      list();
      if (listed.length) open(listed[0]);
    });
    byId("all").addEventListener("click", () => {
      all = true;
      list();
    });
    byId("errors").addEventListener("click", errorsOnly);
    if (byId("legend")) byId("legend").addEventListener("change", () => choose(new Set([...inputs()].filter((input) => input.checked).map((input) => outcomes.indexOf(input.value)))));
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
    const at = (event) => {
      const made = event.target.closest("[data-side]");
      return made ? { side: Number(made.dataset.side), index: Number(made.dataset.index) } : null;
    };
    const on = (name, act) => byId("document").addEventListener(name, (event) => at(event) && act(at(event), event));
    on("click", (here) => pin(here));
    on("mouseover", light);
    on("mouseout", () => light(view.pinned));
    const help = keys({
      j: ["next error", () => move(1)],
      k: ["previous error", () => move(-1)],
      n: ["next document", () => step(1)],
      p: ["previous document", () => step(-1)],
      s: ["next system", nextSystem],
      c: ["counterpart of the item", () => view.pinned && mateOf(view.pinned) && pin(mateOf(view.pinned), true)],
      e: ["errors only, or everything", errorsOnly],
      "/": ["search", () => byId("search").focus()],
      Escape: ["let go of the item, leave the search", () => {
        if (document.activeElement) document.activeElement.blur();
        pin(null);
      }],
      "?": ["this list", () => help()],
    }, () => current() === "documents");
    byId("help").addEventListener("click", () => help());
    byId("tools").hidden = false;
    byId("panes").hidden = false;
  }

  let started = false;
  opened.set("documents", () => {
    if (!started) start();
    const first = !started;
    started = true;
    if (location.hash.includes("=")) recall();
    else if (first) {
      view.document = -1;
      settle();
    } else return;
    refresh();
  });
})();
