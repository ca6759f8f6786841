// What to expect at the start of this turn: figures, the distribution of the final score, the chance of a goal or a win.
// Nothing is asked while the panel is out of sight, because a distribution takes the server some time.
import { ask, latestOnly } from "../store/ask.js";
import { button, byId, element, figure, isWholeNumber, setFlag, table } from "../words/dom.js";
import { chanceOfAtLeast, chanceRows, distributionChart } from "./distribution.js";
import { _, formatNumber, formatPercent, language } from "../words/i18n.js";
import { chanceText } from "./options.js";
import { solveBox } from "./solve.js";
import {
  isCardFull,
  me,
  objective,
  onDraw,
  position,
  rules,
  state,
  totals,
} from "../store/state.js";

const DEBOUNCE_MS = 60,
  FIRST_FIGURES_MS = 400,
  LONG_WAIT_MS = 2000; // then the average is asked for alone; then the page says that it takes long
const newRequest = latestOnly();
let answerKey = "",
  answer = null,
  timer = 0,
  isVisible = false,
  drawnIn = "";
let shownRules = ""; // of the figures shown; figures of other rules are hidden at once, others fade until the new ones are there

// Dice do not matter here: only another scorecard or objective sends a request. At the end nothing is left to expect.
function drawExpect() {
  if (drawnIn !== language) {
    drawnIn = language;
    answerKey = "";
  }
  byId("expect").hidden = isCardFull();
  const body = { ...position(), ...objective() },
    key = JSON.stringify(body);
  if (key === answerKey) {
    nameFigures();
    return;
  }
  fade();
  if (!isVisible || isCardFull()) return;
  answerKey = key;
  const signal = newRequest();
  timer = setTimeout(() => request(body, signal), DEBOUNCE_MS);
}

// Figures of the position before stay, faded, until those of this one are there: the panel keeps its size.
function fade() {
  clearTimeout(timer);
  newRequest();
  answerKey = "";
  answer = null;
  const isWaiting = isVisible && !isCardFull();
  byId("expect").setAttribute("aria-busy", String(isWaiting));
  byId("expect-status").replaceChildren(isWaiting ? _("Working …") : "");
  for (const each of [...byId("expect-figures").children, byId("spread")])
    each.classList.add("outdated");
  if (shownRules !== state.rules) hideOutdated();
  byId("expect-notes").replaceChildren();
}

function hideOutdated() {
  shownRules = "";
  for (const id of ["expect-figures", "spread"]) byId(id).classList.add("stale");
}

async function request(body, signal) {
  const early = setTimeout(() => requestAverage(body, signal), FIRST_FIGURES_MS);
  const late = setTimeout(
    () =>
      byId("expect-status").replaceChildren(
        _("Still working … early in a game this can take a minute."),
      ),
    LONG_WAIT_MS,
  );
  try {
    const [found, start] = await Promise.all([
      ask("expect", body, { signal }),
      startOfGame(signal),
    ]);
    if (signal.aborted) return;
    answer = { ...found, start };
    byId("expect-status").replaceChildren();
    draw();
  } catch (error) {
    if (signal.aborted) return;
    showError(error);
  } finally {
    clearTimeout(early);
    clearTimeout(late);
    if (!signal.aborted) byId("expect").setAttribute("aria-busy", "false");
  }
}

// The average alone is known at once.
async function requestAverage(body, signal) {
  if (body.goal !== undefined || body.opponents) return;
  const found = await ask("expect", { ...body, spread: false }, { signal }).catch(() => null);
  if (!found || signal.aborted || answer) return;
  const mean = byId("expect-figures").querySelector(".mean.large");
  if (!shownRules || !mean) {
    drawFigures({
      expected_final_score: found.expected_final_score,
      approximate: found.approximate,
    });
    return;
  }
  mean.classList.remove("outdated");
  mean.querySelector("dd").textContent = formatNumber(found.expected_final_score, 1);
}

// What perfect play makes of an empty card on average; null if this card is empty or the number is not available.
async function startOfGame(signal) {
  if (!Object.keys(me().card).length) return null;
  const found = await ask("expect", { rules: state.rules, spread: false }, { signal }).catch(
    () => null,
  );
  return found && found.expected_final_score;
}

function showError(error) {
  hideOutdated();
  answerKey = ""; // the next change asks again
  if (error.code === "confirmation-required" && error.cost) {
    const body = { ...position(), ...objective() };
    byId("expect-status").replaceChildren(
      solveBox(error.cost, "expect", body, () => document.dispatchEvent(new Event("work-done"))),
    );
    return;
  }
  const retry = error.retryable ? [" ", button(_("Try again"), drawExpect)] : [];
  byId("expect-status").replaceChildren(
    element("span", { class: "error" }, error.message),
    ...retry,
  );
}

function draw() {
  drawFigures(answer);
  drawDistribution();
  drawNotes();
}

// The figures are those at the start of the turn; the advice knows the dice, so that its average is another one.
function nameFigures() {
  for (const name of byId("expect-figures").querySelectorAll(":is(.mean, .aim) dt")) {
    const figure = (name.dataset.name ??= name.textContent);
    name.textContent =
      !state.dice.length && !state.rolls.length
        ? figure
        : state.rolls.length
          ? _("{figure} before this turn", { figure })
          : _("{figure} before this roll", { figure });
  }
}

