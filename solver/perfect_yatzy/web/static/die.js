// Dice as pictures: a face with pips, and a row of small dice of which some are held.
import { element, svg } from "./dom.js";

const LOW = 27, MIDDLE = 50, HIGH = 73, RADIUS = 10;
const CORNERS = [[LOW, LOW], [HIGH, HIGH], [HIGH, LOW], [LOW, HIGH], [LOW, MIDDLE], [HIGH, MIDDLE]];
const MAX_PIPS = 6; // dice with more faces show a number

// The face of a die; its size and colours come from the style sheet.
export function dieFace(face) {
  const square = svg("rect", { x: 2, y: 2, width: 96, height: 96, rx: 18, class: "die-square" });
  const pips = face > MAX_PIPS ? [svg("text", { x: 50, y: 68, "text-anchor": "middle", class: "die-number" }, String(face))]
    : [...CORNERS.slice(0, face - face % 2), ...(face % 2 ? [[MIDDLE, MIDDLE]] : [])].map(([cx, cy]) => svg("circle", { cx, cy, r: RADIUS, class: "pip" }));
  return svg("svg", { viewBox: "0 0 100 100", class: "die-face", "aria-hidden": "true", focusable: "false" }, square, ...pips);
}

// Small dice in a row, read out as numbers; `held[i]` marks die i. Without `held` no die stands out.
export function diceRow(dice, held = null) {
  return element("span", { class: "dice-row", role: "img", "aria-label": dice.join(" ") },
    ...dice.map((face, i) => element("span", { class: !held ? "mini" : held[i] ? "mini held" : "mini loose" }, dieFace(face))));
}
