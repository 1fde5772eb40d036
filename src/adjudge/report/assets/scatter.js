// Documents as points, one system against another; drawn when the part is opened.
(() => {
  const { byId, cut, data, downloads, element, lines, opened, shape, shown, table } = adjudge;
  const { ids, scores, systems } = data;
  if (!byId("scatter") || !scores.length) return;
  const values = lines("data-scores");
  const percent = (value) => (100 * value).toFixed(1);
  const name = (system) => cut(systems[system], 40);
  const link = (number) => `#${new URLSearchParams({ doc: ids[number] })}`;
  let tabulate = () => {};

  function scatter() {
    const [score, a, b] = ["score", "a", "b"].map((each) => Number(byId(`scatter-${each}`).value));
    const [xs, ys] = [a, b].map((system) => values(score * systems.length + system));
    const points = ids.map((id, number) => ({ id, number, x: xs[number], y: ys[number] })).filter(({ x, y }) => x !== null && y !== null);
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
      const side = y > x ? b % 8 : y < x ? a % 8 : 7;
      const listed = same.slice(0, 5).map(({ id }) => cut(id, 60)).join(", ");
      const dot = shape("circle", { class: `c-area s${side}`, cx: left + at(x), cy: top + size - at(y), r: Math.min(3.5 + 1.5 * Math.sqrt(same.length - 1), 14), fill: "#4d5560", "fill-opacity": ".35", stroke: "#4d5560" },
        shape("title", {}, `${listed}${same.length > 5 ? ` and ${same.length - 5} more` : ""}: ${percent(x)} and ${percent(y)}`));
      dot.addEventListener("click", () => (location.hash = link(number)));
      chart.append(dot);
    }
    const [above, below] = [points.filter(({ x, y }) => y > x).length, points.filter(({ x, y }) => y < x).length];
    const said = shown(`${scores[score]}: ${name(b)} is higher on ${above} documents, ${name(a)} on ${below}, both are level on ${points.length - above - below}.`);
    chart.setAttribute("aria-label", said);
    byId("scatter-said").textContent = shown(`${said} Points above the line are documents on which ${name(b)} is higher; a click opens the document.`);
    byId("scatter-chart").replaceChildren(chart);
    // The table is made when somebody opens it or wants it as a file.
    tabulate = () => {
      const order = [...points].sort((one, other) => Math.abs(other.y - other.x) - Math.abs(one.y - one.x));
      const rows = order.map(({ id, number, x, y }) => [element("a", { href: link(number), dir: "auto" }, cut(id)), percent(x), percent(y), percent(y - x)]);
      byId("scatter-table").replaceChildren(table(["document", name(a), name(b), "difference"], rows));
    };
    if (byId("scatter-table").closest("details").open) tabulate();
    else byId("scatter-table").replaceChildren(element("table"));
  }

  let ready = false;
  opened.set("spread", () => {
    if (ready) return;
    ready = true;
    for (const [id, names, chosen] of [["scatter-score", scores, 0], ["scatter-a", systems, 0], ["scatter-b", systems, 1]]) {
      byId(id).append(...names.map((each, at) => element("option", { value: at }, cut(each, 60))));
      byId(id).value = chosen;
      byId(id).addEventListener("change", scatter);
    }
    byId("scatter-table").closest("details").addEventListener("toggle", (event) => event.target.open && tabulate());
    byId("scatter").hidden = false;
    scatter();
    const holder = byId("scatter").querySelector("figure");
    holder.dataset.file = "scatter";
    downloads(holder, () => tabulate());
  });
})();
adjudge.follow();