function drawFigures(found) {
  const { distribution } = found,
    mean = formatNumber(found.expected_final_score, 1);
  const parts = found.aim ? objectiveFigures(found) : [];
  parts.push(figure(_("average final score"), mean, found.aim ? "mean" : "mean large"));
  const deviation = distribution ? distribution.standard_deviation : found.standard_deviation;
  if (distribution) {
    const { 5: low, 95: high } = distribution.percentiles;
    parts.push(
      figure(
        _("9 of 10 games"),
        _("{low} – {high}", { low: formatNumber(low), high: formatNumber(high) }),
      ),
    );
    if (rules().bonus) parts.push(figure(...bonusFigure(distribution.upper_bonus_chance)));
  }
  if (deviation) parts.push(figure(_("standard deviation"), formatNumber(deviation, 1)));
  if (found.start) {
    const ahead = found.expected_final_score - found.start;
    const fields = {
      points: formatNumber(Math.abs(ahead), 1),
      start: formatNumber(found.start, 1),
    };
    parts.push(
      figure(
        _("against the start ({start})", fields),
        ahead < 0 ? _("−{points}", fields) : _("+{points}", fields),
      ),
    );
  }
  byId("expect-figures").replaceChildren(...parts);
  nameFigures();
  byId("expect-figures").classList.remove("stale");
  shownRules = state.rules;
}

// A bonus with several steps, or one for each column: the chance of any of them.
function bonusFigure(chance) {
  const { steps } = rules().bonus,
    isSingle = steps.length === 1 && steps[0].length === 1;
  const value =
    chance === 0 ? _("out of reach") : chance > 1 - 1e-9 ? _("certain") : formatPercent(chance, 1);
  return [isSingle ? _("upper bonus") : _("any upper bonus"), value];
}

function objectiveFigures(found) {
  const { goal } = found.aim,
    fields = { goal: formatNumber(goal ?? 0) };
  const name = goal === undefined ? _("chance to win") : _("chance of {goal} or more", fields);
  const value = found.chance_note
    ? _("not known")
    : found.out_of_reach
      ? _("out of reach")
      : found.certain
        ? _("certain")
        : chanceText(found.chance, found.aim, 1);
  const parts = [figure(name, value, "aim large")];
  if (found.chance_by_mean_play !== undefined && !found.out_of_reach && !found.certain) {
    parts.push(
      figure(_("playing for the best average"), formatPercent(found.chance_by_mean_play, 1)),
    );
  }
  return parts;
}

function drawNotes() {
  const lines = [],
    { aim, approximate } = answer;
  if (answer.chance_note)
    lines.push(
      _("The chance under best play is not known: {reason}.", { reason: answer.chance_note }),
    );
  if (answer.out_of_reach || answer.certain)
    lines.push(_("The advice is for the best average from here on."));
  (aim?.opponents || []).forEach((other, i) => {
    const fields = {
      number: i + 1,
      mean: formatNumber(other.mean, 1),
      points: formatNumber(other.mean),
      deviation: formatNumber(other.standard_deviation, 1),
    };
    lines.push(
      other.playing
        ? _(
            "Opponent {number} is still playing: {mean} on average, standard deviation {deviation}, if they play for the best average.",
            fields,
          )
        : _("Opponent {number} has finished with {points}.", fields),
    );
  });
  if (aim?.lower_bound)
    lines.push(_("You see how they score and can adapt: the chances are at least these."));
  if (approximate) lines.push(_("Approximate: {text}.", { text: approximate.text }));
  byId("expect-notes").replaceChildren(
    ...lines.map((text) => element("p", { class: "hint" }, text)),
  );
}

function drawDistribution() {
  const isDrawn = Boolean(answer.distribution) && answer.distribution.chances.length > 1;
  byId("spread").hidden = !isDrawn;
  byId("spread").classList.toggle("stale", !isDrawn);
  byId("spread").classList.remove("outdated");
  if (!isDrawn) return;
  byId("chart-title").textContent = answer.aim
    ? _("Final score when playing for the best average")
    : _("Final score");
  drawChart();
  byId("at-least").value = byId("at-least").dataset.chosen || answer.distribution.percentiles["50"];
  showChance();
  byId("chances").replaceChildren(
    table(
      _("Chances of at least a score"),
      [_("Score"), _("Chance of at least this score")],
      chanceRows(answer.distribution),
    ),
  );
}

function drawChart() {
  if (!answer?.distribution || answer.distribution.chances.length < 2) return;
  const marks = { mean: answer.expected_final_score, total: totals().all };
  byId("chart").replaceChildren(
    distributionChart(byId("chart"), answer.distribution, marks, (score) => {
      byId("at-least").value = score;
      chooseScore();
    }),
  );
}

function chooseScore() {
  byId("at-least").dataset.chosen = byId("at-least").value;
  showChance();
}

function showChance() {
  if (!answer?.distribution) return;
  const text = byId("at-least").value.trim(),
    isNumber = isWholeNumber(text);
  setFlag(byId("at-least"), "aria-invalid", !isNumber);
  byId("chance-of").textContent = isNumber
    ? formatPercent(chanceOfAtLeast(answer.distribution, Number(text)), 1)
    : _("enter a whole number");
}

new IntersectionObserver(
  (entries) => {
    isVisible = entries[entries.length - 1].isIntersecting;
    if (isVisible && rules()) drawExpect();
  },
  { rootMargin: "100px" },
).observe(byId("expect"));
byId("at-least").addEventListener("input", chooseScore);
window.addEventListener("resize", drawChart);
document.addEventListener("work-done", () => {
  answerKey = "";
  drawExpect();
}); // a table was solved for a goal or a win
onDraw(drawExpect);
