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
const queryData = (query) => unpacked(`query-${query}`);
const documentText = (number) => (number === null ? Promise.resolve(null) : unpacked(`document-${number}`));
const queryName = (query) => (query.title ? `${query.id}: ${query.title}` : query.id);
