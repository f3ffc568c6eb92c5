// Curves, drawn by the copy of Vega in this page; runs can be switched on and off.

const hidden = new Set();
const DASHES = [[], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4], [4, 2, 1, 2, 1, 2]];
const SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"];
// Okabe and Ito's colours, which colour-blind readers can distinguish; dashes and shapes distinguish runs in grey.
const COLOURS = {
  light: ["#0072b2", "#b8500b", "#007a5a", "#9c4a7c", "#575c63", "#7a5b00"],
  dark: ["#6cc4f5", "#ffa366", "#4fd6ae", "#f0a6cd", "#c2c7cf", "#f0e442"],
};

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function specification(curve) {
  const theme = document.documentElement.dataset.theme === "dark" ? "dark" : "light";
  const runs = report.runs.filter((run) => !hidden.has(run));
  const values = runs.flatMap((run) =>
    curve.y[runIndex.get(run)].map((y, i) => ({ run, x: curve.x[i], y, i })).filter((point) => point.y !== null),
  );
  const range = (options) => runs.map((run) => options[runIndex.get(run) % options.length]);
  const axis = { labelColor: colour("--ink"), titleColor: colour("--ink"), gridColor: colour("--line"), domainColor: colour("--soft"), tickColor: colour("--soft"), labelOverlap: "greedy", labelSeparation: 8 };
  const scale = { domain: runs };
  return {
    data: { values },
    width: "container",
    height: 280,
    background: "transparent",
    config: { view: { stroke: colour("--line") }, font: "system-ui, sans-serif", legend: { labelColor: colour("--ink"), titleColor: colour("--ink"), labelLimit: 220 } },
    encoding: {
      x: { field: "x", type: "quantitative", title: curve.xTitle, axis, scale: { type: curve.log ? "log" : "linear", nice: false, domain: [curve.x[0], curve.x.at(-1)] } },
      y: { field: "y", type: "quantitative", title: curve.yTitle, axis },
      color: { field: "run", type: "nominal", scale: { ...scale, range: range(COLOURS[theme]) } },
    },
    layer: [
      { mark: { type: "line", strokeWidth: 2 }, encoding: { strokeDash: { field: "run", type: "nominal", scale: { ...scale, range: range(DASHES) } } } },
      {
        transform: [{ filter: `datum.i % ${Math.ceil(curve.x.length / 20)} === 0` }],
        mark: { type: "point", filled: true, size: 40, opacity: 1, tooltip: true },
        encoding: { shape: { field: "run", type: "nominal", scale: { ...scale, range: range(SHAPES) } } },
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

function curves() {
  const boxes = report.runs.map((run) =>
    h(
      "label",
      {},
      h("input", {
        type: "checkbox",
        checked: !hidden.has(run),
        onchange: (event) => {
          if (event.target.checked) hidden.delete(run);
          else hidden.add(run);
          drawCharts();
        },
      }),
      run,
    ),
  );
  const cards = report.curves.map((curve, i) =>
    h("section", { class: "card" }, h("h2", {}, curve.title), h("p", { class: "small soft" }, curve.description), h("div", { class: "chart", id: `chart-${i}`, role: "img", "aria-label": `${curve.title}; the values are in the table below` }), asTable(curve)),
  );
  return [h("h2", {}, "Curves"), h("fieldset", {}, h("legend", {}, "Runs"), boxes), h("div", { class: "cards" }, cards)];
}

function drawCharts() {
  report.curves.forEach((curve, i) => {
    const holder = byId(`chart-${i}`);
    if (holder) window.vegaEmbed(holder, specification(curve), { actions: false, renderer: "svg", ast: false });
  });
}
