// A ranked list: the size of each part, and how much of it is relevant and new.

const FIRST = 100;
const listed = new Map();

const [RANK, DOC, SPANS, SIZE, RELEVANT, NEW, GAINED, WORTH, PATH, REPEATED, NOT_PLACED] = Array(11).keys();

function bar(row, doc, widest) {
  const parts = doc.judged ? [
    ["new-relevant", row[GAINED], "new and relevant"],
    ["old-relevant", row[RELEVANT] - row[GAINED], "relevant, shown before"],
    ["new-noise", row[NEW] - row[GAINED], "new, not relevant"],
    ["old-noise", row[SIZE] - row[NEW] - row[RELEVANT] + row[GAINED], "not relevant, shown before"],
  ] : [["unjudged", row[SIZE], "not judged"]];
  let x = 0;
  const width = (size) => (100 * size) / widest;
  return s(
    "svg",
    { class: "measure", viewBox: "0 0 100 6", preserveAspectRatio: "none", width: "100%", "aria-hidden": "true" },
    parts.map(([kind, size, label]) => {
      const rect = s("rect", { class: kind, x, y: 0, height: 6, width: width(size) }, s("title", {}, `${label}: ${sized(size)}`));
      x += width(size);
      return rect;
    }),
  );
}

function where(row) {
  if (row[NOT_PLACED]) return row[NOT_PLACED];
  if (row[PATH]) return row[PATH];
  const spans = row[SPANS];
  if (!spans.length) return "";
  const pieces = [];
  for (let i = 0; i < spans.length; i += 2) pieces.push(`${inUnits(spans[i])}–${inUnits(spans[i + 1])}`);
  return pieces.length > 3 ? `${pieces.slice(0, 3).join(", ")} …` : pieces.join(", ");
}

function facts(row, doc) {
  const words = [sized(row[SIZE]), doc.judged ? `${share(row[RELEVANT], row[SIZE])} relevant` : "unjudged", `${share(row[NEW], row[SIZE])} new`];
  if (doc.judged) words.push(`${inUnits(row[GAINED])} gained`);
  if (doc.judged && row[WORTH] !== null) words.push(`gain ${row[WORTH].toFixed(3)}`);
  return words.join(" · ");
}

const unjudgedMark = () => h("span", { class: "mark-unjudged small", title: "nobody judged this document for the query" }, "unjudged");

function rankedList(data, run, chosen, pick) {
  const list = data.lists[run];
  const key = `${data.query}/${run}`;
  const at = list.rows.findIndex((row) => row[RANK] === chosen);
  const shown = Math.max(listed.get(key) ?? FIRST, at + 1);
  const widest = Math.max(...list.rows.slice(0, shown).map((row) => row[SIZE]), 1);
  const items = list.rows.slice(0, shown).map((row) =>
    h(
      "li",
      {},
      h(
        "button",
        { type: "button", class: "result", "data-rank": row[RANK], "aria-current": row[RANK] === chosen ? "true" : null, onclick: () => pick(row) },
        h("span", { class: "rank" }, row[RANK]),
        h("span", { class: "where" }, h("strong", {}, data.docs[row[DOC]].id), " ", h("span", { class: "soft small" }, where(row)), row[REPEATED] ? h("span", { class: "repeat small" }, " returned again") : null, data.docs[row[DOC]].judged ? null : [" ", unjudgedMark()]),
        data.docs[row[DOC]].text !== null && row[SPANS].length ? h("span", { class: "beginning", "data-text": data.docs[row[DOC]].text, "data-from": row[SPANS][0], "data-to": row[SPANS][1] }) : null,
        bar(row, data.docs[row[DOC]], widest),
        h("span", { class: "facts" }, facts(row, data.docs[row[DOC]])),
      ),
    ),
  );
  const more = () => {
    listed.set(key, shown + 400);
    draw();
  };
  return h(
    "div",
    { class: "list", tabindex: 0, role: "region", "aria-label": `Results of ${report.runs[run]}` },
    list.rows.length ? h("ol", {}, items) : h("p", { class: "soft", style: "padding: 0 1rem" }, "This run has no results for the query."),
    shown < list.rows.length ? h("button", { type: "button", class: "more", onclick: more }, `Show more (${count(list.rows.length - shown)} left)`) : null,
    list.total > list.rows.length ? h("p", { class: "small soft", style: "padding: 0 .8rem" }, `${count(list.total - list.rows.length)} more results, in documents without relevant text, are left out of this page.`) : null,
  );
}

const BEGINNING = 120;

// The beginning of the text of each result, filled in after the list is drawn: the documents are unpacked one by one.
async function fillBeginnings() {
  for (const holder of document.querySelectorAll(".beginning:empty")) {
    const { text, from, to } = holder.dataset;
    const found = await documentText(Number(text));
    if (!holder.isConnected) return;
    found.characters ??= Array.from(found.text);
    const end = Math.min(Number(to), Number(from) + BEGINNING);
    holder.append(found.characters.slice(Number(from), end).join("").replace(/\s+/g, " ").trim() + (end < Number(to) ? " …" : ""));
  }
}

function listLegend(data, run) {
  const hasUnjudged = data.lists[run].rows.some((row) => !data.docs[row[DOC]].judged);
  const entry = (kind, label) => h("span", {}, h("span", { class: `swatch ${kind}` }), label);
  return h("div", { class: "legend" }, entry("new-relevant", "new and relevant"), entry("old-relevant", "relevant, shown before"), entry("new-noise", "new, not relevant"), entry("old-noise", "not relevant, shown before"), hasUnjudged ? entry("unjudged", "not judged") : null);
}
