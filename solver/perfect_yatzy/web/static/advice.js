// Advice: every hold or category ranked, what the dice held now are worth, and what the next roll may bring.
import { ask, line } from "./ask.js";
import { button, by, element, leave, lost, many, names, percent, table, upper } from "./parts.js";
import { aim, boxName, change, complete, full, game, heldDice, position, state, total } from "./state.js";
import { take } from "./dice.js";

const SHOWN = 8, PAUSE = 60, LONG = 1000; // rows, milliseconds before a question is sent, and before it is called long
const next = line(), nextMap = line();
let answer = null, key = "", timer = 0, mapKey = "", everything = false, taking = "";

export function say(words, wrong) {
  by("answer").textContent = words;
  by("answer").className = wrong ? "error" : "";
}

// What a long wait is for, if the question is one of the long ones.
export function patience() {
  const early = game().categories.length - Object.keys(state.card).length > 8;
  if (aim().goal !== undefined && early) return "Working … a goal this early in the game takes about 20 seconds, once.";
  if (aim().opponents && early) return "Working … a win this early in the game takes up to a minute.";
  return "";
}

function waiting() {
  const missing = game().dice - state.dice.length;
  if (full()) return `The card is full. Final score ${total().all}.`;
  if (missing === game().dice) return "Enter the dice.";
  return missing ? `${many(missing, "more die", "more dice")}.` : "";
}

export function drawAdvice() {
  if (taking !== JSON.stringify([state.card, state.dice])) taking = "";
  const holding = state.left > 0 && !taking;
  const body = { ...position(), ...aim(), dice: state.dice, rolls_left: state.left };
  const asked = complete() && !full() ? (holding ? "hold " : "score ") + JSON.stringify(body) : waiting();
  if (asked === key) { if (answer) drawHeld(); return; } // other dice held: the same ranking
  key = asked;
  answer = null;
  everything = false;
  clearTimeout(timer);
  const signal = next(); // calls back what was asked before
  withdraw();
  if (waiting()) {
    by("ranking").replaceChildren();
    by("ranking").setAttribute("aria-busy", "false");
    say(waiting());
    return;
  }
  say(patience() || "Working …");
  timer = setTimeout(() => advise(holding, body, signal), PAUSE);
}

// What belongs to another position is not to be seen, but keeps its place.
function withdraw() {
  leave(by("advice"), by("advice-title"));
  by("ranking").setAttribute("aria-busy", "true");
  for (const id of ["ranking", "more", "instead", "map"]) by(id).classList.add("stale");
  by("held").textContent = "";
  mapKey = "";
  nextMap();
}

async function advise(holding, body, signal) {
  const long = setTimeout(() => say(patience() || "Working … this takes a little longer the first time."), LONG);
  try {
    const found = await ask(holding ? "hold" : "score", body, signal);
    if (signal.aborted) return;
    answer = { holding, aim: found.aim, entries: certain(found, holding ? found.holds : found.categories) };
    drawRanking();
  } catch (error) {
    if (signal.aborted) return;
    key = ""; // the next change asks again
    by("ranking").replaceChildren();
    by("ranking").setAttribute("aria-busy", "false");
    say(error.message, true);
  } finally {
    clearTimeout(long);
  }
}

// Where the aim is out of reach, or certain, choices that are equal for it are ranked by the mean.
function certain(found, entries) {
  const chance = entries[0].chance;
  if (!found.aim || (chance !== 0 && chance !== 1)) return entries;
  return [...entries].sort((a, b) => b.chance - a.chance || b.expected_final_score - a.expected_final_score);
}

const aimWords = (it) => (it.goal !== undefined ? `${it.goal} or more` : "a win");

function label(entry) {
  if (!answer.holding) return `${boxName(entry.category)} for ${entry.points + entry.bonus_points}`;
  return entry.category ? `all dice, take ${boxName(entry.category)}` : `hold ${names(entry.hold)}`;
}

function worth(entry) {
  return answer.aim ? `${percent(entry.chance)} chance of ${aimWords(answer.aim)}` : `expected final score ${entry.expected_final_score.toFixed(2)}`;
}

function headline() {
  const best = answer.entries[0], words = upper(label(best));
  if (answer.aim && best.chance === 0) return `${words}. ${upper(aimWords(answer.aim))} is out of reach, so the mean decides: expected final score ${best.expected_final_score.toFixed(2)}.`;
  if (answer.aim && best.chance === 1) return `${words}. ${upper(aimWords(answer.aim))} is certain then; among such choices the mean decides: expected final score ${best.expected_final_score.toFixed(2)}.`;
  return `${words}: ${worth(best)} with this roll`;
}

