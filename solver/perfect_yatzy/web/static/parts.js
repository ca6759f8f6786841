// Small parts: elements, numbers, and words.

export const by = (id) => document.getElementById(id);

function dressed(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "on") for (const [event, run] of Object.entries(value)) made.addEventListener(event, run);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

export const element = (tag, attributes, ...children) => dressed(document.createElement(tag), attributes, children);
export const svg = (tag, attributes, ...children) =>
  dressed(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

// Buttons stay focusable when they have nothing to do: a focus that falls to the body loses its place.
export function able(button, on) {
  if (on) button.removeAttribute("aria-disabled");
  else button.setAttribute("aria-disabled", "true");
}
export function button(words, run, attributes) {
  const pressed = (event) => { if (event.currentTarget.getAttribute("aria-disabled") !== "true") run(event); };
  return element("button", { type: "button", on: { click: pressed }, ...attributes }, words);
}
export function pressed(id, run) {
  by(id).addEventListener("click", (event) => { if (event.currentTarget.getAttribute("aria-disabled") !== "true") run(event); });
}

// What is about to vanish hands its focus on.
export function leave(place, to) {
  if (place.contains(document.activeElement)) to.focus();
}

export function table(name, heads, rows, attributes) {
  const number = (i) => (i ? { class: "number" } : {});
  return element("table", { "aria-label": name, ...attributes },
    element("thead", {}, element("tr", {}, ...heads.map((text, i) => element("th", { scope: "col", ...number(i) }, text)))),
    element("tbody", {}, ...rows.map((cells) => element("tr", {}, ...cells.map((cell, i) =>
      element(i ? "td" : "th", { scope: i ? null : "row", ...number(i) }, cell))))));
}

export const percent = (chance) => (chance > 0 && chance < 5e-5 ? "<0.01" : chance < 1 && chance > 1 - 5e-5 ? ">99.99" : (100 * chance).toFixed(2)) + " %";
export const lost = (loss, scale) => (loss === 0 ? "0.00" : loss * scale < 0.005 ? "<0.01" : (loss * scale).toFixed(2));
export const names = (dice) => (dice.length ? dice.join(" ") : "nothing");
export const many = (number, one, more) => `${number} ${number === 1 ? one : more}`;
export const upper = (words) => words.charAt(0).toUpperCase() + words.slice(1);
export const whole = (text) => /^\d{1,5}$/.test(text);
