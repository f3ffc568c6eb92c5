// A document: its map, its text with highlights and returned parts, and its tree of elements.

const LANES = 14;

function partsIn(data, run, doc) {
  return data.lists[run].rows.filter((row) => row[DOC] === doc && row[SPANS].length);
}

function lanes(parts) {
  const ends = [];
  return parts.map((row) => {
    const start = row[SPANS][0];
    const end = row[SPANS].at(-1);
    let lane = ends.findIndex((last) => last <= start);
    if (lane < 0) lane = ends.push(0) - 1;
    ends[lane] = Math.max(end, start + 1);
    return lane;
  });
}

function mapOf(doc, parts, passages, chosen, pick, at = null) {
  const length = Math.max(doc.length ?? 0, ...doc.passages.flat(), ...parts.map((row) => row[SPANS].at(-1)), 1);
  const inOrder = [...parts].sort((a, b) => a[SPANS][0] - b[SPANS][0] || b[SPANS].at(-1) - a[SPANS].at(-1));
  const lane = lanes(inOrder);
  const deepest = Math.min(Math.max(...lane, 0) + 1, LANES);
  const height = 18 + 9 * deepest;
  const x = (at) => (1000 * at) / length;
  const wide = (from, to) => Math.max(x(to) - x(from), 1.5);
  const drawn = inOrder.map((row, i) => {
    if (lane[i] >= LANES) return null;
    const spans = row[SPANS];
    const boxes = [];
    for (let k = 0; k < spans.length; k += 2) {
      boxes.push(s("rect", { class: row[RANK] === chosen ? "part chosen" : "part", x: x(spans[k]), y: 17 + 9 * lane[i], width: wide(spans[k], spans[k + 1]), height: 7, onclick: () => pick(row) }, s("title", {}, `rank ${row[RANK]}: ${where(row)}`)));
    }
    return boxes;
  });
  const hiddenParts = lane.filter((number) => number >= LANES).length;
  const found = passages.filter((passage) => passage.kind === "hit");
  const relevant = passages.length ? `${counted(passages.length, "relevant passage")} (${count(found.length)} found)` : counted(doc.passages.length, "relevant passage");
  const label = `${doc.judged ? `${relevant} and ` : "unjudged, "}${counted(parts.length, "returned part")} in ${extent(length, doc)}`;
  const pieces = (spans) => spans.flatMap((start, i) => (i % 2 ? [] : [[start, spans[i + 1]]]));
  return [
    s(
      "svg",
      { class: "map", viewBox: `0 0 1000 ${height}`, preserveAspectRatio: "none", height, role: "img", "aria-label": label },
      s("rect", { class: "ground", x: 0, y: 2, width: 1000, height: 12 }),
      doc.passages.map(([start, end]) => s("rect", { class: "highlight", x: x(start), y: 2, width: wide(start, end), height: 12 }, s("title", {}, `relevant: ${inUnits(start)}–${inUnits(end)}`))),
      passages.flatMap((passage) => pieces(passage.spans).map(([start, end]) => s("rect", { class: `gold ${passage.kind}`, x: x(start), y: 2, width: wide(start, end), height: 12 }, s("title", {}, named(passage))))),
      doc.bep === null ? null : s("line", { class: "bep", x1: x(doc.bep), x2: x(doc.bep), y1: 0, y2: 16 }, s("title", {}, `best entry point: ${inUnits(doc.bep)}`)),
      drawn,
      at === null ? null : s("rect", { class: "sought", x: x(at[0]), y: 1, width: wide(at[0], at[1]), height: 14 }, s("title", {}, `the passage of the diagnosis: ${inUnits(at[0])}–${inUnits(at[1])}`)),
    ),
    h("p", { class: "small soft" }, label, doc.bep === null ? "" : `, best entry point at ${inUnits(doc.bep)}`, hiddenParts ? `; ${counted(hiddenParts, "more part overlaps these and is not drawn", "more parts overlap these and are not drawn")}` : "", "."),
  ];
}

