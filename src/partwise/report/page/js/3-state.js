// Where the reader is, kept in the address, so that a link leads to the same place.

const VIEWS = [
  ["overview", "Overview"],
  ["curves", "Curves"],
  ["queries", "Queries"],
  ["explorer", "Explorer"],
].filter(([name]) => (name !== "explorer" || report.explorer) && (name !== "curves" || report.curves.length));

function place() {
  const given = new URLSearchParams(location.hash.slice(1));
  const known = (name, index) => (index.has(given.get(name)) ? index.get(given.get(name)) : null);
  const query = known("query", queryIndex);
  const asked = given.get("view");
  const view = VIEWS.some(([name]) => name === asked) ? asked : query !== null && report.explorer ? "explorer" : "overview";
  const measure = report.measures.findIndex((m) => m.name === given.get("measure"));
  const run = known("run", runIndex) ?? 0;
  return {
    view,
    query: query ?? report.firstQuery,
    run,
    other: known("other", runIndex),
    baseline: known("baseline", runIndex) ?? (run === 0 && report.runs.length > 1 ? 1 : 0),
    measure: Math.max(0, measure),
    doc: given.get("doc"),
    rank: given.has("rank") ? Number(given.get("rank")) : null,
    find: given.get("find") ?? "",
  };
}

function address(changes) {
  const now = { ...place(), ...changes };
  const words = new URLSearchParams();
  words.set("view", now.view);
  if (now.view === "explorer") {
    words.set("query", report.queries[now.query].id);
    words.set("run", report.runs[now.run]);
    if (now.other !== null) words.set("other", report.runs[now.other]);
    if (now.doc) words.set("doc", now.doc);
    if (now.rank !== null) words.set("rank", now.rank);
  }
  if (now.view === "queries") {
    words.set("measure", report.measures[now.measure].name);
    words.set("run", report.runs[now.run]);
    words.set("baseline", report.runs[now.baseline]);
    if (now.find) words.set("find", now.find);
  }
  return "#" + words;
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
