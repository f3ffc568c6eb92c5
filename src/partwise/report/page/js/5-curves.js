// Curves, drawn by the copy of Vega in this page; runs can be switched off, and one can be isolated.

const hidden = new Set();
const DASHES = [[], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4], [4, 2, 1, 2, 1, 2]];
const SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"];
// Okabe and Ito's colours, which colour-blind readers can distinguish; dashes and shapes distinguish runs in grey.
const COLOURS = {
  light: ["#0072b2", "#b8500b", "#007a5a", "#9c4a7c", "#575c63", "#7a5b00"],
  dark: ["#6cc4f5", "#ffa366", "#4fd6ae", "#f0a6cd", "#c2c7cf", "#f0e442"],
};
const MARKS = { circle: "M4,0A4,4 0 1 1 -4,0A4,4 0 1 1 4,0", square: "M-4,-4H4V4H-4Z", "triangle-up": "M0,-5L5,4H-5Z", diamond: "M0,-5.5L5.5,0L0,5.5L-5.5,0Z", cross: "M-5,-1.7H-1.7V-5H1.7V-1.7H5V1.7H1.7V5H-1.7V1.7H-5Z", "triangle-down": "M0,5L5,-4H-5Z" };

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// Any 36 runs in a row differ in colour, dash or shape, and runs of the same colour differ in both others.
function lookOf(run) {
  const theme = document.documentElement.dataset.theme === "dark" ? "dark" : "light";
  const turn = Math.floor(run / 6);
  return { colour: COLOURS[theme][run % 6], dash: DASHES[(run + turn) % 6], shape: SHAPES[(run + 2 * turn + Math.floor(run / 36)) % 6] };
}

function specification(curve, only, withLegend) {
  const runs = report.runs.filter((run) => !hidden.has(run));
  const values = runs.flatMap((run) =>
    curve.y[runIndex.get(run)].map((y, i) => ({ run, n: runIndex.get(run), x: curve.x[i], y, i })).filter((point) => point.y !== null),
  );
  const range = (name) => runs.map((run) => lookOf(runIndex.get(run))[name]);
  const axis = { labelColor: colour("--ink"), titleColor: colour("--ink"), gridColor: colour("--line"), domainColor: colour("--soft"), tickColor: colour("--soft"), labelOverlap: "greedy", labelSeparation: 8 };
  const scale = { domain: runs };
  const legend = withLegend ? { title: null, symbolLimit: 0, columns: Math.ceil(runs.length / 14) } : null;
  const opacity = only === null ? { value: 1 } : { condition: { test: `datum.n === ${only}`, value: 1 }, value: 0.12 };
  return {
    data: { values },
    width: withLegend ? 560 : "container",
    height: 280,
    background: withLegend ? colour("--raised") : "transparent",
    config: { view: { stroke: colour("--line") }, font: "system-ui, sans-serif", legend: { labelColor: colour("--ink"), titleColor: colour("--ink"), labelLimit: 220 } },
    encoding: {
      x: { field: "x", type: "quantitative", title: curve.xTitle, axis, scale: { type: curve.log ? "log" : "linear", nice: false, domain: [curve.x[0], curve.x.at(-1)] } },
      y: { field: "y", type: "quantitative", title: curve.yTitle, axis },
      color: { field: "run", type: "nominal", legend, scale: { ...scale, range: range("colour") } },
      opacity,
    },
    layer: [
      { mark: { type: "line", strokeWidth: 2 }, encoding: { strokeDash: { field: "run", type: "nominal", legend, scale: { ...scale, range: range("dash") } } } },
      {
        transform: [{ filter: `datum.i % ${Math.ceil(curve.x.length / 20)} === 0` }],
        mark: { type: "point", filled: true, size: 40 },
        encoding: { tooltip: [{ field: "run", type: "nominal" }, { field: "x", type: "quantitative" }, { field: "y", type: "quantitative" }], shape: { field: "run", type: "nominal", legend, scale: { ...scale, range: range("shape") } } },
      },
    ],
  };
}

function asTable(curve) {
  return h(
    "details",
    {},
    h("summary", {}, "Values"),
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": `Values of ${curve.title}` },
      h(
        "table",
        { class: "small" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, curve.xTitle), report.runs.map((run) => h("th", { scope: "col", class: "number" }, run)))),
        h(
          "tbody",
          {},
          curve.x.map((x, i) =>
            h("tr", {}, h("th", { scope: "row" }, count(x)), report.runs.map((_, run) => h("td", { class: "number" }, decimals(curve.y[run][i])))),
          ),
        ),
      ),
    ),
  );
}

// The legend of all charts: a name isolates its run, a box switches it off.
function curveLegend(now) {
  const entry = (run, i) => {
    const look = lookOf(i);
    const sample = s("svg", { width: 38, height: 14, viewBox: "-19 -7 38 14", "aria-hidden": "true" }, s("line", { x1: -18, x2: 18, y1: 0, y2: 0, stroke: look.colour, "stroke-width": 2, "stroke-dasharray": look.dash.join(" ") || null }), s("path", { d: MARKS[look.shape], fill: look.colour }));
    const toggle = (event) => {
      if (event.target.checked) hidden.delete(run);
      else hidden.add(run);
      draw();
    };
    return h("li", { class: now.only !== null && now.only !== i ? "dimmed" : null }, h("input", { type: "checkbox", checked: !hidden.has(run), "aria-label": `show ${run}`, onchange: toggle }), h("button", { type: "button", class: "entry", "data-run": i, "aria-pressed": now.only === i ? "true" : "false", title: now.only === i ? "show all runs equally" : "show this run alone, the others pale", onclick: () => go({ only: now.only === i ? null : i }) }, sample, run));
  };
  return h("ul", { class: "runs", "aria-label": "Runs" }, report.runs.map(entry));
}

function curveButtons(curve, now) {
  const drawn = async () => {
    const holder = h("div", {});
    const { view } = await window.vegaEmbed(holder, specification(curve, now.only, true), { actions: false, renderer: "svg", ast: false });
    return view;
  };
  const rows = () => [[curve.xTitle, ...report.runs], ...curve.x.map((x, i) => [x, ...report.runs.map((_, run) => curve.y[run][i])])];
  return [
    saving(`SVG of ${curve.title}`, async () => save(fileName(curve.title, "svg"), asXml(await (await drawn()).toSVG()), "image/svg+xml")),
    saving(`PNG of ${curve.title}`, async () => (await (await drawn()).toCanvas(2)).toBlob((blob) => save(fileName(curve.title, "png"), blob))),
    csvButton(curve.title, rows),
  ];
}

let drawnCurves = [];

function curves(now, facts) {
  drawnCurves = facts.curves.map((curve) => [curve, now.only]);
  const cards = facts.curves.map((curve, i) =>
    h("section", { class: "card" }, h("h2", {}, curve.title), h("p", { class: "small soft" }, curve.description), h("div", { class: "chart", id: `chart-${i}`, role: "img", "aria-label": `${curve.title}; the values are in the table below` }), h("p", { class: "saves" }, curveButtons(curve, now)), asTable(curve)),
  );
  return [h("h2", {}, "Curves"), h("p", { class: "small soft" }, "A click on a run shows it alone, the others pale; a box switches a run off."), curveLegend(now), h("div", { class: "cards" }, cards)];
}

function drawCharts() {
  drawnCurves.forEach(([curve, only], i) => {
    const holder = byId(`chart-${i}`);
    if (holder) window.vegaEmbed(holder, specification(curve, only, false), { actions: false, renderer: "svg", ast: false });
  });
}
