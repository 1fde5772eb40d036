// The page of event arguments and linking. Documents are drawn when somebody looks at them.
(() => {
  const { bar, browse, byId, cut, data, draw, element, fill, hits, inUnits, state, stretches } = adjudge;
  const { documents, systems, types, roles, realis, reasons, said, kinds, pairs, status } = data;
  const number = (list, key) => list.findIndex((each) => each.key === key);
  const [CORRECT, UNASSESSED, REDUNDANT, REMOVED, MISSED] = ["correct", "unassessed", "redundant", "removed", "missed"].map((key) => number(kinds, key));
  const PAIR = Object.fromEntries(pairs.map((each, at) => [each.key, at]));
  const SUMMARY = -1;
  const LIMIT = 60; // links that are listed
  const view = {
    document: SUMMARY, system: 0, other: -1, kinds: new Set(kinds.keys()), pairs: new Set(pairs.keys()),
    type: -1, role: -1, reason: -1, query: "", order: "file", spans: true, pinned: null,
  };
  let tallies = { type: new Map(), role: new Map() }; // outcomes by type and by role, of all documents in the list
  let rowsHere = []; // what the document shows, in the order of the table

  // In the pool of a document a response is [type, role, realis, filler, class, CAS from, to, base filler from, to,
  // justifications, additional ones], a class is [type, role, realis, filler]. A row of a system is
  // [response, id, confidence, kind, reasons, said, instead, frames, misses].
  const comparing = () => view.other >= 0;
  const percent = (value) => (value === null || value === undefined ? "n/a" : (100 * value).toFixed(1));
  const count = (size, word) => `${size} ${word}${size === 1 ? "" : "s"}`;

  // ------------------------------------------------------------------------------------------------------------------
  // What there is in a document

  // Responses of a system, and the classes that it misses.
  function rows(doc, system) {
    const mine = doc.systems[system];
    const found = mine.rows.map((row, at) => {
      const [type, role, , , cls] = doc.pool[row[0]];
      return { kind: row[3], at, response: row[0], cls, type, role, row, lost: false };
    });
    const gold = goldOf(doc);
    for (const [cls, wrong] of mine.missed) {
      const [type, role] = doc.classes[cls];
      found.push({ kind: MISSED, at: -1, response: (gold.get(cls) || [-1])[0], cls, type, role, row: null, lost: Boolean(wrong) });
    }
    return found;
  }

  const goldOf = (doc) => new Map(doc.correct.map(([cls, ...responses]) => [cls, responses]));

  // Classes of the key, and false positives, by which of two systems has them.
  function compared(doc) {
    const sides = [view.system, view.other].map((system) => {
      const right = new Map();
      const wrong = new Map();
      doc.systems[system].rows.forEach((row, at) => {
        const cls = doc.pool[row[0]][4];
        if (row[3] === CORRECT) right.set(cls, at);
        else if (row[3] !== REDUNDANT && row[3] !== REMOVED && !wrong.has(cls)) wrong.set(cls, at);
      });
      return { right, wrong };
    });
    const found = [];
    const add = (key, cls, response) => {
      const [type, role] = doc.classes[cls];
      found.push({ kind: PAIR[key], cls, type, role, response, of: sides.map(({ right, wrong }) => right.get(cls) ?? wrong.get(cls) ?? -1) });
    };
    const correct = goldOf(doc);
    for (const [cls, responses] of correct) {
      const [a, b] = sides.map((side) => side.right.has(cls));
      add(a && b ? "both" : a ? "only-a" : b ? "only-b" : "neither", cls, responses[0] ?? -1);
    }
    for (const cls of new Set(sides.flatMap(({ wrong }) => [...wrong.keys()]))) {
      if (correct.has(cls)) continue;
      const [a, b] = sides.map(({ wrong }) => wrong.has(cls));
      const first = doc.systems[a ? view.system : view.other].rows[sides[a ? 0 : 1].wrong.get(cls)];
      add(a && b ? "false-both" : a ? "false-a" : "false-b", cls, first[0]);
    }
    return found;
  }

  const entries = () => (comparing() ? pairs : kinds);
  const chosen = () => (comparing() ? view.pairs : view.kinds);
  const content = (doc) => (comparing() ? compared(doc) : rows(doc, view.system));

  const fits = (type, role, why) => (view.type < 0 || type === view.type) && (view.role < 0 || role === view.role)
    && (comparing() || view.reason < 0 || (why !== null && why.includes(view.reason)));
  const suits = (row) => fits(row.type, row.role, row.row ? row.row[4] : null);

  // All rows of a document that suit, for counting: `see(kind, type, role)`, without making anything.
  function survey(doc, see) {
    if (comparing()) {
      for (const row of compared(doc)) if (fits(row.type, row.role, null)) see(row.kind, row.type, row.role);
      return;
    }
    const mine = doc.systems[view.system];
    for (const row of mine.rows) {
      const response = doc.pool[row[0]];
      if (fits(response[0], response[1], row[4])) see(row[3], response[0], response[1]);
    }
    for (const [cls] of mine.missed) {
      const each = doc.classes[cls];
      if (fits(each[0], each[1], null)) see(MISSED, each[0], each[1]);
    }
  }

  const filtered = () => chosen().size < entries().length || view.type >= 0 || view.role >= 0 || (!comparing() && view.reason >= 0);
  const isError = (kind) => (comparing() ? kind !== PAIR.both : kind !== CORRECT && kind !== REDUNDANT && kind !== REMOVED);

  function matches(doc) {
    if (!view.query) return true;
    return hits(doc.id, view.query).length > 0 || hits(doc.text, view.query).length > 0
      || doc.words.some((word) => hits(word, view.query).length > 0);
  }

  // ------------------------------------------------------------------------------------------------------------------
  // The list of documents, the numbers of the legend, and tables over all documents

  function list() {
    const totals = entries().map(() => 0);
    const found = [];
    const on = entries().map((_, kind) => chosen().has(kind));
    tallies = { type: new Map(), role: new Map() };
    const into = (map, value, kind) => {
      let counts = map.get(value);
      if (!counts) map.set(value, counts = entries().map(() => 0));
      counts[kind] += 1;
    };
    documents.forEach((doc, at) => {
      if (!matches(doc)) return;
      const counts = entries().map(() => 0);
      let some = false;
      let errors = 0;
      survey(doc, (kind, type, role) => {
        totals[kind] += 1;
        if (!on[kind]) return;
        counts[kind] += 1;
        some = true;
        if (isError(kind)) errors += 1;
        into(tallies.type, type, kind);
        into(tallies.role, role, kind);
      });
      if (some || !filtered()) found.push({ at, counts, errors });
    });
    if (view.order === "errors") found.sort((a, b) => b.errors - a.errors || a.at - b.at);
    const note = comparing() ? "differences and errors" : "errors";
    return {
      before: [{ number: SUMMARY, title: comparing() ? "Both systems" : "All documents" }],
      entries: found.map(({ at, counts, errors }) => ({ number: at, title: documents[at].id, said: String(errors), note, counts })),
      totals,
      of: documents.length,
    };
  }

  // How often each outcome occurs for each value of a field of the rows.
  function tally(title, names, field) {
    const counts = tallies[field];
    const order = [...counts.keys()].sort((a, b) => (names[a] < names[b] ? -1 : 1));
    const heads = entries().map((entry) => element("th", { scope: "col", class: "number", title: entry.label }, element("span", { class: `n d0 k-${entry.key}` }, entry.sign)));
    return element(
      "details", { class: "more", open: "" },
      element("summary", {}, title, " ", element("small", {}, String(order.length))),
      element("div", { class: "wide" }, element(
        "table", { class: "tally" },
        element("thead", {}, element("tr", {}, element("th", { scope: "col" }, ""), ...heads, element("th", { scope: "col" }, ""))),
        element("tbody", {}, ...order.map((value) => element(
          "tr", {}, element("th", { scope: "row" }, cut(names[value])),
          ...counts.get(value).map((size) => element("td", { class: "number" }, size ? String(size) : "")),
          element("td", {}, bar(counts.get(value).map((size, kind) => [entries()[kind].key, size]))),
        ))),
      )),
    );
  }

  function summary() {
    const own = systems[view.system];
    const lines = [];
    const scores = (system) => Object.entries(data.totals[system]).map(([metric, text]) => `${metric} ${text}`).join(", ");
    if (comparing()) {
      const other = systems[view.other];
      lines.push(element("p", { class: "facts" }, `First: ${own}. ${scores(view.system)}`), element("p", { class: "facts" }, `Second: ${other}. ${scores(view.other)}`));
      const wins = (data.wins[own] || {})[other];
      if (wins !== undefined) lines.push(element("p", { class: "facts" }, `${own} is above ${other} in ${percent(wins)} % of the corpora, below it in ${percent(data.wins[other][own])} %.`));
      lines.push(linkTotals());
    } else {
      lines.push(element("p", { class: "facts" }, scores(view.system)));
      const notes = data.notes[own] || [];
      if (notes.length) lines.push(element("ul", { class: "notes" }, ...notes.map((line) => element("li", {}, line))));
    }
    return [
      element("header", {}, element("h3", {}, comparing() ? `${own} and ${systems[view.other]}` : own), element("button", { type: "button", click: () => around.step(1), title: "First document (n)" }, "documents →")),
      ...lines,
      tally("By event type", types, "type"),
      tally("By role", roles, "role"),
    ];
  }

  // ------------------------------------------------------------------------------------------------------------------
  // Frames and links

  const key = (one, other) => (one < other ? `${one} ${other}` : `${other} ${one}`);

  function pairsOf(frames) {
    const found = new Set();
    for (const frame of frames) frame.forEach((one, at) => frame.slice(at + 1).forEach((other) => { if (one !== other) found.add(key(one, other)); }));
    return found;
  }

  const common = (frame) => frame.filter(([, what]) => status[what] === "common").map(([cls]) => cls);
  const goldLinks = (doc) => pairsOf(doc.frames);
  const systemLinks = (doc, system) => pairsOf(doc.systems[system].frames.map(common));

  function linkTotals() {
    if (!data.linking) return null;
    const totals = [0, 0, 0, 0];
    for (const doc of documents) {
      const [a, b] = [view.system, view.other].map((system) => systemLinks(doc, system));
      for (const link of goldLinks(doc)) totals[a.has(link) ? (b.has(link) ? 0 : 1) : b.has(link) ? 2 : 3] += 1;
    }
    const [both, first, second, neither] = totals;
    return element("p", { class: "facts" }, `Links of the reference frames: ${both} in both, ${first} only in ${systems[view.system]}, ${second} only in ${systems[view.other]}, ${neither} in neither.`);
  }

  const describe = (doc, cls) => {
    const [type, role, real, word] = doc.classes[cls];
    return `${cut(doc.words[word])} (${types[type]} ${roles[role]}${realis[real] === "Actual" ? "" : `, ${realis[real]}`})`;
  };

  function linkLine(doc, title, links) {
    if (!links.length) return null;
    const line = (link) => {
      const [one, other] = link.split(" ").map(Number);
      return element("li", {}, `${describe(doc, one)} – ${describe(doc, other)}`);
    };
    const more = links.length > LIMIT ? [element("li", {}, `and ${links.length - LIMIT} more`)] : [];
    return element("details", { class: "links", open: links.length <= 6 ? "" : false }, element("summary", {}, element("b", {}, title), ` ${links.length}`), element("ul", {}, ...links.slice(0, LIMIT).map(line), ...more));
  }

  function member(doc, cls, what) {
    const [type, role, real, word] = doc.classes[cls];
    const kind = { common: "correct", missing: "missed", spurious: "wrong-filler" }[what];
    const sign = { common: "", missing: " − missing", spurious: " + spurious" }[what];
    return element("li", {}, element("span", { class: `n d0 k-${kind}`, dir: "auto" }, cut(doc.words[word])), element("small", {}, ` ${types[type]} ${roles[role]}${realis[real] === "Actual" ? "" : ` ${realis[real]}`}${sign}`));
  }

  function frameList(doc) {
    const mine = doc.systems[view.system];
    if (!data.linking || !mine.beside.length) return null;
    const gold = goldLinks(doc);
    const own = systemLinks(doc, view.system);
    const present = new Set(mine.frames.flatMap(common));
    const side = (title, members) => element("div", {}, element("h5", {}, title), members ? element("ul", {}, ...members) : element("p", { class: "remark" }, "nothing"));
    const items = mine.beside.map(([one, other]) => {
      const left = one < 0 ? null : doc.frames[one];
      const right = other < 0 ? null : mine.frames[other];
      return element(
        "li", {},
        element(
          "div", { class: "sides" },
          side("reference", left && left.map((cls) => member(doc, cls, present.has(cls) ? "common" : "missing"))),
          side(systems[view.system], right && right.map(([cls, what]) => member(doc, cls, status[what]))),
        ),
        left && linkLine(doc, "links lost", [...pairsOf([left])].filter((link) => !own.has(link))),
        right && linkLine(doc, "links gained", [...pairsOf([common(right)])].filter((link) => !gold.has(link))),
      );
    });
    const lost = [...gold].filter((link) => !own.has(link)).length;
    const gained = [...own].filter((link) => !gold.has(link)).length;
    return element(
      "details", { class: "more", open: "" },
      element("summary", {}, "Frames ", element("small", {}, `reference beside ${systems[view.system]}; links: ${gold.size - lost} found, ${lost} lost, ${gained} gained`)),
      element("ul", { class: "frames" }, ...items),
    );
  }

  function comparedLinks(doc) {
    if (!data.linking) return null;
    const gold = goldLinks(doc);
    const [a, b] = [view.system, view.other].map((system) => systemLinks(doc, system));
    const lines = [
      linkLine(doc, `links only ${systems[view.system]} finds`, [...gold].filter((link) => a.has(link) && !b.has(link))),
      linkLine(doc, `links only ${systems[view.other]} finds`, [...gold].filter((link) => b.has(link) && !a.has(link))),
      linkLine(doc, `wrong links only of ${systems[view.system]}`, [...a].filter((link) => !gold.has(link) && !b.has(link))),
      linkLine(doc, `wrong links only of ${systems[view.other]}`, [...b].filter((link) => !gold.has(link) && !a.has(link))),
    ].filter(Boolean);
    return lines.length ? element("details", { class: "more", open: "" }, element("summary", {}, "Links"), ...lines) : null;
  }

  // ------------------------------------------------------------------------------------------------------------------
  // The text

  // Offsets of the files as offsets of the browser, the end exclusive.
  function place(doc, from, to) {
    const units = inUnits(doc.wide);
    const begin = Math.max(units(from), 0);
    const end = Math.min(units(to + 1), doc.text.length);
    return begin < end ? [begin, end] : null;
  }

  const spansOf = (doc, flat) => {
    const found = [];
    for (let at = 0; at < flat.length; at += 2) found.push(place(doc, flat[at], flat[at + 1]));
    return found.filter(Boolean);
  };

  const LAYERS = ["pj", "the-pj", "the-aj", "bf", "the-bf", "the-cas", "cas"];

  // Marks of a document: {layer, begin, end, kind, rows}; overlapping justifications are one.
  function marksOf(doc, found) {
    const marks = [];
    const add = (layer, spans, more = {}) => spans.forEach(([begin, end]) => marks.push({ layer, begin, end, ...more }));
    const fillers = new Map();
    const bases = new Map();
    let because = [];
    for (const row of found) {
      if (row.response < 0) continue;
      const [, , , , , cas, casEnd, base, baseEnd, justifications] = doc.pool[row.response];
      const name = `${cas} ${casEnd} ${row.kind}`;
      if (!fillers.has(name)) fillers.set(name, { spans: [place(doc, cas, casEnd)].filter(Boolean), kind: row.kind, rows: [] });
      fillers.get(name).rows.push(row);
      if (view.spans && (base !== cas || baseEnd !== casEnd)) bases.set(`${base} ${baseEnd}`, [base, baseEnd]);
      if (view.spans) because = because.concat(spansOf(doc, justifications));
    }
    because.sort((a, b) => a[0] - b[0]);
    let last = null;
    for (const [begin, end] of because) {
      if (last && begin <= last.end) last.end = Math.max(last.end, end);
      else {
        last = { layer: "pj", begin, end };
        marks.push(last);
      }
    }
    for (const [from, to] of bases.values()) add("bf", [place(doc, from, to)].filter(Boolean));
    for (const { spans, kind, rows: these } of fillers.values()) add("cas", spans, { kind, rows: these });
    const pinned = view.pinned && view.pinned.response >= 0 ? doc.pool[view.pinned.response] : null;
    if (pinned) {
      add("the-pj", spansOf(doc, pinned[9]));
      add("the-aj", spansOf(doc, pinned[10]));
      add("the-bf", spansOf(doc, pinned.slice(7, 9)));
      add("the-cas", spansOf(doc, pinned.slice(5, 7)));
    }
    return marks;
  }

  // The outer of two marks is that of the outer layer.
  const outer = (a, b) => LAYERS.indexOf(a.mark.layer) - LAYERS.indexOf(b.mark.layer) || a.begin - b.begin || b.end - a.end || a.at - b.at;

  // Marks in stretches; a filler knows how deep it is among fillers, and where it ends.
  function marked(doc) {
    const places = marksOf(doc, rowsHere).map((mark) => ({ mark, pieces: [[mark.begin, mark.end]] }));
    return stretches(doc.text, places, outer).map(([begin, end, ...these]) => {
      let depth = 0;
      return [begin, end, ...these.map((mark) => ({ mark, depth: mark.layer === "cas" ? depth++ : 0, last: end === mark.end }))];
    });
  }

  function drawText(doc) {
    const target = byId("text");
    if (!target) return;
    target.replaceChildren();
    const make = ({ mark, depth, last }) => {
      if (mark.layer !== "cas") return element("span", { class: mark.layer });
      const entry = entries()[mark.kind];
      const what = mark.rows.map((row) => `${types[row.type]} ${roles[row.role]}`).join(", ");
      const made = element("mark", {
        class: `n d${Math.min(depth, 3)} k-${entry.key}`,
        "data-sign": last ? entry.sign : false,
        title: `${entry.label}: ${what}`,
        tabindex: last ? 0 : false,
        role: last ? "button" : false,
        "aria-label": last ? `${entry.label}: ${what}` : false,
      });
      const next = (event) => {
        event.stopPropagation();
        const at = mark.rows.indexOf(view.pinned);
        pin(mark.rows[(at + 1) % mark.rows.length]);
      };
      made.addEventListener("click", next);
      made.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        next(event);
      });
      return made;
    };
    draw(target, doc.text, marked(doc), hits(doc.text, view.query), make);
  }

  function textPart(doc) {
    if (doc.text === null) return null;
    const sample = (name, label) => element("span", { class: "text" }, element("span", { class: name }, label));
    return element(
      "section", { class: "sheet", "aria-label": "Text" },
      element("p", { class: "key" }, "Marks are fillers (CAS), by outcome.", sample("pj", "justification"), sample("bf", "base filler"), "Of the chosen response:", sample("the-cas", "CAS"), sample("the-bf", "base filler"), sample("the-pj", "justification"), sample("the-aj", "more justification")),
      element("div", { class: "text", id: "text", dir: "auto" }),
    );
  }

  // ------------------------------------------------------------------------------------------------------------------
  // A document

  const chip = (list_, kind) => element("span", { class: `n d0 k-${list_[kind].key}` }, `${list_[kind].sign} ${list_[kind].label}`);

  function why(doc, row) {
    if (row.row === null) return row.lost ? "the response that stands for the class is wrong" : "no response";
    return said[row.row[5]] + (row.row[8] ? " (and the class is missed)" : "");
  }

  function rowLine(doc, row, cells) {
    const line = element("tr", { tabindex: 0, click: () => pin(row), keydown: (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      pin(row);
    } }, ...cells);
    row.line = line;
    return line;
  }

  const cell = (text, name) => element("td", { class: name || false, dir: "auto" }, text);

  function responseTable(doc) {
    const line = (row) => {
      const response = row.response < 0 ? null : doc.pool[row.response];
      const [type, role, real, word] = row.row === null || response === null ? doc.classes[row.cls] : response;
      return rowLine(doc, row, [
        element("td", {}, chip(kinds, row.kind)), cell(why(doc, row)), cell(cut(types[type])), cell(cut(roles[role])), cell(cut(doc.words[word])), cell(realis[real]),
        cell(row.row === null ? "" : String(row.row[2]), "number"),
        cell(row.row === null ? "" : row.row[7].map((frame) => frame + 1).join(", "), "number"),
        cell(row.row === null ? "" : row.row[1].slice(0, 12), "id"),
      ]);
    };
    return table("Responses and misses", ["outcome", "why", "type", "role", "filler", "realis", "confidence", "frames", "id"], line);
  }

  function pairTable(doc) {
    const outcome = (side, at) => {
      if (at < 0) return cell("–", "quiet");
      const row = doc.systems[side].rows[at];
      return element("td", {}, chip(kinds, row[3]), row[5] !== undefined && said[row[5]] ? element("div", { class: "quiet" }, said[row[5]]) : null);
    };
    const line = (row) => {
      const [type, role, real, word] = doc.classes[row.cls];
      return rowLine(doc, row, [
        element("td", {}, chip(pairs, row.kind)), cell(cut(types[type])), cell(cut(roles[role])), cell(cut(doc.words[word])), cell(realis[real]), outcome(view.system, row.of[0]), outcome(view.other, row.of[1]),
      ]);
    };
    return table("Classes", ["outcome", "type", "role", "filler", "realis", systems[view.system], systems[view.other]], line);
  }

  function table(title, heads, line) {
    return element(
      "details", { class: "more", open: "" },
      element("summary", {}, title, " ", element("small", {}, String(rowsHere.length))),
      element("div", { class: "wide" }, element(
        "table", { class: "rows" },
        element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
        element("tbody", {}, ...rowsHere.map(line)),
      )),
    );
  }

  function show() {
    const target = byId("document");
    rowsHere = [];
    remember();
    if (!systems.length) return;
    if (view.document === SUMMARY) {
      target.replaceChildren(...summary().filter(Boolean));
      return;
    }
    const doc = documents[view.document];
    rowsHere = content(doc).filter((row) => chosen().has(row.kind) && suits(row)).sort((a, b) => a.kind - b.kind);
    const facts = (system) => {
      const [overall, argument, linking, tp, fp, fn] = doc.systems[system].scores;
      return (data.linking ? `overall ${percent(overall)}, argument ${percent(argument)}, linking ${percent(linking)}` : `argument ${percent(argument)}`) + `; ${tp} right, ${fp} wrong, ${fn} missed`;
    };
    const parts = [
      around.header(doc.id),
      ...(comparing() ? [view.system, view.other] : [view.system]).map((system) => element("p", { class: "facts" }, element("b", {}, systems[system]), `: ${facts(system)}`)),
      textPart(doc),
      element("aside", { class: "about", id: "about", hidden: "" }),
      comparing() ? pairTable(doc) : responseTable(doc),
      comparing() ? comparedLinks(doc) : frameList(doc),
    ];
    target.replaceChildren(...parts.filter(Boolean));
    drawText(doc);
  }

  const quoted = (doc, from, to) => {
    const found = doc.text === null ? null : place(doc, from, to);
    const text = found ? doc.text.slice(...found) : "";
    return `${from}–${to}${text ? `: ${text.length > 300 ? `${text.slice(0, 300)}…` : text}` : ""}`;
  };

  // What is known of the response that was chosen.
  function about() {
    const target = byId("about");
    if (!target) return;
    target.hidden = !view.pinned;
    if (!view.pinned) return;
    const doc = documents[view.document];
    const row = view.pinned;
    const response = row.response < 0 ? null : doc.pool[row.response];
    const fields = [];
    const field = (name, ...values) => fields.push(element("dt", {}, name), ...values.map((value) => element("dd", { dir: "auto" }, value)));
    if (response) {
      const [type, role, real, word, , cas, casEnd, base, baseEnd, because, additional] = response;
      field("response", `${types[type]} ${roles[role]}, ${realis[real]}`);
      field("CAS", cut(doc.words[word], 400), quoted(doc, cas, casEnd));
      field("base filler", quoted(doc, base, baseEnd));
      for (let at = 0; at < because.length; at += 2) field("justification", quoted(doc, because[at], because[at + 1]));
      for (let at = 0; at < additional.length; at += 2) field("more justification", quoted(doc, additional[at], additional[at + 1]));
    }
    field("class", describe(doc, row.cls));
    if (row.row) {
      field("confidence", String(row.row[2]));
      field("id", row.row[1]);
      if (row.row[7].length) field("frames", row.row[7].map((frame) => frame + 1).join(", "));
      if (row.row[6] >= 0) field("stands for it", doc.systems[view.system].rows[row.row[6]][1]);
    }
    const good = (goldOf(doc).get(row.cls) || []).filter((each) => each !== row.response);
    if (good.length) field("the key has", ...good.slice(0, 4).map((each) => `${cut(doc.words[doc.pool[each][3]])} ${quoted(doc, doc.pool[each][5], doc.pool[each][6])}`));
    target.replaceChildren(
      element("button", { type: "button", class: "close", title: "Let go (Escape)", click: () => pin(null) }, "×"),
      chip(entries(), row.kind), comparing() ? "" : ` ${why(doc, row)}`,
      element("dl", {}, ...fields),
    );
  }

  function pin(row) {
    if (view.pinned && view.pinned.line) view.pinned.line.classList.remove("here");
    view.pinned = row === view.pinned ? null : row;
    if (view.pinned && view.pinned.line) view.pinned.line.classList.add("here");
    if (view.document >= 0 && documents[view.document].text !== null) {
      drawText(documents[view.document]);
      const mark = byId("text") && byId("text").querySelector(".the-cas");
      if (mark && view.pinned) mark.scrollIntoView({ block: "nearest" });
    }
    about();
  }

  // ------------------------------------------------------------------------------------------------------------------
  // Going around

  function move(by) {
    const next = around.after(rowsHere, rowsHere.indexOf(view.pinned), by);
    if (next) pin(next);
  }

  function chooseSystems(system, other) {
    if (system < 0 || system >= systems.length) return;
    view.system = system;
    view.other = other === system ? -1 : other;
    around.refresh();
  }

  function toggleSpans() {
    view.spans = !view.spans;
    around.press("spans", view.spans);
    if (view.document >= 0) drawText(documents[view.document]);
  }

  // The address says what is looked at: #system=NAME or #compare=NAME,NAME, and &doc=ID.
  function remember() {
    const values = comparing() ? { compare: `${systems[view.system]},${systems[view.other]}` } : { system: systems[view.system] };
    if (view.document >= 0) values.doc = documents[view.document].id;
    state.write(values);
  }

  // Names may have commas in them, so every way to part the two is tried.
  function parted(text) {
    for (let at = text.indexOf(","); at >= 0; at = text.indexOf(",", at + 1)) {
      const both = [systems.indexOf(text.slice(0, at)), systems.indexOf(text.slice(at + 1))];
      if (both[0] >= 0 && both[1] >= 0 && both[0] !== both[1]) return both;
    }
    return null;
  }

  function recall() {
    const wish = state.read();
    const both = wish.compare === undefined ? null : parted(wish.compare);
    const system = systems.indexOf(wish.system);
    if (both) [view.system, view.other] = both;
    else if (system >= 0) [view.system, view.other] = [system, -1];
    const at = documents.findIndex((doc) => doc.id === wish.doc);
    view.document = at < 0 ? SUMMARY : at;
    if (both || system >= 0) byId("main").scrollIntoView();
  }

  // What is shown of the controls depends on whether one system or two are looked at.
  function controls() {
    byId("legend").hidden = comparing();
    byId("pairs").hidden = !comparing();
    byId("reasons").hidden = comparing();
    byId("system").value = view.system;
    byId("other").value = view.other;
  }

  // Putting it together.
  const around = browse({
    view,
    show,
    recall,
    isError,
    chosen,
    kinds: entries,
    legend: () => (comparing() ? "pairs" : "legend"),
    choose: (kinds_) => (comparing() ? (view.pairs = kinds_) : (view.kinds = kinds_)),
    list: () => {
      controls();
      return list();
    },
  });
  fill("system", systems);
  fill("other", systems, "the key", false);
  fill("type", types, "all");
  fill("role", roles, "all");
  fill("reason", reasons, "all");
  byId("system").addEventListener("change", (event) => chooseSystems(Number(event.target.value), view.other));
  byId("other").addEventListener("change", (event) => chooseSystems(view.system, Number(event.target.value)));
  for (const name of ["type", "role", "reason"]) around.field(name, (value) => (view[name] = Number(value)));
  byId("spans").addEventListener("click", toggleSpans);
  if (systems.length) {
    around.start({
      word: "response",
      move,
      release: () => view.pinned && pin(null),
      system: () => chooseSystems((view.system + 1) % systems.length, view.other),
      more: { b: ["base fillers and justifications", toggleSpans] },
    });
  }
})();
