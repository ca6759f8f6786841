// What to expect at the start of this turn: the expected score, its distribution, the chance of a goal or a win.
import { ask, latestOnly } from "./ask.js";
import { byId, capitalize, chartWidth, element, isWholeNumber, percent, svg, table } from "./dom.js";
import { isCardFull, objective, onDraw, position, rules, state, totals } from "./state.js";
import { waitText } from "./advice.js";

const DEBOUNCE_MS = 60;
const MIN_DRAWN_CHANCE = 1e-5; // scores with smaller chances at both ends are not drawn
const TICK_STEPS = [1, 2, 5, 10, 20, 50, 100, 200];
const newRequest = latestOnly();
let answerKey = "", distribution = null, timer = 0;

byId("expect").innerHTML = `
  <h2 id="expect-title">What to expect</h2>
  <div id="expect-text" role="status" aria-live="polite"></div>
  <div id="spread" class="stale">
    <h3 id="chart-title">Final score</h3>
    <div id="chart"></div>
    <p><label>Chance of at least <input id="at-least" inputmode="numeric" autocomplete="off" size="5"></label> points:
      <output id="chance-of" for="at-least"></output></p>
    <details><summary>All chances as a table</summary><div id="chances"></div></details>
  </div>`;
byId("at-least").addEventListener("input", (event) => { event.target.dataset.chosen = event.target.value; showChanceOfScore(); });
window.addEventListener("resize", () => drawChart());

// Dice do not matter here: only a new scorecard or objective sends a request.
function drawExpect() {
  const body = { ...position(), ...objective() }, key = JSON.stringify(body);
  if (key === answerKey) return;
  answerKey = key;
  clearTimeout(timer);
  const signal = newRequest();
  byId("expect").setAttribute("aria-busy", "true");
  byId("expect-text").replaceChildren(element("p", {}, waitText() || "Working …"));
  byId("spread").classList.add("stale");
  timer = setTimeout(() => requestExpectation(body, signal), DEBOUNCE_MS);
}

async function requestExpectation(body, signal) {
  try {
    const found = await ask("expect", body, { signal });
    if (signal.aborted) return;
    distribution = found.distribution || null;
    byId("expect-text").replaceChildren(...expectationLines(found).map((text) => element("p", {}, text)));
    drawDistribution(Boolean(found.aim));
  } catch (error) {
    if (signal.aborted) return;
    answerKey = ""; // the next change sends a new request
    byId("expect-text").replaceChildren(element("p", { class: "error" }, error.message));
  }
  byId("expect").setAttribute("aria-busy", "false");
}

function expectationLines(found) {
  if (isCardFull()) return [`Final score ${totals().all}`];
  const lines = found.aim ? objectiveLines(found) : [];
  const when = state.dice.length || state.rolls.length ? "before this roll" : "before the roll";
  lines.push(`Expected final score ${when} ${found.expected_final_score.toFixed(2)}${found.aim ? " when maximising it" : ""}`);
  if (found.approximate) lines.push(`Approximate: ${found.approximate.text}.`);
  if (!distribution) {
    lines.push(`No exact distribution for these rules; estimate it in a terminal with: yatzy simulate ${state.rules}`);
    return lines;
  }
  lines.push(`Standard deviation ${distribution.standard_deviation.toFixed(2)}`);
  lines.push("Percentiles " + Object.entries(distribution.percentiles).map(([p, score]) => `${p} %: ${score}`).join(", "));
  const chance = distribution.upper_bonus_chance;
  if (rules().bonus) lines.push(chance < 1e-9 ? "Upper bonus out of reach" : chance > 1 - 1e-9 ? "Upper bonus certain" : `Upper bonus ${percent(chance)}`);
  return lines;
}

