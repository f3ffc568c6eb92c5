// Gold passages, numbered, with a tick where the run finds them; the alternatives of a nugget are shown together.

const MOST_NUGGETS = 500;

// Whether a run finds a passage, or how much of it it shows: a class, a sign and words.
function outcome([rank, shown, from]) {
  if (rank !== null) return ["hit", "✓", `found at rank ${rank}`];
  if (shown > 0) return ["near", "◐", `not found, ${Math.floor(100 * shown)} % shown by rank ${from}`];
  return ["miss", "○", "not found"];
}

const NOT_SHOWN = [null, 0, null];

function passagesOf(data, run) {
  return (data.gold ?? []).map(([doc, spans], i) => {
    const [kind, sign, words] = outcome(data.shown[run]?.[i] ?? NOT_SHOWN);
    const names = data.nuggets.filter(([name, passages]) => name && passages.includes(i)).map(([name]) => name);
    return { number: i + 1, doc, spans, kind, sign, words, names, rank: data.shown[run]?.[i]?.[0] ?? null };
  });
}

const passagesIn = (data, run, doc) => passagesOf(data, run).filter((passage) => passage.doc === doc);

const named = (passage) => [`passage ${passage.number}`, passage.names.length ? `(${passage.names.join(", ")})` : null, passage.words].filter(Boolean).join(" ");

const ranges = (spans) => where({ [SPANS]: spans });

function passageLine(data, run, passage) {
  const id = data.docs[passage.doc].id;
  return [
    h("span", { class: `passage ${passage.kind}`, "aria-hidden": "true" }, `¶${passage.number} ${passage.sign}`),
    " ",
    h("a", { href: address({ doc: id, rank: passage.rank, run }), "aria-label": `passage ${passage.number} in ${id}` }, id),
    " ",
    h("span", { class: "soft" }, ranges(passage.spans)),
    " ",
    h("span", { class: passage.kind }, passage.words),
  ];
}

const isFound = (passages, [, members]) => members.some((i) => passages[i].kind === "hit");

// How many nuggets, or passages, a run finds, and how many others it shows a part of.
function foundNuggets(data, run) {
  const passages = passagesOf(data, run);
  const missed = data.nuggets.filter((nugget) => !isFound(passages, nugget));
  const word = data.nuggets.some(([name]) => name) ? "nugget" : "relevant passage";
  return { total: data.nuggets.length, found: data.nuggets.length - missed.length, partly: missed.filter(([, members]) => members.some((i) => passages[i].kind === "near")).length, word };
}

function nuggetList(data, run) {
  if (!data.gold?.length) return null;
  const passages = passagesOf(data, run);
  const hasNames = data.nuggets.some(([name]) => name);
  const { found } = foundNuggets(data, run);
  const item = (nugget) => {
    const [name, members] = nugget;
    const lines = members.map((i) => passageLine(data, run, passages[i]));
    if (members.length === 1) return h("li", {}, name ? [h("strong", {}, name), " "] : null, lines[0]);
    const [kind, words] = isFound(passages, nugget) ? ["hit", "found"] : ["miss", "not found"];
    return h("li", {}, h("strong", {}, name), " ", h("span", { class: kind }, words), h("span", { class: "soft" }, `, ${count(members.length)} alternatives:`), h("ul", {}, lines.map((line) => h("li", {}, line))));
  };
  return h(
    "details",
    { class: "nuggets", open: hasNames },
    h("summary", {}, `${hasNames ? "Nuggets" : "Passages"}: ${count(found)} of ${count(data.nuggets.length)} found`),
    h("p", { class: "small soft" }, `A passage is found, anywhere in the list, by ${report.match}`),
    h("ul", {}, data.nuggets.slice(0, MOST_NUGGETS).map(item)),
    data.nuggets.length > MOST_NUGGETS ? h("p", { class: "small soft" }, `${count(data.nuggets.length - MOST_NUGGETS)} more are not listed.`) : null,
  );
}
