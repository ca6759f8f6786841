// Advice: every hold or category ranked, the value of the current hold, and the possible next rolls.
import { ask, latestOnly } from "./ask.js";
import { button, byId, capitalize, count, diceText, element, lossText, moveFocusOut, percent, table } from "./dom.js";
import { categoryName, change, hasAllDice, heldDice, isCardFull, me, objective, onDraw, position, rules, state, totals } from "./state.js";
import { takeCategory as take } from "./game.js";

const SHOWN_ROWS = 8, SHOWN_ROLLS = 8;
const DEBOUNCE_MS = 60, LONG_WAIT_MS = 1000; // before a request is sent, and before the page says that it takes long
const EARLY_OPEN_CATEGORIES = 8; // with more of them open, goals and wins take long
const newRequest = latestOnly(), newMapRequest = latestOnly();

let answer = null; // { choosesHold, objective, entries } of the position shown
let answerKey = "", mapKey = ""; // what they were requested for
let timer = 0;
let showsAll = false;
let takesCategory = ""; // the position in which the user takes a category with rerolls left

export function showStatus(text, isError) {
  byId("answer").textContent = text;
  byId("answer").className = isError ? "error" : "";
}

// Explains the wait for a request that takes long; empty for others.
export function waitText() {
  const isEarly = rules().categories.length - Object.keys(me().card).length > EARLY_OPEN_CATEGORIES;
  if (objective().goal !== undefined && isEarly) return "Working … a goal this early in the game takes about 20 seconds, once.";
  if (objective().opponents && isEarly) return "Working … a win this early in the game takes up to a minute.";
  return "";
}

// What is missing before advice can be given.
function missingText() {
  const missing = rules().dice - state.dice.length;
  if (isCardFull()) return `The card is full. Final score ${totals().all}.`;
  if (missing === rules().dice) return "Enter the dice.";
  return missing ? `${count(missing, "more die", "more dice")}.` : "";
}

const cardAndDice = () => JSON.stringify([me().card, state.dice]);

export function drawAdvice() {
  if (takesCategory !== cardAndDice()) takesCategory = "";
  const choosesHold = state.left > 0 && !takesCategory;
  const body = { ...position(), ...objective(), dice: state.dice, rolls_left: state.left };
  const key = hasAllDice() && !isCardFull() ? (choosesHold ? "hold " : "score ") + JSON.stringify(body) : missingText();
  if (key === answerKey) { if (answer) drawHeld(); return; } // only the dice held have changed
  answerKey = key;
  answer = null;
  showsAll = false;
  clearTimeout(timer);
  const signal = newRequest();
  hideOutdated();
  if (missingText()) {
    clearRanking();
    showStatus(missingText());
    return;
  }
  showStatus(waitText() || "Working …");
  timer = setTimeout(() => requestAdvice(choosesHold, body, signal), DEBOUNCE_MS);
}

// Hides what belongs to another position without moving the rest of the page.
function hideOutdated() {
  moveFocusOut(byId("advice"), byId("advice-title"));
  byId("ranking").setAttribute("aria-busy", "true");
  for (const id of ["ranking", "more", "instead", "map"]) byId(id).classList.add("stale");
  byId("held").textContent = "";
  abortMap();
}

function clearRanking() {
  byId("ranking").replaceChildren();
  byId("ranking").setAttribute("aria-busy", "false");
}

async function requestAdvice(choosesHold, body, signal) {
  const longWait = setTimeout(() => showStatus(waitText() || "Working … this takes a little longer the first time."), LONG_WAIT_MS);
  try {
    const found = await ask(choosesHold ? "hold" : "score", body, { signal });
    if (signal.aborted) return;
    answer = { choosesHold, objective: found.aim, approximate: found.approximate, entries: choosesHold ? found.holds : found.categories };
    drawRanking();
  } catch (error) {
    if (signal.aborted) return;
    answerKey = ""; // the next change sends a new request
    clearRanking();
    showStatus(error.message, true);
  } finally {
    clearTimeout(longWait);
  }
}

const objectiveText = (it) => (it.goal !== undefined ? `${it.goal} or more` : "a win");
const expectedText = (entry) => `expected final score ${entry.expected_final_score.toFixed(2)}`;

function optionText(entry) {
  if (!answer.choosesHold) return `${categoryName(entry.category)} for ${entry.points + entry.bonus_points}`;
  return entry.category ? `all dice, take ${categoryName(entry.category)}` : `hold ${diceText(entry.hold)}`;
}

function valueText(entry) {
  return answer.objective ? `${percent(entry.chance)} chance of ${objectiveText(answer.objective)}` : expectedText(entry);
}

function headline() {
  const best = answer.entries[0], option = capitalize(optionText(best));
  if (answer.objective && (best.chance === 0 || best.chance === 1)) {
    const settled = best.chance === 0 ? "is out of reach" : "is certain then";
    return `${option}. ${capitalize(objectiveText(answer.objective))} ${settled}; ranked by expected score: ${expectedText(best)}.`;
  }
  return `${option}: ${valueText(best)} with this roll`;
}

