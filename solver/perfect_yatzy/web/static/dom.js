// DOM elements, and numbers and lists as text.

export const byId = (id) => document.getElementById(id);

// `attributes.on` maps event names to listeners; true sets an empty attribute, false and null set none. A style is set as
// a property: the server forbids style attributes.
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "on") for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    else if (name === "style") node.style.cssText = value;
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

export const element = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

// A disabled button stays focusable: otherwise the focus would move to the body.
export function setEnabled(button, enabled) {
  if (enabled) button.removeAttribute("aria-disabled");
  else button.setAttribute("aria-disabled", "true");
}

const isEnabled = (button) => button.getAttribute("aria-disabled") !== "true";

export function button(text, listener, attributes) {
  const onClick = (event) => { if (isEnabled(event.currentTarget)) listener(event); };
  return element("button", { type: "button", on: { click: onClick }, ...attributes }, text);
}

export function onClick(id, listener) {
  byId(id).addEventListener("click", (event) => { if (isEnabled(event.currentTarget)) listener(event); });
}

// Call before the content of `container` is hidden or replaced.
export function moveFocusOut(container, target) {
  if (container.contains(document.activeElement)) target.focus();
}

export function table(name, headings, rows, attributes) {
  const numeric = (column) => (column ? { class: "number" } : {});
  return element("table", { "aria-label": name, ...attributes },
    element("thead", {}, element("tr", {}, ...headings.map((text, column) => element("th", { scope: "col", ...numeric(column) }, text)))),
    element("tbody", {}, ...rows.map((cells) => element("tr", {}, ...cells.map((cell, column) =>
      element(column ? "td" : "th", { scope: column ? null : "row", ...numeric(column) }, cell))))));
}

// Width of a chart in the units of its view box. One unit is one pixel, so that text keeps its size.
export const chartWidth = (container) => Math.max(240, Math.min(560, container.clientWidth || 420));

// Chances that only round to 0 or 1 must not look impossible or certain.
export const percent = (chance) => (chance > 0 && chance < 5e-5 ? "<0.01" : chance < 1 && chance > 1 - 5e-5 ? ">99.99" : (100 * chance).toFixed(2)) + " %";
export const diceText = (dice) => (dice.length ? dice.join(" ") : "nothing");
export const count = (number, singular, plural) => `${number} ${number === 1 ? singular : plural}`;
export const capitalize = (text) => text.charAt(0).toUpperCase() + text.slice(1);
export const isWholeNumber = (text) => /^\d{1,5}$/.test(text);
