// Documents as points, one system against another, and downloads of charts and tables.
(() => {
  const { data, element } = adjudge;
  const { ids, scores, systems, values } = data;
  const byId = (id) => document.getElementById(id);
  const SVG = ["http:", "", "www.w3.org", "2000", "svg"].join("/"); // a name, not an address
  const percent = (value) => (100 * value).toFixed(1);

  function shape(name, attributes, ...children) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  // Downloads: a table as CSV, a chart as SVG with its colours of print.
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
    return [...table.rows].map((row) => [...row.cells].map(cell).join(",")).join("\n") + "\n";
  }
  function svg(chart) {
    const copy = chart.cloneNode(true);
    const [, , width, height] = copy.getAttribute("viewBox").split(" ");
    copy.setAttribute("xmlns", SVG);
    copy.setAttribute("font-family", "system-ui, Arial, sans-serif");
    copy.prepend(shape("title", {}, chart.getAttribute("aria-label") || ""), shape("rect", { width, height, fill: "#ffffff" }));
    return new XMLSerializer().serializeToString(copy);
  }
  function buttons(name, holder) {
    const made = element("p", { class: "downloads" });
    if (holder.querySelector("table")) {
      made.append(element("button", { type: "button", "aria-label": `Download ${name} as CSV`, click: () => {
        if (name === "scatter") tabulate();
        offer(`${name}.csv`, "text/csv", csv(holder.querySelector("table")));
      } }, "CSV"));
    }
    if (holder.matches("figure")) {
      made.append(element("button", { type: "button", "aria-label": `Download ${name} as SVG`, click: () => offer(`${name}.svg`, "image/svg+xml", svg(holder.querySelector("svg"))) }, "SVG"));
    }
    holder.append(made);
  }

  // The scatter plot.
  function scatter() {
    const score = Number(byId("scatter-score").value);
    const [a, b] = [Number(byId("scatter-a").value), Number(byId("scatter-b").value)];
    const points = ids.map((id, number) => ({ id, number, x: values[score][a][number], y: values[score][b][number] })).filter(({ x, y }) => x !== null && y !== null);
    const every = points.flatMap(({ x, y }) => [x, y]);
    const low = every.reduce((least, value) => Math.min(least, value), 0);
    const high = every.reduce((most, value) => Math.max(most, value), 1);
    const [size, left, top] = [420, 58, 16];
    const at = (value) => ((value - low) / (high - low || 1)) * size;
    const chart = shape("svg", { class: "chart", role: "img", viewBox: `0 0 ${left + size + 24} ${top + size + 52}`, width: left + size + 24, height: top + size + 52, "font-size": 12, focusable: "false" });
    const text = (said, x, y, anchor, more = {}) => shape("text", { class: "c-text", x, y, "text-anchor": anchor, fill: "#5c6470", ...more }, said);
    for (let tick = 0; tick <= 5; tick += 1) {
      const value = low + ((high - low) * tick) / 5;
      const place = at(value);
      chart.append(
        shape("path", { class: "c-grid", d: `M${left + place} ${top}v${size}M${left} ${top + size - place}h${size}`, stroke: "#dcdfe3", fill: "none" }),
        text((100 * value).toFixed(0), left + place, top + size + 17, "middle"),
        text((100 * value).toFixed(0), left - 8, top + size - place + 4, "end"),
      );
    }
    chart.append(
      shape("path", { class: "c-axis", d: `M${left} ${top}v${size}h${size}`, stroke: "#5c6470", fill: "none" }),
      shape("path", { class: "c-drop", d: `M${left} ${top + size}l${size} ${-size}`, stroke: "#5c6470", "stroke-dasharray": "4 4", fill: "none" }),
      text(name(a), left + size / 2, top + size + 38, "middle"),
      text(name(b), 0, 0, "middle", { transform: `translate(14 ${top + size / 2}) rotate(-90)` }),
    );
    // Documents with the same two scores are one point, the larger the more there are.
    const places = new Map();
    for (const point of points) {
      const key = `${point.x} ${point.y}`;
      if (!places.has(key)) places.set(key, []);
      places.get(key).push(point);
    }
    for (const same of [...places.values()].sort((one, other) => other.length - one.length)) {
      const [{ x, y, number }] = same;
      const side = y > x ? "s1" : y < x ? "s0" : "s7";
      const listed = same.slice(0, 5).map(({ id }) => (id.length > 60 ? `${id.slice(0, 59)}…` : id)).join(", ");
      const dot = shape("circle", { class: `c-area ${side}`, cx: left + at(x), cy: top + size - at(y), r: Math.min(3.5 + 1.5 * Math.sqrt(same.length - 1), 14), fill: "#4d5560", "fill-opacity": ".35", stroke: "#4d5560" },
        shape("title", {}, `${listed}${same.length > 5 ? ` and ${same.length - 5} more` : ""}: ${percent(x)} and ${percent(y)}`));
      if (adjudge.openDocument) dot.addEventListener("click", () => adjudge.openDocument(number));
      chart.append(dot);
    }
    const [above, below] = [points.filter(({ x, y }) => y > x).length, points.filter(({ x, y }) => y < x).length];
    const said = `${scores[score]}: ${systems[b]} is higher on ${above} documents, ${systems[a]} on ${below}, both are level on ${points.length - above - below}.`;
    chart.setAttribute("aria-label", said);
    byId("scatter-said").textContent = `${said} Points above the line are documents on which ${systems[b]} is higher; a click opens the document.`;
    byId("scatter-chart").replaceChildren(chart);
    tabulate = () => table(points, a, b);
    if (byId("scatter-table").closest("details").open) tabulate();
    else byId("scatter-table").replaceChildren(element("table"));
  }

  // The table is made when somebody opens it or wants it as a file.
  let tabulate = () => {};
  function table(points, a, b) {
    const order = [...points].sort((one, other) => Math.abs(other.y - other.x) - Math.abs(one.y - one.x));
    const head = element("thead", {}, element("tr", {}, ...["document", systems[a], systems[b], "difference"].map((each, place) => element("th", { scope: "col", class: place ? "number" : false }, each))));
    const rows = order.map(({ id, number, x, y }) => element(
      "tr", {},
      element("th", { scope: "row" }, adjudge.openDocument ? element("button", { type: "button", class: "item", click: () => adjudge.openDocument(number) }, id) : id),
      ...[percent(x), percent(y), percent(y - x)].map((each) => element("td", { class: "number" }, each)),
    ));
    byId("scatter-table").replaceChildren(element("table", {}, head, element("tbody", {}, ...rows)));
  }
  const name = (system) => (systems[system].length > 40 ? `${systems[system].slice(0, 39)}…` : systems[system]);

  if (byId("scatter")) {
    const fill = (id, names, chosen) => {
      byId(id).append(...names.map((each, number) => element("option", { value: number }, each.length > 60 ? `${each.slice(0, 59)}…` : each)));
      byId(id).value = chosen;
      byId(id).addEventListener("change", scatter);
    };
    fill("scatter-score", scores, 0);
    fill("scatter-a", systems, 0);
    fill("scatter-b", systems, 1);
    byId("scatter-table").closest("details").addEventListener("toggle", (event) => event.target.open && tabulate());
    byId("scatter").hidden = false;
    scatter();
  }
  for (const holder of document.querySelectorAll("figure[data-file], .kept[data-file]")) buttons(holder.dataset.file, holder);
})();
