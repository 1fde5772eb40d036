// The leaves of nested records as tables: one for each record, with a table inside for each element of its lists. A row
// has the `groups` that it stands in, outermost first (documents.py), its `field` in the innermost, and its `line`.
const leaves = (() => {
  const { cut, element } = adjudge;
  const { compare } = new Intl.Collator("en", { numeric: true });
  const isExtra = (name) => name.startsWith("+");
  const plain = (name) => name.replace(/^\+/, "");
  const within = (name, outer) => (outer && name.startsWith(outer) ? name.slice(outer.length).replace(/^\./, "") : name);

  // The field of a leaf in its element: price for records[*].lines[*].price in records[0].lines[2].
  const fieldIn = (level, groups) => within(level, plain(groups.at(-1)).replace(/\[\d+\]/g, "[*]")).replaceAll("[*]", "[]");

  // A record's own fields, then the elements of its lists; what only the system has is last.
  function sorted(rows) {
    return [...rows].sort((a, b) => {
      const at = a.groups.findIndex((name, depth) => name !== b.groups[depth]);
      if (at >= 0 && at < b.groups.length) return isExtra(a.groups[at]) - isExtra(b.groups[at]) || compare(a.groups[at], b.groups[at]);
      return a.groups.length - b.groups.length || compare(a.field, b.field);
    });
  }

  // Where the elements of gold stand in the system, from the ids of its leaves.
  function matesOf(items) {
    const found = new Map();
    for (const { id, group } of items) {
      const bare = id.replace(/(?<=\.)"(?:[^"\\]|\\.)*"/g, (name) => "_".repeat(name.length)); // names with brackets of their own
      const places = Array.from(bare.matchAll(/\[\d+\]/g), (each) => id.slice(0, each.index + each[0].length));
      group.forEach((name, depth) => found.set(name, places[depth]));
    }
    return found;
  }

  function caption(groups, depth, mates) {
    const [name, outer] = [groups[depth], groups[depth - 1]];
    const mate = mates.get(name);
    const own = mate && within(mate, outer && mates.get(outer));
    const shown = within(plain(name), outer && plain(outer));
    const said = isExtra(name) ? "only in the system" : mate === undefined ? "nothing of it in the system" : own === shown ? "" : `${own} in the system`;
    return element("caption", {}, cut(shown, 60), said ? element("small", {}, ` ${said}`) : null);
  }

  // The tables of sorted rows, one for each record.
  function tables(rows, heads, mates) {
    const made = [];
    let open = [];
    for (const { groups, line } of rows) {
      const differs = groups.findIndex((name, depth) => !open[depth] || open[depth].name !== name);
      open = open.slice(0, differs < 0 ? groups.length : differs);
      for (let depth = open.length; depth < groups.length; depth += 1) {
        const body = element("tbody");
        const head = element("thead", {}, element("tr", {}, heads.map((each) => element("th", { scope: "col" }, each))));
        const table = element("table", { class: "leaves" }, caption(groups, depth, mates), head, body);
        if (depth) open[depth - 1].body.append(element("tr", { class: "inside" }, element("td", { colspan: heads.length }, table)));
        else made.push(table);
        open.push({ name: groups[depth], body });
      }
      open.at(-1).body.append(line);
    }
    return made;
  }

  return { fieldIn, matesOf, sorted, tables };
})();
