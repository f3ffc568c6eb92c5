// The data of the report: one object at the start, queries and documents when they are opened.

const report = JSON.parse(byId("data").textContent);
const opened = new Map();

async function unpacked(id) {
  if (!opened.has(id)) opened.set(id, unpack(byId(id)));
  return opened.get(id);
}

async function unpack(holder) {
  if (holder === null) return null;
  const bytes = Uint8Array.from(atob(holder.textContent.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

const queryIndex = new Map(report.queries.map((query, i) => [query.id, i]));
const runIndex = new Map(report.runs.map((run, i) => [run, i]));

// The data of a query. Documents and lists are stored in columns, and spans as starts and lengths.
async function queryData(query) {
  const data = await unpacked(`query-${query}`);
  if (data !== null && !Array.isArray(data.docs)) {
    const names = Object.keys(data.docs);
    data.docs = (data.docs.id ?? []).map((_, i) => Object.fromEntries(names.map((name) => [name, data.docs[name][i]])));
    for (const list of data.lists) {
      list.rows = (list.columns[0] ?? []).map((_, i) => list.columns.map((column) => column[i]));
      for (const row of list.rows) row[SPANS] = row[SPANS].map((edge, i) => (i % 2 ? edge + row[SPANS][i - 1] : edge));
    }
  }
  return data;
}

const documentText = (number) => (number === null ? Promise.resolve(null) : unpacked(`document-${number}`));

// What is said about all queries, or about those of a slice. What only some views need is unpacked when they are opened.
async function factsOf(now) {
  if (now.slice === null) {
    const queries = report.queries.map((_, i) => i);
    return { queries, measures: report.measures, curves: report.curves, diagnoses: report.diagnoses, values: () => unpacked("values"), pairs: () => unpacked("pairs"), losses: (run) => unpacked(`losses-${run}`) };
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
    losses: (run) => unpacked(ownGold ? `losses-${run}-${i}-${j}` : `losses-${run}`),
  };
}

const sliceName = ([i, j]) => `${report.sliced[i].by}: ${report.sliced[i].slices[j].name}`;

const queryName = (query) => (query.title ? `${query.id}: ${query.title}` : query.id);
