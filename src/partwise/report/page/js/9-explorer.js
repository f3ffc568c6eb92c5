// For one query, the results of a run next to their document; two runs side by side.

function documentsOf(data, run) {
  const seen = new Set(data.lists[run].rows.map((row) => row[DOC]));
  data.docs.forEach((doc, i) => doc.passages.length && seen.add(i));
  return [...seen];
}

function position(data, now, run) {
  const rows = data.lists[run].rows;
  const requested = now.doc === null ? -1 : data.docs.findIndex((doc) => doc.id === now.doc);
  const row = run === now.run && now.rank !== null ? rows.find((r) => r[RANK] === now.rank) : undefined;
  if (row) return { row, doc: row[DOC] };
  const doc = requested >= 0 ? requested : (rows[0]?.[DOC] ?? data.docs.findIndex((d) => d.passages.length));
  return { row: rows.find((r) => r[DOC] === doc), doc };
}

const PARTS = 500;

// The relevant parts of the query and what the run does for each, in one sentence; the details are folded.
function relevantSummary(data, run) {
  const gold = data.nuggets?.length ? foundNuggets(data, run) : null;
  const parts = data.parts?.[run] ?? [];
  const of = (status) => parts.filter(([, , one]) => one === status).length;
  const listedRows = data.lists[run].total;
  const returned = listedRows ? `The run returns ${counted(listedRows, "result")}` : "The run returns nothing";
  const words = gold === null ? "" : ` and finds ${count(gold.found)} of ${counted(gold.total, gold.word)}${gold.partly ? `, and shows a part of ${count(gold.partly)} more` : ""}`;
  return h(
    "div",
    { class: "relevant" },
    h("p", { class: "sentence" }, `${returned}${words}.`),
    nuggetList(data, run),
    parts.length ? h("details", { class: "reached" }, h("summary", {}, `Reached by reading on from a result: ${count(of("hit"))} returned (hits), ${count(of("near"))} near a result (near-misses), ${count(of("miss"))} not reached (misses)`), partsTable(data, run, parts)) : null,
  );
}

function partsTable(data, run, parts) {
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Relevant parts" },
    h(
      "table",
      { class: "parts" },
      h("thead", {}, h("tr", {}, ["document", "part", "status", "rank", "probability"].map((name) => h("th", { scope: "col" }, name)))),
      h(
        "tbody",
        {},
        parts.slice(0, PARTS).map(([doc, part, status, rank, chance]) => {
          const [kind, sign, word] = STATUS[status];
          const id = data.docs[doc].id;
          return h("tr", {}, h("td", {}, h("a", { href: address({ doc: id, rank: null, run }) }, id)), h("td", {}, part), h("td", { class: kind }, `${sign} ${word}`), h("td", { class: "number" }, rank ?? ""), h("td", { class: "number" }, chance === null ? "" : chance.toFixed(3)));
        }),
      ),
    ),
    parts.length > PARTS ? h("p", { class: "small soft" }, `${count(parts.length - PARTS)} more parts are not listed.`) : null,
  );
}

async function pane(data, now, run) {
  const { row, doc } = position(data, now, run);
  const chosen = row?.[RANK] ?? null;
  const pick = (picked) => go(run === now.run ? { doc: data.docs[picked[DOC]].id, rank: picked[RANK] } : { doc: data.docs[picked[DOC]].id, run, other: now.run, rank: picked[RANK] });
  const text = doc >= 0 ? await documentText(data.docs[doc].text) : null;
  return h(
    "section",
    { class: "pane", "aria-label": `Run ${report.runs[run]}` },
    h("h2", {}, report.runs[run]),
    relevantSummary(data, run),
    h("div", {}, listLegend(data, run), rankedList(data, run, chosen, pick)),
    h("div", { class: "beside" }, doc >= 0 ? documentPane(data, run, doc, text, chosen, pick, now.at) : h("p", { class: "soft" }, "There is no document to show."), glance(data, run, doc)),
  );
}