function objectiveLines(found) {
  const { goal, opponents = [] } = found.aim, text = goal === undefined ? "a win" : `${goal} or more`, lines = [];
  if (found.chance === 0) lines.push(`${capitalize(text)} is out of reach; ranked by expected score`);
  else if (found.chance === 1) lines.push(`${capitalize(text)} is certain; ranked by expected score`);
  else lines.push(`${percent(found.chance)} chance of ${text} when maximising it`);
  if (found.chance_by_mean_play !== undefined) lines.push(`When maximising the expected score instead: ${percent(found.chance_by_mean_play)}`);
  opponents.forEach((other, i) => lines.push(other.playing
    ? `Opponent ${i + 1} is still playing, ${other.mean.toFixed(2)} ± ${other.standard_deviation.toFixed(2)}; assumes they maximise their expected score and ignore yours`
    : `Opponent ${i + 1} has finished with ${other.mean.toFixed(0)}`));
  return lines;
}

function drawDistribution(hasObjective) {
  const isDrawn = distribution && distribution.chances.length > 1;
  byId("spread").classList.toggle("stale", !isDrawn);
  if (!isDrawn) return;
  byId("chart-title").textContent = "Final score" + (hasObjective ? " when maximising the expected score" : "") + ": chance of each";
  drawChart();
  byId("at-least").value = byId("at-least").dataset.chosen || distribution.percentiles["50"];
  showChanceOfScore();
  const rows = [];
  const [first, last] = drawnScores();
  for (let score = Math.ceil(first / 10) * 10; score <= last; score += 10) rows.push([String(score), percent(chanceOfAtLeast(score))]);
  byId("chances").replaceChildren(table("Chances of at least a score", ["Score", "Chance of at least this score"], rows));
}

const chanceOfAtLeast = (score) =>
  Math.min(1, distribution.chances.slice(Math.max(0, score - distribution.lowest)).reduce((sum, chance) => sum + chance, 0));

function showChanceOfScore() {
  if (!distribution) return;
  const text = byId("at-least").value.trim();
  byId("at-least").toggleAttribute("aria-invalid", false);
  byId("chance-of").textContent = isWholeNumber(text) ? percent(chanceOfAtLeast(Number(text))) : "enter a whole number";
}

// First and last score of the chart.
function drawnScores() {
  const { chances, lowest } = distribution;
  let first = 0, last = chances.length - 1;
  while (first < last && chances[first] < MIN_DRAWN_CHANCE) first++;
  while (last > first && chances[last] < MIN_DRAWN_CHANCE) last--;
  return [lowest + first, lowest + last];
}

function drawChart() {
  if (!distribution || distribution.chances.length < 2) return;
  const [first, last] = drawnScores(), chances = distribution.chances.slice(first - distribution.lowest, last - distribution.lowest + 1);
  const max = Math.max(...chances), left = 54, right = 14, top = 8, height = 150;
  const width = chartWidth(byId("chart"));
  const step = (width - left - right) / chances.length, xOf = (score) => left + (score - first + 0.5) * step;
  const bars = chances.map((chance, i) => svg("rect", { x: (left + i * step).toFixed(2), y: (top + height * (1 - chance / max)).toFixed(2),
    width: Math.max(0.5, step).toFixed(2), height: (height * chance / max).toFixed(2) }));
  const axes = [], tick = TICK_STEPS.find((n) => (last - first) / n <= (width - left) / 48) || 500;
  for (let score = Math.ceil(first / tick) * tick; score <= last; score += tick) {
    axes.push(svg("text", { x: xOf(score).toFixed(1), y: top + height + 15, "text-anchor": "middle" }, String(score)));
  }
  for (const share of [1, 0.5, 0]) {
    const y = top + height * (1 - share);
    axes.push(svg("line", { x1: left - 4, x2: width - right, y1: y, y2: y }),
      svg("text", { x: left - 7, y: y + 4, "text-anchor": "end" }, `${(100 * max * share).toFixed(max < 0.1 ? 2 : 0)} %`));
  }
  byId("chart").replaceChildren(svg("svg", { viewBox: `0 0 ${width} ${top + height + 20}`, role: "img",
    "aria-label": `Distribution of the final score from ${first} to ${last}, at most ${percent(max)} for one score` }, ...axes, ...bars));
}

onDraw(drawExpect);
