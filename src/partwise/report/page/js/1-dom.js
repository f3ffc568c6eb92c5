// Builds elements from data; text is always inserted as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

const h = (tag, attributes, ...children) => filled(document.createElement(tag), attributes, children);
const s = (tag, attributes, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);

const byId = (id) => document.getElementById(id);

const grouped = new Intl.NumberFormat("en");
const count = (n) => grouped.format(n);
const counted = (n, one, several = one + "s") => `${count(n)} ${n === 1 ? one : several}`;
const inUnits = (n) => count(n / report.unit.scale); // milliseconds are shown as seconds
const unitWord = (n, word) => (n / report.unit.scale === 1 ? word.replace(/s$/, "") : word);
const sized = (n) => `${inUnits(n)} ${unitWord(n, report.unit.word)}`;
const extent = (n, doc) => (doc.inText ? counted(n, "character") : sized(n)); // places in a text are characters of it
const share = (part, whole) => (whole > 0 ? `${Math.round((100 * part) / whole)} %` : "0 %");
// The names of the methods of some intervals, each once: one text may name several.
const methodsOf = (texts) => [...new Set(texts.filter(Boolean).flatMap((text) => text.split(" or ")))].join(" or ");
const percent = (part) => `${Number((100 * part).toPrecision(6))}%`;
const decimals = (value, places = 4) => (value === null || value === undefined ? "–" : value.toFixed(places));

function labelled(text, control) {
  control.setAttribute("aria-label", text);
  return h("label", {}, text, control);
}

function choice(text, options, chosen, onChange) {
  const select = h("select", { onchange: () => onChange(select.value) });
  for (const [value, label] of options) select.append(h("option", { value, selected: String(value) === String(chosen) }, label));
  return labelled(text, select);
}