// The text is cut wherever a passage, a part or a block begins or ends; each piece is styled by what covers it.
function textOf(text, doc, parts, passages, chosen, pick, sought = null) {
  const characters = (text.characters ??= Array.from(text.text));
  const edges = new Set([0, characters.length]);
  const add = (at) => edges.add(Math.min(Math.max(at, 0), characters.length));
  doc.passages.flat().forEach(add);
  sought?.forEach(add);
  if (doc.bep !== null) add(doc.bep);
  const blocks = new Map(text.blocks.map(([at, kind]) => [at, kind]));
  blocks.forEach((_, at) => add(at));
  const opens = new Map();
  const closes = new Map();
  const into = (map, at, row) => map.set(at, [...(map.get(at) ?? []), row]);
  for (const row of parts) {
    for (let i = 0; i < row[SPANS].length; i += 2) {
      const [start, end] = [row[SPANS][i], row[SPANS][i + 1]].map((at) => Math.min(at, characters.length));
      add(start);
      add(end);
      into(opens, start, row);
      into(closes, end, row);
    }
  }
  const starts = new Map();
  for (const passage of passages) {
    for (let i = 0; i < passage.spans.length; i += 2) {
      const start = Math.min(passage.spans[i], characters.length);
      add(start);
      into(starts, start, passage);
    }
  }
  const cuts = [...edges].sort((a, b) => a - b);
  const highlighted = new Set();
  doc.passages.forEach(([start, end]) => cuts.filter((at) => at >= start && at < end).forEach((at) => highlighted.add(at)));
  const tag = (row, end) => h("button", { type: "button", class: end ? "tag end" : "tag", "data-part": end ? null : row[RANK], title: `rank ${row[RANK]}: ${facts(row, doc)}`, "aria-label": end ? `end of result ${row[RANK]}` : `result ${row[RANK]} begins`, onclick: () => pick(row) }, end ? `${row[RANK]}◂` : `▸${row[RANK]}`);
  const holder = h("div", { class: text.asWritten ? "text as-written" : "text", tabindex: 0, role: "region", "aria-label": "Text of the document" });
  let paragraph = null;
  const open = new Set();
  cuts.forEach((at, i) => {
    for (const row of closes.get(at) ?? []) {
      open.delete(row);
      paragraph?.append(tag(row, true));
    }
    if (paragraph !== null && blocks.get(at) === "cell") {
      paragraph.append(h("span", { class: "cell" }));
    } else if (paragraph === null || blocks.has(at)) {
      paragraph = h("p", { class: blocks.get(at) === "heading" ? "heading" : null });
      holder.append(paragraph);
    }
    for (const row of opens.get(at) ?? []) {
      if (row[SPANS][0] < row[SPANS].at(-1)) open.add(row);
      paragraph.append(tag(row, false));
    }
    for (const passage of starts.get(at) ?? []) paragraph.append(h("span", { class: `passage ${passage.kind}`, title: named(passage), role: "img", "aria-label": named(passage) }, `¶${passage.number} ${passage.sign}`));
    if (doc.bep === at) paragraph.append(h("span", { class: "bep", title: "best entry point", role: "img", "aria-label": "best entry point" }, "⚑"));
    const next = cuts[i + 1];
    if (next === undefined) return;
    const piece = characters.slice(at, next).join("");
    const names = [];
    if (open.size) names.push("in");
    if (open.size === 2) names.push("in2");
    if (open.size > 2) names.push("in3");
    if ([...open].some((row) => row[RANK] === chosen)) names.push("chosen-text");
    const kind = highlighted.has(at) ? "mark" : "span";
    if (kind === "mark") names.push("hl");
    if (sought !== null && at >= sought[0] && at < sought[1]) names.push("sought");
    paragraph.append(names.length ? h(kind, { class: names.join(" "), title: open.size ? `in ${[...open].map((row) => row[RANK]).join(", ")}` : null }, piece) : piece);
  });
  return holder;
}

