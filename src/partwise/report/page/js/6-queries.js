// The values of all runs by query, two runs against each other, and two measures against each other.

const ROWS = 100;

// Better values have a stronger colour; where there are negative values, those of the two signs have their own colours.
function shade(value, low, high, better) {
  if (value === null) return null;
  if (low < 0) {
    const place = Math.abs(value) / Math.max(-low, high);
    return `background: color-mix(in srgb, var(${value < 0 ? "--cold" : "--heat"}) ${Math.round(8 + 47 * place)}%, var(--raised))`;
  }
  let place = high > low ? (value - low) / (high - low) : 1;
  if (better === "lower") place = 1 - place;
  return `background: color-mix(in srgb, var(--heat) ${Math.round(8 + 47 * place)}%, var(--raised))`;
}

function matching(find, inside) {
  const sought = find.trim().toLowerCase();
  return inside.map((i) => [report.queries[i], i]).filter(([query]) => queryName(query).toLowerCase().includes(sought));
}

const spreadOf = (values, i) => {
  const present = values.map((of) => of[i]).filter((value) => value !== null);
  return present.length ? Math.max(...present) - Math.min(...present) : null;
};

// The rows in the order that the link names; queries without a value are last.
function ordered(rows, order, values) {
  if (order === null) return rows;
  const key = ([query, i]) => (order.sort === "query" ? query.id : order.sort === "spread" ? spreadOf(values, i) : values[order.sort][i]);
  const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b);
  return [...rows].sort((x, y) => {
    const [a, b] = [key(x), key(y)];
    if (a === null || b === null) return (a === null) - (b === null) || x[1] - y[1];
    return compare(a, b) * (order.down ? -1 : 1) || x[1] - y[1];
  });
}

function orderHeading(now, sort, text, title) {
  const current = now.order?.sort === sort;
  const down = current ? !now.order.down : sort !== "query";
  const press = async () => {
    await go({ order: { sort, down } }, { replace: true });
    document.querySelector(`.heat [data-sort="${sort}"]`)?.focus();
  };
  return h("th", { scope: "col", class: sort === "query" ? null : "number", "aria-sort": current ? (now.order.down ? "descending" : "ascending") : "none" }, h("button", { type: "button", "data-sort": sort, title, onclick: press }, text));
}

