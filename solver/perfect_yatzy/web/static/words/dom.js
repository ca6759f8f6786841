// DOM elements, and numbers and lists as text.

export const byId = (id) => document.getElementById(id);

// `attributes.on` maps event names to listeners; true sets an empty attribute, false and null set none. A style is set as
// a property: the server forbids style attributes.
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "on")
      for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    else if (name === "style") node.style.cssText = value;
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

export const element = (tag, attributes, ...children) =>
  fill(document.createElement(tag), attributes, children);
export const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

export function setFlag(node, name, isSet) {
  if (isSet) node.setAttribute(name, "true");
  else node.removeAttribute(name);
}

// A disabled button stays focusable: otherwise the focus would move to the body.
export const setEnabled = (button, isEnabled) => setFlag(button, "aria-disabled", !isEnabled);
const isEnabled = (button) => button.getAttribute("aria-disabled") !== "true";

export function button(content, listener, attributes) {
  const onClick = (event) => {
    if (isEnabled(event.currentTarget)) listener(event);
  };
  return element(
    "button",
    { type: "button", on: { click: onClick }, ...attributes },
    ...[content].flat(),
  );
}

export function onClick(id, listener) {
  byId(id).addEventListener("click", (event) => {
    if (isEnabled(event.currentTarget)) listener(event);
  });
}

// Call before the content of `container` is hidden or replaced.
export function moveFocusOut(container, target) {
  if (container.contains(document.activeElement)) target.focus();
}

export function table(name, headings, rows, attributes) {
  const numeric = (column) => (column ? { class: "number" } : {});
  return element(
    "table",
    { "aria-label": name, ...attributes },
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        ...headings.map((text, column) =>
          element("th", { scope: "col", ...numeric(column) }, text),
        ),
      ),
    ),
    element(
      "tbody",
      {},
      ...rows.map((cells) =>
        element(
          "tr",
          {},
          ...cells.map((cell, column) =>
            element(
              column ? "td" : "th",
              { scope: column ? null : "row", ...numeric(column) },
              cell,
            ),
          ),
        ),
      ),
    ),
  );
}

// Numbers with their names: name, value, class.
export const figure = (name, value, kind) =>
  element("div", { class: kind || null }, element("dt", {}, name), element("dd", {}, value));
export const figures = (rows, attributes) =>
  element("dl", { class: "figures", ...attributes }, ...rows.map((row) => figure(...row)));

// Width of a chart in the units of its view box. One unit is one pixel, so that text keeps its size.
export const chartWidth = (container) => Math.max(240, Math.min(560, container.clientWidth || 420));

export const diceText = (dice) => (dice.length ? dice.join("\u00a0") : "nothing"); // on one line
export const capitalize = (text) => text.charAt(0).toUpperCase() + text.slice(1);
export const isWholeNumber = (text) => /^\d{1,5}$/.test(text);

// Puts a text on the clipboard.
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without the permission, or on a page that is not secure: the old way.
    const area = element("textarea", { class: "unseen", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

// --- dice as pictures ---

const LOW = 27,
  MIDDLE = 50,
  HIGH = 73,
  RADIUS = 10;
const CORNERS = [
  [LOW, LOW],
  [HIGH, HIGH],
  [HIGH, LOW],
  [LOW, HIGH],
  [LOW, MIDDLE],
  [HIGH, MIDDLE],
];
const MAX_PIPS = 6; // dice with more faces show a number

// The face of a die; its size and colours come from the style sheet.
export function dieFace(face) {
  const square = svg("rect", { x: 2, y: 2, width: 96, height: 96, rx: 22, class: "die-square" });
  const pips =
    face > MAX_PIPS
      ? [svg("text", { x: 50, y: 68, "text-anchor": "middle", class: "die-number" }, String(face))]
      : [...CORNERS.slice(0, face - (face % 2)), ...(face % 2 ? [[MIDDLE, MIDDLE]] : [])].map(
          ([cx, cy]) => svg("circle", { cx, cy, r: RADIUS, class: "pip" }),
        );
  return svg(
    "svg",
    { viewBox: "0 0 100 100", class: "die-face", "aria-hidden": "true", focusable: "false" },
    square,
    ...pips,
  );
}

// Small dice in a row, read out as numbers; `held[i]` marks die i. Without `held` no die stands out.
export function diceRow(dice, held = null) {
  return element(
    "span",
    { class: "dice-row", role: "img", "aria-label": dice.join(" ") },
    ...dice.map((face, i) =>
      element(
        "span",
        { class: !held ? "mini" : held[i] ? "mini held" : "mini loose" },
        dieFace(face),
      ),
    ),
  );
}

// --- what a screen reader hears: the course of the game in one polite live region ---

const MAX_KEPT = 8; // paragraphs; older ones have been read long ago
let lastSaid = "";

// Says some sentences, unless they are those said last.
export function say(...sentences) {
  const said = sentences.filter(Boolean),
    text = said.join("\n");
  if (!text || text === lastSaid) return;
  lastSaid = text;
  const region = byId("said");
  region.append(...said.map((sentence) => element("p", {}, sentence)));
  while (region.children.length > MAX_KEPT) region.firstChild.remove();
}

// What is wrong with a field is said at it.
export function showFieldError(field, text) {
  byId(`${field}-error`).textContent = text;
  setFlag(byId(field), "aria-invalid", text);
}