const STATUS = { hit: ["hit", "●", "hit"], near: ["near", "◐", "near-miss"], miss: ["miss", "○", "miss"] };

function treeOf(nodes) {
  const line = ([, path, size, status, description]) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const [kind, sign, word] = STATUS[status] ?? ["", "", ""];
    return [h("code", { title: path }, name), h("span", { class: "soft" }, ` ${count(size)}`), kind ? h("span", { class: kind }, ` ${sign} ${word}`) : null, description ? h("span", { class: "soft" }, ` ${description}`) : null];
  };
  const roots = h("ul", {});
  const stack = [[-1, roots]];
  for (const node of nodes) {
    while (stack.at(-1)[0] >= node[0]) stack.pop();
    const inner = h("ul", {});
    const item = h("li", {}, line(node));
    const parent = stack.at(-1)[1];
    parent.append(item);
    item.append(inner);
    stack.push([node[0], inner]);
  }
  roots.querySelectorAll("ul:empty").forEach((empty) => empty.remove());
  return h("div", { class: "tree" }, roots);
}

function textLegend(hasText, hasEntry, hasPassages) {
  const sample = (names, shown) => h("span", { class: names, "aria-hidden": "true" }, shown);
  const entry = (mark, label) => h("span", {}, mark, " ", label);
  if (!hasText) return null;
  return h(
    "div",
    { class: "legend text-signs" },
    entry(sample("hl", "text"), "relevant"),
    entry(sample("in", "text"), "returned"),
    entry(sample("in in2", "text"), "returned twice"),
    entry(sample("in in3", "text"), "returned more often"),
    entry(sample("tag", "▸4"), "result 4 begins"),
    hasPassages ? entry(sample("passage hit", "¶2 ✓"), "passage 2, found") : null,
    hasPassages ? entry(sample("passage miss", "¶3 ○"), "passage 3, not found") : null,
    hasEntry ? entry(sample("bep", "⚑"), "best entry point") : null,
  );
}

function documentPane(data, run, number, text, chosen, pick, at) {
  const doc = data.docs[number];
  const parts = partsIn(data, run, number);
  const passages = passagesIn(data, run, number);
  const nodes = data.trees?.[run]?.[number] ?? null;
  return h(
    "article",
    { class: "document", "aria-label": `Document ${doc.id}` },
    h("h3", {}, doc.id, doc.length === null ? "" : h("span", { class: "soft" }, ` ${extent(doc.length, doc)}`), doc.judged ? null : [" ", unjudgedMark()]),
    mapOf(doc, parts, passages, chosen, pick, at),
    textLegend(text !== null, doc.bep !== null, passages.length > 0),
    text ? textOf(text, doc, parts, passages, chosen, pick, at) : h("p", { class: "small soft" }, doc.why),
    nodes?.length ? [h("h3", {}, "Relevant and returned elements"), treeOf(nodes)] : null,
  );
}

// A map of every document with relevant text: what is found, missed, and shown twice.
function glance(data, run, current) {
  const relevant = data.docs.map((doc, i) => [doc, i]).filter(([doc]) => doc.passages.length);
  if (relevant.length < 2) return null;
  const key = `glance ${data.query}/${run}`;
  const shown = listed.get(key) ?? 12;
  const strip = ([doc, i]) => {
    const pick = (row) => go({ doc: doc.id, run, rank: row[RANK] });
    return h("li", { "aria-current": i === current ? "true" : null }, h("a", { href: address({ doc: doc.id, rank: null, run }) }, doc.id), mapOf(doc, partsIn(data, run, i), passagesIn(data, run, i), null, pick)[0]);
  };
  const more = () => {
    listed.set(key, shown + 60);
    draw();
  };
  return h("section", { class: "glance" }, h("h3", {}, `${counted(relevant.length, "document")} with relevant text`), h("ol", {}, relevant.slice(0, shown).map(strip)), shown < relevant.length ? h("button", { type: "button", class: "more", onclick: more }, `Show more (${count(relevant.length - shown)} left)`) : null);
}