function steps(data, now) {
  const step = (text, label, move) => h("button", { type: "button", "aria-label": label, title: label, onclick: move }, text);
  return h("div", { class: "step" }, step("‹ query", "previous query (p)", () => stepQuery(-1)), step("query ›", "next query (n)", () => stepQuery(1)), step("‹ document", "previous document ([)", () => stepDocument(-1)), step("document ›", "next document (])", () => stepDocument(1)), step("‹ result", "previous result (k)", () => stepResult(-1)), step("result ›", "next result (j)", () => stepResult(1)));
}

async function explorer(now, facts) {
  const query = report.queries[now.query];
  const runs = report.runs.map((run, i) => [i, run]);
  const data = await queryData(now.query);
  const described = [query.title ? h("p", { class: "lead" }, h("strong", {}, query.title), query.description ? `. ${query.description}` : "") : null];
  const all = await facts.values();
  const shown = now.other === null || now.other === now.run ? [now.run] : [now.run, now.other];
  const values = (run) => report.measures.map((m, i) => [m.name, all[i][run][now.query]]).filter(([, value]) => value !== null);
  const scoreLine = (run) => h("p", { class: "small scores" }, shown.length > 1 ? h("strong", {}, `${report.runs[run]}: `) : null, values(run).map(([name, value]) => `${name} ${decimals(value)}`).join(" · "));
  const ownGold = now.slice !== null && report.sliced[now.slice[0]].slices[now.slice[1]].ownGold;
  const head = [
    h("h2", {}, `Query ${query.id}`),
    described,
    h("div", { class: "controls" }, choice("Query", facts.queries.map((i) => [i, queryName(report.queries[i])]), now.query, (value) => go({ query: Number(value), doc: null, rank: null })), choice("Run", runs, now.run, (value) => go({ run: Number(value), rank: null })), choice("Second run", [["", "none"], ...runs], now.other ?? "", (value) => go({ other: value === "" ? null : Number(value) })), steps(data, now)),
    shown.map(scoreLine),
    ownGold ? h("p", { class: "small soft" }, `Scores count only the gold of the slice ${sliceName(now.slice)}; lists and documents show all gold.`) : null,
  ];
  if (data === null) return [head, h("p", {}, "The results of this query are left out because the page would be too large. Choose fewer queries or allow a larger page (--max-mb).")];
  data.query = now.query;
  const panes = [];
  for (const run of shown) panes.push(await pane(data, now, run));
  return [head, hatches(), h("div", { class: shown.length > 1 ? "panes two" : "panes one" }, panes)];
}

function hatches() {
  const hatch = (id, name) => s("pattern", { id, width: 4, height: 4, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, s("rect", { width: 1.6, height: 4, style: `fill: var(${name})` }));
  return s("svg", { width: 0, height: 0, style: "position: absolute", "aria-hidden": "true" }, s("defs", {}, hatch("hatch-good", "--good"), hatch("hatch-noise", "--seen")));
}

function stepQuery(by) {
  const now = place();
  const inside = now.slice === null ? report.queries.map((_, i) => i) : report.sliced[now.slice[0]].slices[now.slice[1]].queries;
  const next = inside[inside.indexOf(now.query) + by];
  if (next !== undefined) go({ view: "explorer", query: next, doc: null, rank: null });
}

async function stepResult(by) {
  const now = place();
  const data = await queryData(now.query);
  if (data === null) return;
  const rows = data.lists[now.run].rows;
  const at = rows.indexOf(position(data, now, now.run).row);
  const row = rows[Math.min(Math.max(at + by, 0), rows.length - 1)];
  if (row) go({ view: "explorer", doc: data.docs[row[DOC]].id, rank: row[RANK] });
}

async function stepDocument(by) {
  const now = place();
  const data = await queryData(now.query);
  if (data === null) return;
  const order = documentsOf(data, now.run);
  const next = order[order.indexOf(position(data, now, now.run).doc) + by];
  if (next !== undefined) go({ view: "explorer", doc: data.docs[next].id, rank: null });
}