function drawRanking() {
  const { choosesHold, entries } = answer, hasObjective = Boolean(answer.objective);
  const rows = entries.slice(0, showsAll ? undefined : SHOWN_ROWS).map((entry, i) => {
    const choose = entry.category ? () => (choosesHold ? takeNow(entry.category) : takeCategory(entry)) : () => holdDice(entry.hold);
    const loss = i && entry.loss === 0 ? "tie" : lossText(entry.loss, hasObjective ? 100 : 1) + (hasObjective ? " %" : "");
    const expected = entry.expected_final_score.toFixed(2);
    const cell = element("span", { class: "choice" }, button(optionText(entry), choose), element("span", { class: "mark" }));
    return hasObjective ? [cell, percent(entry.chance), expected, loss] : [cell, expected, loss];
  });
  const first = choosesHold ? "Hold" : "Category";
  const headings = hasObjective ? [first, "Chance", "Expected", "Loses"] : [first, "Expected", "Loses"];
  const notes = [];
  if (hasObjective) notes.push("Expected: the expected final score if you maximise it from here on.");
  if (answer.approximate) notes.push(`Approximate: ${answer.approximate.text}.`);
  if (!choosesHold && state.left && rules().saved_rolls) notes.push(`The ${count(state.left, "roll", "rolls")} left will be saved.`);
  byId("ranking").replaceChildren(table("Ranking", headings, rows), ...notes.map((text) => element("p", { class: "hint" }, text)));
  byId("ranking").setAttribute("aria-busy", "false");
  for (const id of ["ranking", "more", "instead"]) byId(id).classList.remove("stale");
  byId("more").hidden = entries.length <= SHOWN_ROWS;
  byId("more").textContent = showsAll ? `Show the best ${SHOWN_ROWS}` : `Show all ${entries.length}`;
  byId("instead").hidden = state.left === 0;
  byId("instead").textContent = choosesHold ? "Take a category now instead" : "Back to the holds";
  showStatus(headline());
  drawHeld();
}

export function toggleAll() {
  if (!answer) return;
  showsAll = !showsAll;
  drawRanking();
  if (showsAll) byId("ranking").querySelectorAll("button")[SHOWN_ROWS]?.focus();
}

export function toggleCategories() {
  if (!answer) return;
  takesCategory = takesCategory ? "" : cardAndDice();
  drawAdvice();
  byId("instead").focus();
}

function holdDice(hold) {
  const rest = [...hold];
  change((s) => { s.held = s.dice.map((face) => { const at = rest.indexOf(face); if (at >= 0) rest.splice(at, 1); return at >= 0; }); });
}

function takeCategory(entry) {
  take(entry);
  byId(isCardFull() ? "advice-title" : "roll").focus();
}

// Takes a category with the rerolls left: the answer to `score` has its points, including a bonus for the first roll.
async function takeNow(category) {
  const key = answerKey;
  try {
    const found = await ask("score", { ...position(), dice: state.dice, rolls_left: state.left });
    if (answerKey === key) takeCategory(found.categories.find((entry) => entry.category === category));
  } catch (error) { showStatus(error.message, true); }
}

// The dice held now: their value, and the possible next rolls.
function drawHeld() {
  const { choosesHold, entries } = answer, held = heldDice();
  const isHeld = (entry) => choosesHold && held.length > 0 && diceText(entry.hold) === diceText(held);
  const current = entries.find(isHeld);
  byId("ranking").querySelectorAll("tbody tr").forEach((row, i) => {
    row.classList.toggle("held", isHeld(entries[i]));
    row.querySelector(".mark").textContent = isHeld(entries[i]) ? " ← held now" : "";
  });
  const loss = current && (current.loss ? `loses ${lossText(current.loss, answer.objective ? 100 : 1)}${answer.objective ? " %" : ""}` : "no better option");
  byId("held").textContent = current ? `Held now, ${diceText(current.hold)}: ${valueText(current)}, ${loss}.` : "";
  const shown = current || entries[0];
  if (choosesHold && !shown.category) drawMap(shown.hold);
  else { abortMap(); byId("map").classList.add("stale"); }
}

function abortMap() {
  mapKey = "";
  newMapRequest();
}

async function drawMap(hold) {
  const body = { ...position(), hold, rolls_left: state.left }, key = JSON.stringify(body);
  if (key === mapKey) return;
  mapKey = key;
  const signal = newMapRequest();
  byId("map").classList.add("stale");
  try {
    const found = await ask("outcomes", body, { signal });
    if (key !== mapKey) return;
    const rows = found.outcomes.map((each) => [diceText(each.rolled), each.expected_final_score.toFixed(2), percent(each.chance)]);
    byId("map-title").replaceChildren(`After holding ${diceText(hold)}: ${count(rows.length, "roll", "rolls")}, best first`,
      element("span", { class: "scroll" }, rows.length > SHOWN_ROLLS ? " (scroll)" : ""));
    byId("map-rolls").replaceChildren(table("Next rolls", ["Rolled", "Expected", "Chance"], rows));
    byId("map-rolls").scrollTop = 0;
    byId("map").classList.remove("stale");
  } catch (error) {
    if (!signal.aborted) mapKey = "";
  }
}

onDraw(drawAdvice);
