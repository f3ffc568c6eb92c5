// For a topic: what a run returned, beside the document it lies in; two runs side by side.

function documentsOf(data, run) {
  const seen = new Set(data.lists[run].rows.map((row) => row[DOC]));
  data.docs.forEach((doc, i) => doc.passages.length && seen.add(i));
  return [...seen];
}

function position(data, now, run) {
  const rows = data.lists[run].rows;
  const wanted = now.doc === null ? -1 : data.docs.findIndex((doc) => doc.id === now.doc);
  const row = run === now.run && now.rank !== null ? rows.find((r) => r[RANK] === now.rank) : undefined;
  if (row) return { row, doc: row[DOC] };
  const doc = wanted >= 0 ? wanted : (rows[0]?.[DOC] ?? data.docs.findIndex((d) => d.passages.length));
  return { row: rows.find((r) => r[DOC] === doc), doc };
}

function relevantParts(data, run) {
  const parts = data.parts?.[run] ?? [];
  if (!parts.length) return null;
  const told = { hit: 0, near: 0, miss: 0 };
  parts.forEach((part) => (told[part.status] += 1));
  return h(
    "details",
    { style: "grid-column: 1 / -1" },
    h("summary", {}, `Relevant parts: ${many(told.hit, "hit")}, ${many(told.near, "near-miss", "near-misses")}, ${many(told.miss, "miss", "misses")}`),
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Relevant parts" },
      h(
        "table",
        { class: "parts" },
        h("thead", {}, h("tr", {}, ["document", "part", "status", "reached from", "how likely"].map((name) => h("th", { scope: "col" }, name)))),
        h(
          "tbody",
          {},
          parts.map((part) => {
            const [kind, sign, word] = STATUS[part.status];
            return h("tr", {}, h("td", {}, h("a", { href: address({ doc: part.doc, rank: null }) }, part.doc)), h("td", {}, part.part), h("td", { class: kind }, `${sign} ${word}`), h("td", {}, part.from === null ? "" : `rank ${part.from}`), h("td", { class: "number" }, part.p === null ? "" : part.p.toFixed(3)));
          }),
        ),
      ),
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
    relevantParts(data, run),
    h("div", {}, listLegend(), rankedList(data, run, chosen, pick)),
    h("div", { class: "beside" }, doc >= 0 ? documentPane(data, run, doc, text, chosen, pick) : h("p", { class: "soft" }, "There is no document to show."), glance(data, run, doc)),
  );
}

function steps(data, now) {
  const step = (text, label, moved) => h("button", { type: "button", "aria-label": label, title: label, onclick: moved }, text);
  return h("div", { class: "step" }, step("‹ topic", "previous topic (p)", () => stepTopic(-1)), step("topic ›", "next topic (n)", () => stepTopic(1)), step("‹ document", "previous document ([)", () => stepDocument(-1)), step("document ›", "next document (])", () => stepDocument(1)), step("‹ result", "previous result (k)", () => stepResult(-1)), step("result ›", "next result (j)", () => stepResult(1)));
}

async function explorer(now) {
  const topic = report.topics[now.topic];
  const runs = report.runs.map((run, i) => [i, run]);
  const data = await topicData(now.topic);
  const described = [topic.title ? h("p", { class: "lead" }, h("strong", {}, topic.title), topic.description ? `. ${topic.description}` : "") : null];
  const values = report.measures.map((m, i) => [m.name, report.values[i][now.run][now.topic]]).filter(([, value]) => value !== null);
  const head = [
    h("h2", {}, `Topic ${topic.id}`),
    described,
    h("div", { class: "controls" }, choice("Topic", report.topics.map((t, i) => [i, topicName(t)]), now.topic, (value) => go({ topic: Number(value), doc: null, rank: null })), choice("Run", runs, now.run, (value) => go({ run: Number(value), rank: null })), choice("Beside it", [["", "nothing"], ...runs], now.other ?? "", (value) => go({ other: value === "" ? null : Number(value) })), steps(data, now)),
    h("p", { class: "small" }, values.map(([name, value]) => `${name} ${decimals(value)}`).join(" · ")),
  ];
  if (data === null) return [head, h("p", {}, "This topic's results are left out of the page, which would have become too large. Ask for fewer topics or a larger page (--max-mb).")];
  data.topic = now.topic;
  const wanted = now.other === null || now.other === now.run ? [now.run] : [now.run, now.other];
  const panes = [];
  for (const run of wanted) panes.push(await pane(data, now, run));
  return [head, hatches(), h("div", { class: wanted.length > 1 ? "panes two" : "panes one" }, panes)];
}

function hatches() {
  const hatch = (id, name) => s("pattern", { id, width: 4, height: 4, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, s("rect", { width: 1.6, height: 4, style: `fill: var(${name})` }));
  return s("svg", { width: 0, height: 0, style: "position: absolute", "aria-hidden": "true" }, s("defs", {}, hatch("hatch-good", "--good"), hatch("hatch-noise", "--seen")));
}

function stepTopic(by) {
  const next = place().topic + by;
  if (next >= 0 && next < report.topics.length) go({ view: "explorer", topic: next, doc: null, rank: null });
}

async function stepResult(by) {
  const now = place();
  const data = await topicData(now.topic);
  if (data === null) return;
  const rows = data.lists[now.run].rows;
  const at = rows.indexOf(position(data, now, now.run).row);
  const row = rows[Math.min(Math.max(at + by, 0), rows.length - 1)];
  if (row) go({ view: "explorer", doc: data.docs[row[DOC]].id, rank: row[RANK] });
}

async function stepDocument(by) {
  const now = place();
  const data = await topicData(now.topic);
  if (data === null) return;
  const order = documentsOf(data, now.run);
  const next = order[order.indexOf(position(data, now, now.run).doc) + by];
  if (next !== undefined) go({ view: "explorer", doc: data.docs[next].id, rank: null });
}