function heatmap(now, rows, values) {
  const measure = report.measures[now.measure];
  const all = values.flat().filter((value) => value !== null);
  const low = Math.min(...bounds(all), 0);
  const high = Math.max(...bounds(all));
  const line = ([query, i]) =>
    h(
      "tr",
      {},
      h("th", { scope: "row", title: queryName(query) }, queryName(query)),
      report.runs.map((run, r) => {
        const value = values[r][i];
        if (value === null) return h("td", { class: "none" }, "–");
        const target = report.explorer ? address({ view: "explorer", query: i, run: r, doc: null, rank: null }) : null;
        return h("td", { style: shade(value, low, high, measure.better) }, h(target ? "a" : "span", { href: target, "aria-label": `query ${query.id}, ${run}: ${decimals(value, 3)}` }, decimals(value, 3)));
      }),
      report.runs.length > 1 ? h("td", { class: "spread" }, h("span", {}, decimals(spreadOf(values, i), 3))) : null,
    );
  const key = `rows ${now.slice}`;
  const shown = listed.get(key) ?? ROWS;
  const more = () => {
    listed.set(key, shown + 400);
    draw();
  };
  const table = h(
    "table",
    { class: "heat board" },
    h("caption", { class: "small soft" }, `${measure.name}, ${low < 0 ? "negative values have a colour of their own" : "better values have a stronger colour"}${report.explorer ? "; a value opens the query" : ""}; a heading sorts`),
    h("thead", {}, h("tr", {}, orderHeading(now, "query", "query", "sort by query"), report.runs.map((run, r) => orderHeading(now, r, run, `sort by ${run}`)), report.runs.length > 1 ? orderHeading(now, "spread", "spread", "sort by the difference between the highest and the lowest value") : null)),
    h("tbody", {}, rows.slice(0, shown).map(line)),
  );
  const button = shown < rows.length ? h("button", { type: "button", class: "more", onclick: more }, `Show more (${count(rows.length - shown)} left)`) : null;
  return [h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Values by query" }, table), button, h("p", { class: "saves" }, csvButton(`${measure.name} by query`, () => [["query_id", ...report.runs], ...rows.map(([query, i]) => [query.id, ...values.map((of) => of[i])])]))];
}

// The smallest and the largest number; Math.min takes only so many arguments.
const bounds = (numbers) => numbers.reduce(([low, high], x) => [Math.min(low, x), Math.max(high, x)], [Infinity, -Infinity]);

// The difference of two runs, its interval and p, from the comparison of all runs.
function pairLine(now, pairs, measure) {
  const pair = pairs?.[now.measure]?.find(([a, b]) => (a === now.run && b === now.baseline) || (a === now.baseline && b === now.run));
  if (!pair) return null;
  const sign = pair[0] === now.run ? 1 : -1;
  const [, , difference, low, high, p, corrected] = pair;
  const signed = (value) => (value > 0 ? "+" : "") + decimals(value);
  const ends = [sign * low, sign * high].sort((a, b) => a - b);
  const interval = low === null ? "" : `, ${percent(report.about.confidence)} interval ${signed(ends[0])} to ${signed(ends[1])}`;
  const small = (value) => (value < 0.001 ? "below 0.001" : `= ${value.toFixed(3)}`);
  const tested = p === null ? "" : `; p ${small(p)} by the randomisation test, ${small(corrected)} with Holm's correction over all pairs`;
  return h("p", { class: "pair" }, h("strong", {}, `${measure.name}: ${signed(sign * difference)}`), `${interval}${tested}.`);
}

// A bar per query: how much higher one run is than the other.
function differenceFigure(now, compared, title) {
  const room = byId("main").clientWidth;
  const beside = room >= 1120 ? room - 400 - 96 * report.runs.length : room - 30; // the table of all runs
  const wide = Math.min(640, Math.max(beside, room >= 1120 ? 410 : 260));
  const left = Math.min(0.34 * wide, 12 + 7.5 * Math.max(...compared.map((row) => queryName(row.query).length), 0));
  const [right, high] = [62, 22 * compared.length + 4];
  const half = (wide - left - right) / 2;
  const axis = left + half;
  const widest = Math.max(...compared.map((row) => Math.abs(row.difference)), 1e-12);
  const shortened = (name) => (7.5 * name.length > left - 8 ? `${name.slice(0, Math.floor((left - 20) / 7.5))}…` : name);
  const lines = compared.map((row, line) => {
    const [name, number] = [queryName(row.query), (row.difference > 0 ? "+" : "") + row.difference.toFixed(3)];
    const length = (half * Math.abs(row.difference)) / widest;
    const text = s("text", { class: "name", x: 0, y: 16 }, shortened(name), s("title", {}, name));
    const target = { view: "explorer", query: row.i, run: now.run, other: now.run === now.baseline ? null : now.baseline, doc: null, rank: null };
    return s(
      "g",
      { class: "row", transform: `translate(0 ${22 * line})` },
      report.explorer ? s("a", { href: address(target) }, text) : text,
      s("rect", { class: row.difference >= 0 ? "up" : "down", x: row.difference >= 0 ? axis : axis - length, y: 4, width: length, height: 14 }),
      s("text", { class: "number", x: wide - 4, y: 16, "text-anchor": "end" }, number),
    );
  });
  const zero = s("line", { class: "tick", x1: axis, x2: axis, y1: 0, y2: high });
  return s("svg", { id: "differences", class: "differences", viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, role: "group", "aria-label": title }, zero, lines);
}

function differences(now, rows, values) {
  const compared = rows
    .map(([query, i]) => ({ query, i, a: values[now.run][i], b: values[now.baseline][i] }))
    .filter(({ a, b }) => a !== null && b !== null)
    .map((row) => ({ ...row, difference: row.a - row.b }))
    .sort((x, y) => y.difference - x.difference);
  const rowsOf = () => [["query_id", report.runs[now.run], report.runs[now.baseline], "difference"], ...compared.map((row) => [row.query.id, row.a, row.b, sixDigits(row.difference)])];
  const better = compared.filter((row) => row.difference > 0).length;
  const worse = compared.filter((row) => row.difference < 0).length;
  const title = `${report.runs[now.run]} against ${report.runs[now.baseline]}`;
  return [
    h("p", { class: "small" }, `${report.runs[now.run]} is higher on ${counted(better, "query", "queries")}, lower on ${count(worse)}, equal on ${count(compared.length - better - worse)}.`),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Differences by query" }, differenceFigure(now, compared, title)),
    h("p", { class: "saves" }, figureButtons(title, () => byId("differences")), csvButton(title, rowsOf)),
  ];
}

// A point per query: two runs under a measure, or a run under two measures.
function scatter(now, rows, all) {
  const of = (measure, run, i) => all[measure][run][i];
  const twoMeasures = now.against !== null;
  const [x, y] = twoMeasures ? [report.measures[now.measure].name, report.measures[now.against].name] : [report.runs[now.baseline], report.runs[now.run]];
  const points = rows
    .map(([query, i]) => ({ query, i, x: twoMeasures ? of(now.measure, now.run, i) : of(now.measure, now.baseline, i), y: twoMeasures ? of(now.against, now.run, i) : of(now.measure, now.run, i) }))
    .filter((point) => point.x !== null && point.y !== null);
  if (!points.length) return h("p", { class: "soft" }, "No query has both values.");
  const range = (values) => {
    const [low, high] = bounds([...values, 0]);
    return high > low ? [low, high] : [low, low + 1];
  };
  const [xs, ys] = twoMeasures ? [range(points.map((p) => p.x)), range(points.map((p) => p.y))] : [range(points.flatMap((p) => [p.x, p.y])), range(points.flatMap((p) => [p.x, p.y]))];
  const [left, top, size] = [56, 10, Math.min(340, Math.max(byId("main").clientWidth - 110, 160))];
  const px = (value) => left + (size * (value - xs[0])) / (xs[1] - xs[0]);
  const py = (value) => top + size - (size * (value - ys[0])) / (ys[1] - ys[0]);
  const ticks = ([low, high]) => [0, 1, 2, 3, 4].map((i) => low + ((high - low) * i) / 4);
  const title = twoMeasures ? `${x} and ${y} of ${report.runs[now.run]}` : `${y} by ${x}, ${report.measures[now.measure].name}`;
  const figure = s(
    "svg",
    { id: "scatter", class: "scatter", viewBox: `0 0 ${left + size + 14} ${top + size + 46}`, width: left + size + 14, height: top + size + 46, role: "group", "aria-label": title },
    s("rect", { class: "frame", x: left, y: top, width: size, height: size }),
    ticks(xs).map((at) => s("text", { class: "name", x: px(at), y: top + size + 16, "text-anchor": "middle" }, at.toFixed(2))),
    ticks(ys).map((at) => s("text", { class: "name", x: left - 6, y: py(at) + 4, "text-anchor": "end" }, at.toFixed(2))),
    twoMeasures ? null : s("line", { class: "diagonal", x1: px(xs[0]), y1: py(xs[0]), x2: px(xs[1]), y2: py(xs[1]) }),
    s("text", { class: "title", x: left + size / 2, y: top + size + 38, "text-anchor": "middle" }, x),
    s("text", { class: "title", x: 14, y: top + size / 2, transform: `rotate(-90 14 ${top + size / 2})`, "text-anchor": "middle" }, y),
    points.map((point) => {
      const label = `query ${point.query.id}: ${x} ${decimals(point.x, 3)}, ${y} ${decimals(point.y, 3)}`;
      const target = address({ view: "explorer", query: point.i, run: now.run, other: twoMeasures || now.run === now.baseline ? null : now.baseline, doc: null, rank: null });
      const dot = s("circle", { class: "dot", cx: px(point.x), cy: py(point.y), r: 5 }, s("title", {}, label));
      return report.explorer ? s("a", { href: target, "aria-label": label }, dot) : dot;
    }),
  );
  return [h("p", { class: "small soft" }, twoMeasures ? "A point per query." : `A point per query: above the line, ${y} is higher.`), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Scatter of queries" }, figure), h("p", { class: "saves" }, figureButtons(title, () => byId("scatter")), csvButton(title, () => [["query_id", x, y], ...points.map((point) => [point.query.id, point.x, point.y])]))];
}

async function queries(now, facts) {
  const all = await facts.values();
  const pairs = report.runs.length > 1 ? await facts.pairs() : null;
  const values = all[now.measure].map((of) => (now.slice === null ? of : of.map((value, i) => (facts.queries.includes(i) ? value : null))));
  const found = matching(now.find, facts.queries);
  const rows = ordered(found, now.order, values);
  const search = h("input", { type: "search", id: "find", value: now.find, autocomplete: "off", oninput: () => findQueries(search.value) });
  const runs = report.runs.map((run, i) => [i, run]);
  return [
    h("h2", {}, "Queries"),
    h(
      "div",
      { class: "controls" },
      choice("Measure", report.measures.map((m, i) => [i, m.name]), now.measure, (value) => go({ measure: Number(value) })),
      labelled("Search queries", search),
      choice("Compare", runs, now.run, (value) => go({ run: Number(value) })),
      choice("with", runs, now.baseline, (value) => go({ baseline: Number(value) })),
    ),
    h("p", { class: "small soft", role: "status" }, `${count(rows.length)} of ${counted(facts.queries.length, "query", "queries")}`),
    h(
      "div",
      { class: "split" },
      h("section", {}, h("h3", {}, "All runs on all queries"), heatmap(now, rows, values)),
      h("section", {}, h("h3", {}, `${report.runs[now.run]} against ${report.runs[now.baseline]}`), pairLine(now, pairs, report.measures[now.measure]), differences(now, rows, values), h("h3", {}, "Scatter"), h("div", { class: "controls" }, choice("Horizontal and vertical", [["", "the two runs"], ...report.measures.map((m, i) => [i, `this measure and ${m.name}`]).filter(([i]) => i !== now.measure)], now.against ?? "", (value) => go({ against: value === "" ? null : Number(value) }))), scatter(now, found, all)),
    ),
  ];
}

async function findQueries(find) {
  await go({ find }, { replace: true });
  const search = byId("find");
  search.focus();
  search.setSelectionRange(find.length, find.length);
}