function drawRanking() {
  const { holding, entries } = answer, aimed = Boolean(answer.aim);
  const rows = entries.slice(0, everything ? undefined : SHOWN).map((entry, i) => {
    const run = entry.category ? () => (holding ? takeNow(entry.category) : take(entry)) : () => holdThese(entry.hold);
    const loss = i && entry.loss === 0 ? "tie" : lost(entry.loss, aimed ? 100 : 1) + (aimed ? " %" : "");
    const means = entry.expected_final_score.toFixed(2);
    const mark = element("span", { class: "mark" });
    const cell = element("span", { class: "choice" }, button(label(entry), run), mark);
    return aimed ? [cell, percent(entry.chance), means, loss] : [cell, means, loss];
  });
  const what = holding ? "Hold" : "Category";
  const heads = aimed ? [what, "Chance", "If by mean", "Loses"] : [what, "Expected", "Loses"];
  const notes = [];
  if (aimed) notes.push("If by mean: the expected final score if all after it is played for the mean.");
  if (!holding && state.left && game().saved_rolls) notes.push(`The ${many(state.left, "roll", "rolls")} left will be saved.`);
  by("ranking").replaceChildren(table("Ranking", heads, rows), ...notes.map((words) => element("p", { class: "hint" }, words)));
  by("ranking").setAttribute("aria-busy", "false");
  for (const id of ["ranking", "more", "instead"]) by(id).classList.remove("stale");
  by("more").hidden = entries.length <= SHOWN;
  by("more").textContent = everything ? `Show the best ${SHOWN}` : `Show all ${entries.length}`;
  by("instead").hidden = state.left === 0;
  by("instead").textContent = holding ? "Take a category now instead" : "Back to the holds";
  say(headline());
  drawHeld();
}

export function showAll() {
  if (!answer) return;
  everything = !everything;
  drawRanking();
  if (everything) by("ranking").querySelectorAll("button")[SHOWN]?.focus();
}

export function instead() {
  if (!answer) return;
  taking = taking ? "" : JSON.stringify([state.card, state.dice]);
  drawAdvice();
  by("instead").focus();
}

function holdThese(hold) {
  const rest = [...hold];
  change((s) => { s.held = s.dice.map((face) => { const at = rest.indexOf(face); if (at >= 0) rest.splice(at, 1); return at >= 0; }); });
}

// The points are those of taking it now, first-roll bonus included; the rolls that are left stay left.
async function takeNow(category) {
  const now = key;
  try {
    const found = await ask("score", { ...position(), dice: state.dice, rolls_left: state.left });
    if (key === now) take(found.categories.find((entry) => entry.category === category));
  } catch (error) { say(error.message, true); }
}

// The hold on the table, made by hand or not: what it is worth, and what may come of it.
function drawHeld() {
  const { holding, entries } = answer, held = heldDice();
  const same = (entry) => holding && held.length > 0 && names(entry.hold) === names(held);
  const mine = entries.find(same);
  by("ranking").querySelectorAll("tbody tr").forEach((row, i) => {
    row.classList.toggle("held", same(entries[i]));
    row.querySelector(".mark").textContent = same(entries[i]) ? " ← held now" : "";
  });
  const loss = mine && (mine.loss ? `loses ${lost(mine.loss, answer.aim ? 100 : 1)}${answer.aim ? " %" : ""}` : "as good as any");
  by("held").textContent = mine ? `Held now, ${names(mine.hold)}: ${worth(mine)}, ${loss}.` : "";
  const shown = mine || entries[0];
  if (holding && !shown.category) drawMap(shown.hold);
  else { mapKey = ""; nextMap(); by("map").classList.add("stale"); }
}

async function drawMap(hold) {
  const body = { ...position(), hold, rolls_left: state.left }, asked = JSON.stringify(body);
  if (asked === mapKey) return;
  mapKey = asked;
  const signal = nextMap();
  by("map").classList.add("stale");
  try {
    const found = await ask("outcomes", body, signal);
    if (asked !== mapKey) return;
    const rows = found.outcomes.map((each) => [names(each.rolled), each.expected_final_score.toFixed(2), percent(each.chance)]);
    by("map-title").replaceChildren(`After holding ${names(hold)}: ${many(rows.length, "roll", "rolls")}, best first`,
      element("span", { class: "scroll" }, rows.length > 8 ? " (scroll)" : ""));
    by("map-rolls").replaceChildren(table("Next rolls", ["Rolled", answer?.aim ? "Expected by mean" : "Expected", "Chance"], rows));
    by("map-rolls").scrollTop = 0;
    by("map").classList.remove("stale");
  } catch (error) {
    if (!signal.aborted) mapKey = "";
  }
}
