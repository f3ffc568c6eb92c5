// What each run shows of the relevant text, what it loses to its chunks and to their ranking, and how.

const [LOSS_QUERY, LOSS_DOC, LOSS_START, LOSS_END, LOSS_KIND, LOSS_CUT, LOSS_LOST, LOSS_SIZE, LOSS_RANK] = Array(9).keys();
const [BEST, VALUE, CHUNKING, RANKING, OMEGA] = Array(5).keys();
const WORST = 20;

const sixDigits = (value) => Number(value.toPrecision(6));
const spelled = (name) => name.replaceAll("_", " ");

// The parts of a bar: what is shown, and what is lost; without all chunks the loss is not split.
function lossParts(value, best) {
  if (value === null) return [];
  if (best === null) return [["shown", value, "shown"], ["lost-unsplit", 1 - value, "not shown, not split without all chunks"]];
  return [["shown", value, "shown"], ["lost-ranking", best - value, "lost to ranking"], ["lost-chunking", 1 - best, "lost to chunking"]];
}

function lossLegend(isSplit, hasUnsplit) {
  const entry = (kind, label) => h("span", {}, h("span", { class: `swatch ${kind}` }), label);
  return h("div", { class: "legend" }, entry("shown", "shown"), isSplit ? [entry("lost-ranking", "lost to ranking: other chunks would show it"), entry("lost-chunking", "lost to chunking: no choice of chunks shows it")] : null, hasUnsplit ? entry("lost-unsplit", "not shown, not split without all chunks") : null);
}

function lossBar(parts, width, height) {
  let x = 0;
  return parts.map(([kind, share, label]) => {
    const wide = Math.max(0, share) * width;
    const rect = s("rect", { class: kind, x, y: 0, width: wide, height }, s("title", {}, `${label}: ${decimals(share)}`));
    const text = wide > 44 ? s("text", { class: `on-${kind}`, x: x + wide / 2, y: height / 2 + 4, "text-anchor": "middle" }, share.toFixed(2)) : null;
    x += wide;
    return [rect, text];
  });
}

const smallBar = (value, best) => s("svg", { class: "loss", viewBox: "0 0 100 10", preserveAspectRatio: "none", width: "100%", height: 12, "aria-hidden": "true" }, lossBar(lossParts(value, best), 100, 10).map(([rect]) => rect));

function lossFigure(now, diagnoses) {
  const rows = report.runs.map((run, i) => [run, i]).filter(([, i]) => diagnoses[i]);
  const room = Math.max(byId("main").clientWidth - 40, 280);
  const left = Math.min(0.4 * room, 260, 30 + 7.5 * Math.max(...rows.map(([run]) => run.length)));
  const bar = Math.min(500, room - left - 24);
  const [wide, high] = [left + bar + 20, 24 * rows.length + 26];
  const shortened = (name) => (7.5 * name.length + 20 > left ? `${name.slice(0, Math.floor((left - 30) / 7.5))}…` : name);
  const lines = rows.map(([run, i], line) => {
    const { means } = diagnoses[i];
    const spoken = lossParts(means[VALUE], means[BEST]).map(([, share, label]) => `${label} ${decimals(share, 3)}`).join(", ");
    return s(
      "g",
      { transform: `translate(0 ${24 * line})` },
      s("a", { href: address({ run: i, kind: null }), "aria-current": i === now.run ? "true" : null }, s("text", { class: "name", x: left - 8, y: 16, "text-anchor": "end" }, shortened(run), s("title", {}, run))),
      s("g", { transform: `translate(${left} 2)`, role: "img", "aria-label": `${run}: ${spoken}` }, lossBar(lossParts(means[VALUE], means[BEST]), bar, 19)),
    );
  });
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((at) => [s("line", { class: "tick", x1: left + bar * at, x2: left + bar * at, y1: high - 24, y2: high - 19 }), s("text", { class: "name", x: left + bar * at, y: high - 5, "text-anchor": "middle" }, at)]);
  return s("svg", { id: "losses", class: "losses", viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, role: "group", "aria-label": "What each run shows and loses of the relevant text" }, lines, ticks);
}

function meansTable(now, diagnoses) {
  const line = (i) => {
    const of = diagnoses[i];
    if (!of) return h("tr", {}, h("th", { scope: "row" }, report.runs[i]), h("td", { colspan: 5, class: "soft" }, "not diagnosed; the notes of the overview say why"));
    const shown = (part) => (of.means[part] === null ? h("td", { class: "number soft" }, "–") : h("td", { class: "number" }, decimals(of.means[part]), of.low[part] === null ? null : h("span", { class: "interval" }, `${decimals(of.low[part], 3)} to ${decimals(of.high[part], 3)}`)));
    return h("tr", { "aria-current": i === now.run ? "true" : null }, h("th", { scope: "row" }, h("a", { href: address({ run: i, kind: null }) }, report.runs[i])), [VALUE, RANKING, CHUNKING, BEST, OMEGA].map(shown));
  };
  return h("table", { class: "board means" }, h("thead", {}, h("tr", {}, ["run", "shown", "lost to ranking", "lost to chunking", "best of the chunks", "precision omega"].map((name, i) => h("th", { scope: "col", class: i ? "number" : null }, name)))), h("tbody", {}, report.runs.map((_, i) => line(i))));
}

