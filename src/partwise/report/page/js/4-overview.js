// The leaderboard.

let sorting = null;

function best(measure) {
  const values = measure.mean.filter((value) => value !== null);
  return measure.better === "lower" ? Math.min(...values) : Math.max(...values);
}

function sortedRuns(measures) {
  const order = report.runs.map((_, i) => i);
  if (sorting === null) return order;
  const { column, ascending } = sorting;
  const key = (i) => (column < 0 ? report.runs[i] : (measures[column].mean[i] ?? -Infinity));
  order.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a - b) * (ascending ? 1 : -1));
  return order;
}

function sortBy(column) {
  const first = column < 0 || report.measures[column].better === "lower";
  sorting = sorting?.column === column ? { column, ascending: !sorting.ascending } : { column, ascending: first };
  draw();
  document.querySelector(`[data-column="${column}"] button`)?.focus();
}

function heading(column, text, title, kind) {
  const now = sorting?.column === column ? (sorting.ascending ? "ascending" : "descending") : "none";
  return h(
    "th",
    { scope: "col", class: column < 0 ? null : "number", "aria-sort": now, "data-column": column },
    h("button", { type: "button", title, onclick: () => sortBy(column) }, text),
    kind ? h("span", { class: "interval", title: `this measure scores ${kind}` }, kind) : null,
  );
}

function cell(measure, run) {
  const value = measure.mean[run];
  if (value === null) return h("td", { class: "number" }, "–");
  const winner = value === best(measure) && report.runs.length > 1;
  return h(
    "td",
    { class: winner ? "number best" : "number" },
    winner ? h("span", { title: "best value of this measure", role: "img", "aria-label": "best" }, "★ ") : null,
    decimals(value),
    measure.letters?.[run] ? h("sup", { title: "significantly better than the runs with these letters" }, " " + measure.letters[run]) : null,
    measure.low ? h("span", { class: "interval" }, `${decimals(measure.low[run], 3)} to ${decimals(measure.high[run], 3)}`) : null,
  );
}

function leaderboardRows(measures) {
  const header = ["run", ...measures.flatMap((measure) => [measure.name, `${measure.name} low`, `${measure.name} high`, `${measure.name} beats`])];
  return [header, ...sortedRuns(measures).map((run) => [report.runs[run], ...measures.flatMap((measure) => [measure.mean[run], measure.low?.[run] ?? null, measure.high?.[run] ?? null, measure.letters?.[run] ?? null])])];
}

// What the intervals are; there are none for a single query.
function intervalsOf(measures) {
  const methods = methodsOf(measures.map((measure) => measure.interval));
  const intervals = methods ? `, with ${percent(report.about.confidence)} intervals by ${methods}` : "";
  return `Means over queries${intervals}; ★ marks the best.`;
}

function overview(now, { measures, queries }) {
  const letters = measures.some((measure) => measure.letters);
  const board = h(
    "table",
    { class: "board" },
    h("caption", { class: "small soft" }, intervalsOf(measures)),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        heading(-1, "run", "sort by name"),
        measures.map((measure, i) => heading(i, measure.name, measure.meaning, measure.kind)),
      ),
    ),
    h(
      "tbody",
      {},
      sortedRuns(measures).map((run) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, letters && report.letters.length ? `${report.letters[run]} ` : "", report.runs[run]),
          measures.map((measure) => cell(measure, run)),
        ),
      ),
    ),
  );
  return [
    h("h2", {}, "Overview"),
    h("p", { class: "lead" }, report.about.sentence),
    now.slice === null ? null : h("p", { class: "lead" }, h("strong", {}, sliceName(now.slice)), `: ${counted(queries.length, "query", "queries")} of ${count(report.queries.length)}.`),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Leaderboard" }, board),
    h("p", { class: "saves" }, csvButton("leaderboard", () => leaderboardRows(measures))),
    report.about.letters ? h("p", { class: "lead small soft" }, report.about.letters) : null,
    h("h2", {}, "Measures"),
    h(
      "dl",
      { class: "lead" },
      report.measures.map((measure) => [h("dt", {}, measure.name), h("dd", {}, measure.meaning)]),
    ),
    report.about.notes.length
      ? [h("h2", {}, "Notes"), h("ul", { class: "notes" }, report.about.notes.map((note) => h("li", {}, note)))]
      : null,
    h("h2", {}, "Inputs and settings"),
    h("dl", { class: "lead small" }, report.about.settings.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
  ];
}
