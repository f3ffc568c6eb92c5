// The values of all runs by query, and the differences between two runs.

function shade(value, low, high, better) {
  if (value === null) return null;
  let place = high > low ? (value - low) / (high - low) : 1;
  if (better === "lower") place = 1 - place;
  return `background: color-mix(in srgb, var(--heat) ${Math.round(8 + 47 * place)}%, var(--raised))`;
}

function matching(find) {
  const sought = find.trim().toLowerCase();
  return report.queries.map((query, i) => [query, i]).filter(([query]) => queryName(query).toLowerCase().includes(sought));
}

function heatmap(now, rows) {
  const values = report.values[now.measure];
  const measure = report.measures[now.measure];
  const all = values.flat().filter((value) => value !== null);
  const low = Math.min(...all, 0);
  const high = Math.max(...all);
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
    );
  return h(
    "table",
    { class: "heat" },
    h("caption", { class: "small soft" }, `${measure.name}, better values have a stronger colour${report.explorer ? "; a value opens the query" : ""}`),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "query"), report.runs.map((run) => h("th", { scope: "col", class: "number" }, run)))),
    h("tbody", {}, rows.map(line)),
  );
}

function differences(now, rows) {
  const values = report.values[now.measure];
  const compared = rows
    .map(([query, i]) => ({ query, i, a: values[now.run][i], b: values[now.baseline][i] }))
    .filter(({ a, b }) => a !== null && b !== null)
    .map((row) => ({ ...row, difference: row.a - row.b }))
    .sort((x, y) => y.difference - x.difference);
  const widest = Math.max(...compared.map((row) => Math.abs(row.difference)), 1e-12);
  const better = compared.filter((row) => row.difference > 0).length;
  const worse = compared.filter((row) => row.difference < 0).length;
  return [
    h("p", { class: "small" }, `${report.runs[now.run]} is higher on ${counted(better, "query", "queries")}, lower on ${count(worse)}, equal on ${count(compared.length - better - worse)}.`),
    h(
      "ol",
      { class: "differences" },
      compared.map((row) =>
        h(
          "li",
          {},
          h(report.explorer ? "a" : "span", { href: report.explorer && address({ view: "explorer", query: row.i, run: now.run, other: now.run === now.baseline ? null : now.baseline, doc: null, rank: null }), title: queryName(row.query) }, queryName(row.query)),
          h("span", { class: "axis", "aria-hidden": "true" }, h("span", { class: row.difference >= 0 ? "bar up" : "bar down", style: `width: ${(50 * Math.abs(row.difference)) / widest}%` })),
          h("span", { class: "number" }, (row.difference > 0 ? "+" : "") + row.difference.toFixed(3)),
        ),
      ),
    ),
  ];
}

function queries(now) {
  const rows = matching(now.find);
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
    h("p", { class: "small soft", role: "status" }, `${count(rows.length)} of ${counted(report.queries.length, "query", "queries")}`),
    h(
      "div",
      { class: "split" },
      h("section", {}, h("h3", {}, "All runs on all queries"), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Values by query" }, heatmap(now, rows))),
      h("section", {}, h("h3", {}, `${report.runs[now.run]} against ${report.runs[now.baseline]}`), differences(now, rows)),
    ),
  ];
}

async function findQueries(find) {
  await go({ find }, { replace: true });
  const search = byId("find");
  search.focus();
  search.setSelectionRange(find.length, find.length);
}