function meansRows(diagnoses) {
  const names = report.diagnosis.parts;
  return [["run", ...names, ...names.flatMap((name) => [`${name}_low`, `${name}_high`])], ...report.runs.map((run, i) => [run, ...(diagnoses[i] ? [...diagnoses[i].means, ...names.flatMap((_, p) => [diagnoses[i].low[p], diagnoses[i].high[p]])] : [])])];
}

const toPassage = (run, loss) => address({ view: "explorer", query: loss[LOSS_QUERY], run, other: null, doc: loss[LOSS_DOC], rank: loss[LOSS_RANK], at: [loss[LOSS_START], loss[LOSS_END]] });
const placed = (loss) => `${inUnits(loss[LOSS_START])}–${inUnits(loss[LOSS_END])}`;
const ranked = (loss) => (loss[LOSS_RANK] === null ? "" : `, rank ${loss[LOSS_RANK]}`);

function lossLink(run, loss) {
  const text = `query ${report.queries[loss[LOSS_QUERY]].id}: ${loss[LOSS_DOC]} ${placed(loss)}${ranked(loss)}`;
  return report.explorer ? h("a", { href: toPassage(run, loss) }, text) : text;
}

function kindsTable(now, diagnosis) {
  const rows = report.diagnosis.kinds.filter(([name]) => diagnosis.kinds[name]);
  return h(
    "table",
    { class: "kinds" },
    h("thead", {}, h("tr", {}, ["kind", "passages", "queries", "of lost text", "for example"].map((name, i) => h("th", { scope: "col", class: i > 0 && i < 4 ? "number" : null }, name)))),
    h(
      "tbody",
      {},
      rows.map(([name, meaning]) => {
        const [passages, queries, share, example] = diagnosis.kinds[name];
        return h("tr", { "aria-current": now.kind === name ? "true" : null }, h("th", { scope: "row" }, passages ? h("a", { href: address({ kind: now.kind === name ? null : name }), "aria-label": `passages that are ${spelled(name)}` }, spelled(name)) : spelled(name), h("span", { class: "interval" }, meaning)), h("td", { class: "number" }, count(passages)), h("td", { class: "number" }, count(queries)), h("td", { class: "number" }, `${Math.round(100 * share)} %`), h("td", {}, example ? lossLink(now.run, example) : ""));
      }),
    ),
  );
}

function isOfKind(loss, name) {
  return name === "cut" ? loss[LOSS_CUT] === 1 : report.diagnosis.kinds[loss[LOSS_KIND]][0] === name;
}

function passagesTable(now, losses) {
  const key = `losses ${now.run} ${now.kind} ${now.slice}`;
  const shown = listed.get(key) ?? WORST;
  const more = () => {
    listed.set(key, shown + 100);
    draw();
  };
  const sorted = [...losses].sort((a, b) => b[LOSS_LOST] - a[LOSS_LOST]);
  const line = (loss) => h("tr", {}, h("td", {}, lossLink(now.run, loss)), h("td", {}, spelled(report.diagnosis.kinds[loss[LOSS_KIND]][0])), h("td", {}, loss[LOSS_CUT] === null ? "" : loss[LOSS_CUT] ? "yes" : "no"), h("td", { class: "number" }, `${inUnits(loss[LOSS_LOST])} of ${inUnits(loss[LOSS_SIZE])}`));
  return [
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Passages that are not shown whole" }, h("table", { class: "passages" }, h("thead", {}, h("tr", {}, ["passage", "kind", "cut", `${report.unit.word} lost`].map((name, i) => h("th", { scope: "col", class: i === 3 ? "number" : null }, name)))), h("tbody", {}, sorted.slice(0, shown).map(line)))),
    shown < sorted.length ? h("button", { type: "button", class: "more", onclick: more }, `Show more (${count(sorted.length - shown)} left)`) : null,
  ];
}

const lossRows = (losses) => [["query_id", "doc_id", "start", "end", "kind", "cut", "lost", "size", "rank"], ...losses.map((loss) => [report.queries[loss[LOSS_QUERY]].id, loss[LOSS_DOC], loss[LOSS_START] / report.unit.scale, loss[LOSS_END] / report.unit.scale, report.diagnosis.kinds[loss[LOSS_KIND]][0], loss[LOSS_CUT] === null ? null : loss[LOSS_CUT] ? "yes" : "no", loss[LOSS_LOST] / report.unit.scale, loss[LOSS_SIZE] / report.unit.scale, loss[LOSS_RANK]])];

