// The current view, kept in the URL fragment, so that a link leads to the same place.

const VIEWS = [
  ["overview", "Overview"],
  ["curves", "Curves"],
  ["diagnosis", "Diagnosis"],
  ["queries", "Queries"],
  ["explorer", "Explorer"],
].filter(([name]) => (name !== "explorer" || report.explorer) && (name !== "curves" || report.curves.length) && (name !== "diagnosis" || report.diagnosis));

// The slice that a link names, as the numbers of what it is sliced by and of the slice.
function sliceIn(parameters) {
  const i = report.sliced.findIndex((sliced) => sliced.by === parameters.get("by"));
  const j = i < 0 ? -1 : report.sliced[i].slices.findIndex((one) => one.name === parameters.get("slice"));
  return j < 0 ? null : [i, j];
}

function orderIn(parameters) {
  const sort = parameters.get("sort");
  if (sort === "query" || sort === "spread") return { sort, down: parameters.get("down") === "1" };
  const run = sort?.startsWith("run:") ? runIndex.get(sort.slice(4)) : undefined;
  return run === undefined ? null : { sort: run, down: parameters.get("down") === "1" };
}


function place() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const indexOf = (name, index) => index.get(parameters.get(name)) ?? null;
  const query = indexOf("query", queryIndex);
  const requested = parameters.get("view");
  const view = VIEWS.some(([name]) => name === requested) ? requested : query !== null && report.explorer ? "explorer" : "overview";
  const measure = report.measures.findIndex((m) => m.name === parameters.get("measure"));
  const run = indexOf("run", runIndex) ?? 0;
  const slice = sliceIn(parameters);
  const inside = slice === null ? null : report.sliced[slice[0]].slices[slice[1]].queries;
  const first = inside === null ? report.firstQuery : (inside[0] ?? 0);
  const against = report.measures.findIndex((m) => m.name === parameters.get("against"));
  return {
    view,
    slice,
    query: query === null || (inside !== null && !inside.includes(query)) ? first : query,
    run,
    other: indexOf("other", runIndex),
    baseline: indexOf("baseline", runIndex) ?? (run === 0 && report.runs.length > 1 ? 1 : 0),
    measure: Math.max(0, measure),
    doc: parameters.get("doc"),
    rank: parameters.has("rank") ? Number(parameters.get("rank")) : null,
    find: parameters.get("find") ?? "",
    kind: parameters.get("kind"),
    at: /^\d+-\d+$/.test(parameters.get("at") ?? "") ? parameters.get("at").split("-").map(Number) : null,
    order: orderIn(parameters),
    against: against < 0 ? null : against,
    only: indexOf("only", runIndex),
  };
}

function address(changes) {
  const before = place();
  const now = { ...before, ...changes };
  if (!("at" in changes) && (now.doc !== before.doc || now.query !== before.query || now.rank !== before.rank)) now.at = null;
  const parameters = new URLSearchParams();
  parameters.set("view", now.view);
  if (now.slice !== null) {
    parameters.set("by", report.sliced[now.slice[0]].by);
    parameters.set("slice", report.sliced[now.slice[0]].slices[now.slice[1]].name);
  }
  if (now.view === "explorer") {
    parameters.set("query", report.queries[now.query].id);
    parameters.set("run", report.runs[now.run]);
    if (now.other !== null) parameters.set("other", report.runs[now.other]);
    if (now.doc) parameters.set("doc", now.doc);
    if (now.rank !== null) parameters.set("rank", now.rank);
    if (now.at !== null) parameters.set("at", now.at.join("-"));
  }
  if (now.view === "diagnosis") {
    parameters.set("run", report.runs[now.run]);
    if (now.kind) parameters.set("kind", now.kind);
  }
  if (now.view === "curves" && now.only !== null) parameters.set("only", report.runs[now.only]);
  if (now.view === "queries") {
    parameters.set("measure", report.measures[now.measure].name);
    parameters.set("run", report.runs[now.run]);
    parameters.set("baseline", report.runs[now.baseline]);
    if (now.find) parameters.set("find", now.find);
    if (now.against !== null) parameters.set("against", report.measures[now.against].name);
    if (now.order !== null) {
      parameters.set("sort", typeof now.order.sort === "number" ? `run:${report.runs[now.order.sort]}` : now.order.sort);
      if (now.order.down) parameters.set("down", "1");
    }
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
