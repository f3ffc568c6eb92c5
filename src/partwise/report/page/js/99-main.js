// Draws the current view and handles events.

const KEYS = [
  ["n", "p", "next, previous query", () => stepQuery(1), () => stepQuery(-1)],
  ["j", "k", "next, previous result", () => stepResult(1), () => stepResult(-1)],
  ["]", "[", "next, previous document", () => stepDocument(1), () => stepDocument(-1)],
];

const DRAWN = { overview, curves, diagnosis, queries, explorer };
let drawing = 0;

async function draw() {
  const turn = ++drawing;
  const now = place();
  const content = await DRAWN[now.view](now, await factsOf(now));
  if (turn !== drawing) return;
  const main = byId("main");
  const kept = main.dataset.view === now.view ? document.activeElement?.dataset?.rank : undefined;
  main.dataset.view = now.view;
  main.replaceChildren(...[content].flat(Infinity).filter(Boolean));
  byId("views").replaceChildren(...VIEWS.map(([name, label]) => h("a", { href: address({ view: name, doc: null, rank: null }), "aria-current": name === now.view ? "page" : null }, label)));
  document.documentElement.dataset.ready = now.view;
  if (now.view === "explorer") {
    reveal(kept !== undefined);
    fillBeginnings();
  }
  if (now.view === "curves") drawCharts();
  byId("slices").replaceChildren(...[sliceChoice(now)].filter(Boolean));
  hintAll();
}

// The slice to which all views are restricted.
function sliceChoice(now) {
  if (!report.sliced.length) return null;
  const option = (value, label, chosen) => h("option", { value, selected: chosen }, label);
  const select = h("select", { onchange: () => go({ slice: select.value === "" ? null : select.value.split(",").map(Number), doc: null, rank: null }) });
  select.append(option("", `all ${count(report.queries.length)}`, now.slice === null));
  report.sliced.forEach((sliced, i) => select.append(h("optgroup", { label: sliced.by }, sliced.slices.map((one, j) => option(`${i},${j}`, `${sliced.by}: ${one.name} (${count(one.queries.length)})`, now.slice?.[0] === i && now.slice?.[1] === j)))));
  return labelled("Queries", select);
}

// A box whose content continues beyond its right edge fades out there, to show that there is more.
function hint(box) {
  box.classList.toggle("more-right", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
}

function hintAll() {
  document.querySelectorAll(".scroll").forEach((box) => {
    box.onscroll = () => hint(box);
    hint(box);
  });
}

function reveal(focus) {
  document.querySelectorAll('.result[aria-current="true"]').forEach((button) => {
    within(button.closest(".list"), button);
    if (focus) button.focus({ preventScroll: true });
  });
  document.querySelectorAll(".pane").forEach((one) => {
    const rank = one.querySelector('.result[aria-current="true"]')?.dataset.rank;
    const tag = rank && one.querySelector(`.text [data-part="${rank}"]`);
    const target = one.querySelector(".text .sought") || tag || one.querySelector(".text mark");
    if (target) within(one.querySelector(".text"), target);
  });
}

function within(holder, element) {
  const top = element.getBoundingClientRect().top - holder.getBoundingClientRect().top + holder.scrollTop;
  holder.scrollTop = Math.max(0, top - holder.clientHeight / 4);
}

function theme(name) {
  document.documentElement.dataset.theme = name;
  if (document.documentElement.dataset.ready === "curves") draw();
}

function listen() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  theme(dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => theme(dark.matches ? "dark" : "light"));
  byId("theme").addEventListener("click", () => theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
  byId("help").addEventListener("click", () => byId("keys").showModal());
  byId("keys-list").append(...KEYS.flatMap(([down, up, label]) => [h("dt", {}, h("kbd", {}, down), " ", h("kbd", {}, up)), h("dd", {}, label)]), h("dt", {}, h("kbd", {}, "/")), h("dd", {}, "search queries"), h("dt", {}, h("kbd", {}, "?")), h("dd", {}, "this help"));
  document.querySelector("[data-skip]").addEventListener("click", (event) => {
    event.preventDefault();
    byId("main").focus();
  });
  addEventListener("hashchange", draw);
  addEventListener("resize", hintAll);
  addEventListener("toggle", hintAll, true);
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || byId("keys").open) return;
    for (const [down, up, , forward, back] of KEYS) {
      if (event.key === down) return void forward();
      if (event.key === up) return void back();
    }
    if (event.key === "?") byId("keys").showModal();
    if (event.key === "/") {
      event.preventDefault();
      go({ view: "queries" });
      setTimeout(() => byId("find")?.focus(), 50);
    }
  });
}

listen();
draw();
