// The current view, kept in the URL fragment, so that a link leads to the same place.

const VIEWS = [
  ["overview", "Overview"],
  ["curves", "Curves"],
  ["queries", "Queries"],
  ["explorer", "Explorer"],
].filter(([name]) => (name !== "explorer" || report.explorer) && (name !== "curves" || report.curves.length));

function place() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const indexOf = (name, index) => index.get(parameters.get(name)) ?? null;
  const query = indexOf("query", queryIndex);
  const requested = parameters.get("view");
  const view = VIEWS.some(([name]) => name === requested) ? requested : query !== null && report.explorer ? "explorer" : "overview";
  const measure = report.measures.findIndex((m) => m.name === parameters.get("measure"));
  const run = indexOf("run", runIndex) ?? 0;
  return {
    view,
    query: query ?? report.firstQuery,
    run,
    other: indexOf("other", runIndex),
    baseline: indexOf("baseline", runIndex) ?? (run === 0 && report.runs.length > 1 ? 1 : 0),
    measure: Math.max(0, measure),
    doc: parameters.get("doc"),
    rank: parameters.has("rank") ? Number(parameters.get("rank")) : null,
    find: parameters.get("find") ?? "",
  };
}

function address(changes) {
  const now = { ...place(), ...changes };
  const parameters = new URLSearchParams();
  parameters.set("view", now.view);
  if (now.view === "explorer") {
    parameters.set("query", report.queries[now.query].id);
    parameters.set("run", report.runs[now.run]);
    if (now.other !== null) parameters.set("other", report.runs[now.other]);
    if (now.doc) parameters.set("doc", now.doc);
    if (now.rank !== null) parameters.set("rank", now.rank);
  }
  if (now.view === "queries") {
    parameters.set("measure", report.measures[now.measure].name);
    parameters.set("run", report.runs[now.run]);
    parameters.set("baseline", report.runs[now.baseline]);
    if (now.find) parameters.set("find", now.find);
  }
  return "#" + parameters;
}

function go(changes, { replace = false } = {}) {
  const target = address(changes);
  if (target === location.hash) return null;
  if (replace) {
    history.replaceState(null, "", target);
    return draw();
  }
  location.hash = target;
  return null;
}
