// Figures and tables as files: SVG, PNG and CSV, made in the page.

function save(name, content, type) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

const fileName = (title, suffix) => `${title.replace(/[^\p{L}\p{N}.@-]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 80) || "report"}.${suffix}`;

// A text that a spreadsheet would take for a formula is written after an apostrophe.
function csvCell(cell) {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "number") return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : String(cell);
  return /[",\r\n]/.test(text) || text !== cell ? `"${text.replaceAll('"', '""')}"` : text;
}

const csv = (rows) => rows.map((row) => row.map(csvCell).join(",") + "\r\n").join("");

function saving(label, action) {
  return h("button", { type: "button", class: "save small", onclick: action, "aria-label": label }, label.split(" ")[0]);
}

// `rows` returns the header and the rows when they are needed.
const csvButton = (title, rows) => saving(`CSV of ${title}`, async () => save(fileName(title, "csv"), csv(await rows()), "text/csv"));

function asPng(svg, name) {
  const image = new Image();
  image.onload = () => {
    const canvas = h("canvas", { width: 2 * image.width, height: 2 * image.height });
    const context = canvas.getContext("2d");
    context.fillStyle = colour("--raised");
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(name, blob));
  };
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
}

// XML has no control characters and no lone surrogates, which ids may have.
const asXml = (text) => text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");

const COPIED = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline"];

// The figure as a file of its own: what the style sheet says is copied into it.
function standalone(svg) {
  const copy = svg.cloneNode(true);
  const inside = [svg, ...svg.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((node, i) => {
    const style = getComputedStyle(inside[i]);
    node.setAttribute("style", COPIED.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
  });
  const box = svg.getBoundingClientRect();
  copy.setAttribute("xmlns", SVG);
  copy.setAttribute("width", Math.round(box.width));
  copy.setAttribute("height", Math.round(box.height));
  return asXml(new XMLSerializer().serializeToString(copy));
}

const figureButtons = (title, svg) => [
  saving(`SVG of ${title}`, () => save(fileName(title, "svg"), standalone(svg()), "image/svg+xml")),
  saving(`PNG of ${title}`, () => asPng(standalone(svg()), fileName(title, "png"))),
];
