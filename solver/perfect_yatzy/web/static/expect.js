// What to expect from the card before this roll: the mean, its spread, the chance of an aim.
import { ask, line } from "./ask.js";
import { by, element, percent, svg, table, upper, whole } from "./parts.js";
import { aim, full, game, position, state, total } from "./state.js";
import { patience } from "./advice.js";

const next = line();
let key = "", spread = null, timer = 0;

// Asked for another card or another aim only: dice do not matter here.
export function drawExpect() {
  const body = { ...position(), ...aim() }, asked = JSON.stringify(body);
  if (asked === key) return;
  key = asked;
  clearTimeout(timer);
  const signal = next();
  by("expect").setAttribute("aria-busy", "true");
  by("expect").replaceChildren(element("p", {}, patience() || "Working …"));
  by("spread").classList.add("stale");
  timer = setTimeout(() => expectation(body, signal), 60);
}

async function expectation(body, signal) {
  try {
    const found = await ask("expect", body, signal);
    if (signal.aborted) return;
    spread = found.distribution || null;
    by("expect").replaceChildren(...lines(found).map((words) => element("p", {}, words)));
    drawSpread(Boolean(found.aim));
  } catch (error) {
    if (signal.aborted) return;
    key = ""; // the next change asks again
    by("expect").replaceChildren(element("p", { class: "error" }, error.message));
  }
  by("expect").setAttribute("aria-busy", "false");
}

function lines(found) {
  if (full()) return [`Final score ${total().all}`];
  const said = found.aim ? aimed(found) : [];
  const before = state.dice.length || state.rolls.length ? " before this roll" : "";
  said.push(`Expected final score${before || " before the roll"} ${found.expected_final_score.toFixed(2)}${found.aim ? ", if played for the mean" : ""}`);
  if (!spread) {
    said.push(game().saved_rolls ? "Rules that save rolls have no exact distribution here; yatzy simulate plays a million games."
      : "These rules are too large for a distribution on the spot; yatzy simulate plays a million games.");
    return said;
  }
  said.push(`Standard deviation ${spread.standard_deviation.toFixed(2)}`);
  said.push("Percentiles " + Object.entries(spread.percentiles).map(([p, score]) => `${p} %: ${score}`).join(", "));
  const { bonus } = game();
  if (bonus) said.push(spread.upper_bonus_chance < 1e-9 ? "Upper bonus out of reach" : spread.upper_bonus_chance > 1 - 1e-9 ? "Upper bonus certain" : `Upper bonus ${percent(spread.upper_bonus_chance)}`);
  return said;
}

function aimed(found) {
  const goal = found.aim.goal, what = goal === undefined ? "a win" : `${goal} or more`, said = [];
  if (found.chance === 0) said.push(`${upper(what)} is out of reach: the mean decides`);
  else if (found.chance === 1) said.push(`${upper(what)} is certain: the mean decides`);
  else said.push(`${percent(found.chance)} chance of ${what}, if played for just that`);
  if (found.chance_by_mean_play !== undefined) said.push(`Playing for the mean instead: ${percent(found.chance_by_mean_play)}`);
  (found.aim.opponents || []).forEach((other, i) => said.push(other.playing
    ? `Opponent ${i + 1} still plays, ${other.mean.toFixed(2)} ± ${other.standard_deviation.toFixed(2)}: exact if they play for the mean and take no notice of you`
    : `Opponent ${i + 1} has ${other.mean.toFixed(0)}: exact`));
  return said;
}

function drawSpread(forAim) {
  const drawn = spread && spread.chances.length > 1;
  by("spread").classList.toggle("stale", !drawn);
  if (!drawn) return;
  by("chart-title").textContent = "Final score" + (forAim ? ", if played for the mean" : "") + ": chance of each";
  drawChart();
  const middle = spread.percentiles["50"];
  by("at-least").value = by("at-least").dataset.chosen || middle;
  readOut();
  const rows = [];
  const [first, last] = visible();
  for (let score = Math.ceil(first / 10) * 10; score <= last; score += 10) rows.push([String(score), percent(atLeast(score))]);
  by("chances").replaceChildren(table("Chances of at least a score", ["Score", "Chance of at least that"], rows));
}

const atLeast = (score) => Math.min(1, spread.chances.slice(Math.max(0, score - spread.lowest)).reduce((sum, chance) => sum + chance, 0));

export function readOut() {
  if (!spread) return;
  const text = by("at-least").value.trim();
  by("at-least").toggleAttribute("aria-invalid", false);
  if (whole(text)) by("chance-of").textContent = percent(atLeast(Number(text)));
  else by("chance-of").textContent = "a whole number, please";
}

// First and last score worth drawing.
function visible() {
  let low = 0, high = spread.chances.length - 1;
  while (low < high && spread.chances[low] < 1e-5) low++;
  while (high > low && spread.chances[high] < 1e-5) high--;
  return [spread.lowest + low, spread.lowest + high];
}

export function drawChart() {
  if (!spread || spread.chances.length < 2) return;
  const [first, last] = visible(), shown = spread.chances.slice(first - spread.lowest, last - spread.lowest + 1);
  const most = Math.max(...shown), left = 54, right = 14, top = 8, height = 150;
  const width = Math.max(240, Math.min(560, by("chart").clientWidth || 420)); // one unit is one pixel: letters keep their size
  const step = (width - left - right) / shown.length, at = (score) => left + (score - first + 0.5) * step;
  const bars = shown.map((chance, i) => svg("rect", { x: (left + i * step).toFixed(2), y: (top + height * (1 - chance / most)).toFixed(2),
    width: Math.max(0.5, step).toFixed(2), height: (height * chance / most).toFixed(2) }));
  const marks = [], every = [1, 2, 5, 10, 20, 50, 100, 200].find((n) => (last - first) / n <= (width - left) / 48) || 500;
  for (let score = Math.ceil(first / every) * every; score <= last; score += every) {
    marks.push(svg("text", { x: at(score).toFixed(1), y: top + height + 15, "text-anchor": "middle" }, String(score)));
  }
  for (const share of [1, 0.5, 0]) {
    const y = top + height * (1 - share);
    marks.push(svg("line", { x1: left - 4, x2: width - right, y1: y, y2: y }),
      svg("text", { x: left - 7, y: y + 4, "text-anchor": "end" }, `${(100 * most * share).toFixed(most < 0.1 ? 2 : 0)} %`));
  }
  by("chart").replaceChildren(svg("svg", { viewBox: `0 0 ${width} ${top + height + 20}`, role: "img",
    "aria-label": `Distribution of the final score from ${first} to ${last}, at most ${percent(most)} for one score` }, ...marks, ...bars));
}
