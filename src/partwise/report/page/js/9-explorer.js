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

function relevantParts(data, run) {
  const parts = data.parts?.[run] ?? [];
  if (!parts.length) return null;
  const counts = { hit: 0, near: 0, miss: 0 };
  parts.forEach(([, , status]) => (counts[status] += 1));
  return h(
    "details",
    { style: "grid-column: 1 / -1" },
    h("summary", {}, `Relevant parts: ${counted(counts.hit, "hit")}, ${counted(counts.near, "near-miss", "near-misses")}, ${counted(counts.miss, "miss", "misses")}`),
    h(
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
    ),
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
    nuggetList(data, run),
    relevantParts(data, run),
    h("div", {}, listLegend(data, run), rankedList(data, run, chosen, pick)),
    h("div", { class: "beside" }, doc >= 0 ? documentPane(data, run, doc, text, chosen, pick) : h("p", { class: "soft" }, "There is no document to show."), glance(data, run, doc)),
  );
}

function steps(data, now) {
  const step = (text, label, move) => h("button", { type: "button", "aria-label": label, title: label, onclick: move }, text);
  return h("div", { class: "step" }, step("‹ query", "previous query (p)", () => stepQuery(-1)), step("query ›", "next query (n)", () => stepQuery(1)), step("‹ document", "previous document ([)", () => stepDocument(-1)), step("document ›", "next document (])", () => stepDocument(1)), step("‹ result", "previous result (k)", () => stepResult(-1)), step("result ›", "next result (j)", () => stepResult(1)));
}

async function explorer(now) {
  const query = report.queries[now.query];
  const runs = report.runs.map((run, i) => [i, run]);
  const data = await queryData(now.query);
  const described = [query.title ? h("p", { class: "lead" }, h("strong", {}, query.title), query.description ? `. ${query.description}` : "") : null];
  const values = report.measures.map((m, i) => [m.name, report.values[i][now.run][now.query]]).filter(([, value]) => value !== null);
  const head = [
    h("h2", {}, `Query ${query.id}`),
    described,
    h("div", { class: "controls" }, choice("Query", report.queries.map((t, i) => [i, queryName(t)]), now.query, (value) => go({ query: Number(value), doc: null, rank: null })), choice("Run", runs, now.run, (value) => go({ run: Number(value), rank: null })), choice("Second run", [["", "none"], ...runs], now.other ?? "", (value) => go({ other: value === "" ? null : Number(value) })), steps(data, now)),
    h("p", { class: "small" }, values.map(([name, value]) => `${name} ${decimals(value)}`).join(" · ")),
  ];
  if (data === null) return [head, h("p", {}, "The results of this query are left out because the page would be too large. Choose fewer queries or allow a larger page (--max-mb).")];
  data.query = now.query;
  const shown = now.other === null || now.other === now.run ? [now.run] : [now.run, now.other];
  const panes = [];
  for (const run of shown) panes.push(await pane(data, now, run));
  return [head, hatches(), h("div", { class: shown.length > 1 ? "panes two" : "panes one" }, panes)];
}

function hatches() {
  const hatch = (id, name) => s("pattern", { id, width: 4, height: 4, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, s("rect", { width: 1.6, height: 4, style: `fill: var(${name})` }));
  return s("svg", { width: 0, height: 0, style: "position: absolute", "aria-hidden": "true" }, s("defs", {}, hatch("hatch-good", "--good"), hatch("hatch-noise", "--seen")));
}

function stepQuery(by) {
  const next = place().query + by;
  if (next >= 0 && next < report.queries.length) go({ view: "explorer", query: next, doc: null, rank: null });
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