function worstTable(now, queries, { value, best }, losses) {
  const rows = queries.filter((i) => value[i] !== null).sort((a, b) => value[a] - value[b]);
  const key = `worst ${now.run} ${now.slice}`;
  const shown = listed.get(key) ?? WORST;
  const more = () => {
    listed.set(key, shown + 100);
    draw();
  };
  const counts = new Map();
  losses.forEach((loss) => counts.set(loss[LOSS_QUERY], (counts.get(loss[LOSS_QUERY]) ?? 0) + 1));
  const line = (i) => {
    const query = report.queries[i];
    const named = queryName(query);
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, report.explorer ? h("a", { href: address({ view: "explorer", query: i, run: now.run, other: null, doc: null, rank: null }) }, named) : named),
      h("td", { class: "bar" }, smallBar(value[i], best?.[i] ?? null)),
      h("td", { class: "number" }, decimals(value[i], 3)),
      best ? [h("td", { class: "number" }, decimals(best[i] - value[i], 3)), h("td", { class: "number" }, decimals(1 - best[i], 3))] : null,
      h("td", { class: "number" }, count(counts.get(i) ?? 0)),
    );
  };
  const names = ["query", "", "shown", ...(best ? ["lost to ranking", "lost to chunking"] : []), "passages lost"];
  return [
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Queries, the worst first" }, h("table", { class: "worst" }, h("thead", {}, h("tr", {}, names.map((name, i) => (name ? h("th", { scope: "col", class: i > 1 ? "number" : null }, name) : h("td", {}))))), h("tbody", {}, rows.slice(0, shown).map(line)))),
    shown < rows.length ? h("button", { type: "button", class: "more", onclick: more }, `Show more (${count(rows.length - shown)} left)`) : null,
    h("p", { class: "saves" }, csvButton(`queries of ${report.runs[now.run]}`, () => [["query_id", "value", "best", "lost_to_ranking", "lost_to_chunking"], ...rows.map((i) => [report.queries[i].id, value[i], best?.[i] ?? null, best ? sixDigits(best[i] - value[i]) : null, best ? sixDigits(1 - best[i]) : null])])),
  ];
}

async function diagnosis(now, facts) {
  const { measure, limit, confidence } = report.diagnosis;
  const diagnoses = facts.diagnoses;
  const known = diagnoses.filter(Boolean);
  const isSplit = known.some(({ means }) => means[BEST] !== null);
  const hasUnsplit = known.some(({ means }) => means[BEST] === null);
  const run = now.run;
  const chosen = diagnoses[run];
  const inside = new Set(facts.queries);
  const of = chosen ? await facts.losses(run) : null;
  const losses = of ? of.losses.filter((loss) => inside.has(loss[LOSS_QUERY])) : [];
  const ofKind = now.kind ? losses.filter((loss) => isOfKind(loss, now.kind)) : losses;
  return [
    h("h2", {}, "Diagnosis"),
    h("p", { class: "lead" }, `How much of the relevant text is shown by ${limit} of each run (${measure}), in the mean of the queries${isSplit ? "; what is lost to chunking no choice of chunks could show, what is lost to ranking a better choice of the same chunks would" : ""}.`),
    hasUnsplit ? h("p", { class: "lead small" }, isSplit ? "All chunks of some runs are not known: their loss is not split into chunking and ranking, and cuts by chunk boundaries are not detected." : "Without all chunks that can be retrieved (--chunks), the loss is not split into chunking and ranking, and cuts by chunk boundaries are not detected. The kinds of loss that results alone tell are below.") : null,
    known.length
      ? [lossLegend(isSplit, hasUnsplit), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Loss of all runs" }, lossFigure(now, diagnoses)), h("p", { class: "saves" }, figureButtons("diagnosis", () => byId("losses")), csvButton("diagnosis", () => meansRows(diagnoses))), h("details", {}, h("summary", {}, "Means and intervals"), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Means of the diagnoses" }, meansTable(now, diagnoses)), h("p", { class: "small soft" }, `${percent(confidence)} intervals by ${methodsOf(known.map((one) => one.interval))}. Precision omega is TextIoU of all chunks that share text with a relevant passage.`))]
      : h("p", {}, "No run can be diagnosed."),
    h("div", { class: "controls" }, choice("Run", report.runs.map((name, i) => [i, name]), run, (value) => go({ run: Number(value), kind: null }))),
    chosen
      ? [
          h("h3", {}, `How ${report.runs[run]} loses passages`),
          h("p", { class: "small" }, `${count(chosen.lost)} of ${counted(chosen.gold, "relevant passage")} ${chosen.lost === 1 ? "is" : "are"} not shown whole. Each has one of these kinds, and may be cut as well.`),
          h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Kinds of loss" }, kindsTable(now, chosen)),
          h("details", { open: now.kind !== null, class: "lost-passages" }, h("summary", {}, now.kind ? `${counted(ofKind.length, "passage")}: ${spelled(now.kind)}` : `All ${counted(losses.length, "passage")}`), passagesTable(now, ofKind), h("p", { class: "saves" }, csvButton(`passages of ${report.runs[run]}`, () => lossRows(ofKind)))),
          h("h3", {}, "Queries, the worst first"),
          worstTable(now, facts.queries, of, losses),
        ]
      : h("p", {}, `${report.runs[run]} cannot be diagnosed; the notes of the overview say why.`),
  ];
}
