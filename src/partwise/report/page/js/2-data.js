// The data of the report: one object at the start, queries and documents when they are opened.

const report = JSON.parse(byId("data").textContent);
const opened = new Map();

async function unpacked(id) {
  if (!opened.has(id)) opened.set(id, unpack(byId(id)));
  return opened.get(id);
}

// What is packed: the number of bytes of its JSON, the JSON, and columns of numbers.
async function unpack(holder) {
  if (holder === null) return null;
  const packed = Uint8Array.from(atob(holder.textContent.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const end = 4 + new DataView(bytes.buffer).getUint32(0, true);
  const content = JSON.parse(new TextDecoder().decode(bytes.subarray(4, end)));
  return end === bytes.length ? content : { ...content, bytes: bytes.subarray(end) };
}

// Reads columns of numbers, one table of them after the other. Of a column there are first the lowest bytes of all
// numbers, then the next, as many as the largest number needs.
function columnsIn(bytes) {
  let at = 0;
  return (layout, rows) =>
    Object.fromEntries(
      layout.map(([name, width]) => {
        const column = new Array(rows).fill(0);
        for (let place = 0; place < width; place++) for (let i = 0; i < rows; i++) column[i] += bytes[at++] * 256 ** place;
        return [name, column];
      }),
    );
}

const signed = (number) => (number % 2 ? -(number + 1) / 2 : number / 2); // 0, -1, 1, -2, 2 ... are numbered from 0
const orNull = (number) => (number === 0 ? null : number);
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const perRun = (counts) => (Array.isArray(counts) ? counts : report.runs.map(() => counts)); // one number if all are equal

// The rows of each run, which are made one by one; counts are by run.
function byRun(counts, row) {
  let i = 0;
  return counts.map((count) => Array.from({ length: count }, () => row(i++)));
}

const queryIndex = new Map(report.queries.map((query, i) => [query.id, i]));
const runIndex = new Map(report.runs.map((run, i) => [run, i]));

const queriesRead = new Map();

async function queryData(query) {
  if (!queriesRead.has(query)) queriesRead.set(query, Promise.all([unpacked(`query-${query}`), unpacked("names")]).then(([data, docIds]) => data && queryFrom(data, docIds)));
  return queriesRead.get(query);
}

// Documents, lists, relevant parts and passages of a query; docIds are those of all queries.
function queryFrom({ bytes, ...data }, docIds) {
  const layout = report.lists;
  const read = columnsIn(bytes ?? new Uint8Array());
  const kept = perRun(data.kept);
  const rows = read(layout.rows, sum(kept));
  const spans = rows.spans.map((count) => signed(count) + 1);
  const { start, length } = read(layout.spans, sum(spans));
  const parts = perRun(data.parts);
  const part = read(layout.parts, sum(parts));
  const usual = { length: null, bep: null, judged: false, inText: false, passages: [], text: null, why: layout.why };
  let span = 0;
  const result = (i) => {
    const edges = [];
    let size = signed(rows.size[i]);
    for (const end = span + spans[i]; span < end; span++) {
      edges.push(start[span], start[span] + length[span]);
      size += length[span];
    }
    const gained = rows.highlighted[i] - rows.known_highlighted[i];
    const place = rows.not_placed[i] ? layout.notPlaced[rows.not_placed[i] - 1] : null;
    return [rows.rank[i], rows.doc[i], edges, size, rows.highlighted[i], size - rows.known[i], gained, data.worth?.[i] ?? null, data.path?.[i] ?? null, rows.repeated[i], place];
  };
  const lists = byRun(kept, result).map((listed, run) => ({ total: perRun(data.totals)[run], rows: listed }));
  for (const { rows: listed } of lists) listed.forEach((row, i) => (row[RANK] += 1 + (i ? listed[i - 1][RANK] : 0))); // from gaps
  let run = 0;
  const ends = parts.map(((end) => (count) => (end += count))(0));
  const relevant = (i) => {
    while (i >= ends[run]) run++;
    const [of, names] = data.targets[layout.kinds[run]];
    const chance = part.chance[i] ? (part.chance[i] - 1) / 1000 : null;
    return [of[part.part[i]], names[part.part[i]], layout.statuses[part.status[i]], orNull(part.rank[i]), chance];
  };
  const content = { ...data, lists, parts: byRun(parts, relevant) };
  const counts = perRun(data.shown ?? 0);
  const shown = read(layout.shown, sum(counts));
  if (data.gold) content.shown = byRun(counts, (i) => [orNull(shown.rank[i]), shown.share[i] / 10000, orNull(shown.from_rank[i])]);
  const { name } = read(layout.docs, data.docs.count);
  content.docs = name.map((number, i) => Object.fromEntries([["id", docIds[number]], ...Object.entries(usual).map(([key, value]) => [key, data.docs[key][i] ?? value])]));
  return content;
}

// The passages that a run does not show whole; a passage is stored once for all runs.
async function lossesOf(id) {
  const { bytes, layout, count, ...data } = await unpacked(id);
  const judged = await unpacked(data.passages);
  judged.columns ??= columnsIn(judged.bytes ?? new Uint8Array())(judged.layout, judged.count);
  const { query, doc, start, length, size } = judged.columns;
  const { gap, kind, cut, lost, rank } = columnsIn(bytes ?? new Uint8Array())(layout, count);
  let at = -1;
  const losses = gap.map((left, i) => {
    at += left + 1;
    return [query[at], judged.docs[doc[at]], start[at], start[at] + length[at], kind[i], cut[i] ? cut[i] - 1 : null, lost[i], length[at] + signed(size[at]), orNull(rank[i])];
  });
  return { value: data.value, best: data.best, losses };
}

const documentText = (number) => (number === null ? Promise.resolve(null) : unpacked(`document-${number}`));

// What is said about all queries, or about those of a slice. What only some views need is unpacked when they are opened.
async function factsOf(now) {
  if (now.slice === null) {
    const queries = report.queries.map((_, i) => i);
    return { queries, measures: report.measures, curves: report.curves, diagnoses: report.diagnoses, values: () => unpacked("values"), pairs: () => unpacked("pairs"), losses: (run) => lossesOf(`losses-${run}`) };
  }
  const [i, j] = now.slice;
  const { queries, ownGold } = report.sliced[i].slices[j];
  const own = await unpacked(`slice-${i}-${j}`);
  return {
    queries,
    measures: report.measures.map((measure, m) => ({ ...measure, ...own.measures[m] })),
    curves: report.curves.map((curve, c) => ({ ...curve, y: own.curves[c] ?? curve.y.map((y) => y.map(() => null)) })),
    diagnoses: own.diagnoses,
    values: () => (own.values === null ? unpacked("values") : Promise.resolve(own.values)),
    pairs: () => Promise.resolve(own.pairs),
    losses: (run) => lossesOf(ownGold ? `losses-${run}-${i}-${j}` : `losses-${run}`),
  };
}

const sliceName = ([i, j]) => `${report.sliced[i].by}: ${report.sliced[i].slices[j].name}`;

const queryName = (query) => (query.title ? `${query.id}: ${query.title}` : query.id);
