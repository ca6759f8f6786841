// Advice: the best hold or box in large type and why, the other options ranked by what they lose, the primary button.
import { ask, latestOnly } from "./ask.js";
import { setPointsOfRoll } from "./card.js";
import { showAdvised } from "./dice.js";
import { button, byId, capitalize, diceText, element, onClick, setEnabled } from "./dom.js";
import { firstRoll, hasRecord, holdAndRoll, isTurnStart, markHold, provideHolds, takeCategory } from "./game.js";
import { formatNumber, formatPercent, ngettext, _ } from "./i18n.js";
import { drawMap, hideMap } from "./outcomes.js";
import { objectiveName, optionName, optionRow, optionTitle } from "./options.js";
import { forgetSolve, solveBox } from "./solve.js";
import { confirmLoss, isAdviceHidden } from "./training.js";
import { showOpponentsError } from "./header.js";
import { whySentence } from "./why.js";
import { hasAllDice, heldDice, isCardFull, me, objective, onDraw, position, redraw, rules, startGame, change, state, totals } from "./state.js";

const shownRows = () => (matchMedia("(max-width: 40rem)").matches ? 3 : 6); // the card is near on a phone
const DEBOUNCE_MS = 60, LONG_WAIT_MS = 1000; // before a request is sent, and before the page says that it takes long

const RETRY_MS = 5000;
const FAILED = "failed"; // the key of an answer that is an error

const newRequest = latestOnly();
let answer = null; // { choosesHold, aim, approximate, entries } of the position shown
let scored = null; // the boxes that may be taken with this roll, of the answer to `score`
let answerKey = "", timer = 0, showsAll = false;
let comparedFor = ""; // the position in which the list shows the boxes instead of the holds, with rerolls left

const cardAndDice = () => JSON.stringify([state.rules, me().card, state.dice]);

// --- asking ---

function drawAdvice() {
  if (comparedFor !== cardAndDice()) comparedFor = "";
  const choosesHold = state.left > 0, isAsked = hasAllDice() && !isCardFull() && !isUnsolved();
  const body = { ...position(), ...objective(), dice: state.dice, rolls_left: state.left };
  const key = isAsked ? `${choosesHold ? "hold" : "score"} ${JSON.stringify(body)}` : "none";
  document.body.classList.toggle("no-roll", isTurnStart());
  document.body.classList.toggle("first", !state.turns.length && state.players.every((player) => !Object.keys(player.card).length));
  if (key === answerKey) { drawAnswer(); return; } // only marks on the dice or the language have changed
  answerKey = key;
  answer = scored = null;
  showsAll = false;
  clearTimeout(timer);
  const signal = newRequest();
  forgetSolve();
  showOpponentsError("");
  byId("ranking").setAttribute("aria-busy", String(isAsked));
  drawAnswer();
  if (isAsked) timer = setTimeout(() => request(choosesHold, body, signal), DEBOUNCE_MS);
}

async function request(choosesHold, body, signal) {
  const longWait = setTimeout(() => showStatus(_("Working … this takes a little longer the first time.")), LONG_WAIT_MS);
  const query = choosesHold ? "hold" : "score";
  try {
    // The points of each box are asked beside the holds, with the same objective.
    const [found, boxes] = await Promise.all([ask(query, { ...body, explain: true }, { signal }), choosesHold ? ask("score", body, { signal }) : null]);
    if (signal.aborted) return;
    answer = { choosesHold, aim: found.aim, approximate: found.approximate, entries: choosesHold ? found.holds : found.categories };
    scored = (boxes || found).categories;
    byId("ranking").setAttribute("aria-busy", "false");
    drawAnswer();
  } catch (error) {
    if (signal.aborted) return;
    byId("ranking").setAttribute("aria-busy", "false");
    showError(error, query, body);
  } finally {
    clearTimeout(longWait);
  }
}

// Other sections ask again, too.
const askAgain = () => { answerKey = ""; delete byId("long-work").dataset.key; redraw(); };

function showError(error, query, body) {
  const { cost, field, retryable } = error;
  if (field === "opponents") showOpponentsError(error.message);
  byId("answer").className = "error";
  byId("answer").replaceChildren(error.message);
  if (cost) byId("long-work").replaceChildren(solveBox(cost, query, body, askAgain));
  else if (retryable) byId("long-work").replaceChildren(button(_("Try again"), askAgain, { id: "retry" }));
  else byId("long-work").replaceChildren();
  byId("long-work").hidden = false;
  answerKey = FAILED; // the next change asks again
  if (retryable) timer = setTimeout(() => { if (answerKey === FAILED) askAgain(); }, RETRY_MS);
}

// --- drawing ---

export function showStatus(text) {
  byId("answer").className = "";
  byId("answer").replaceChildren(text);
}

const valueOf = (entry) => (answer.aim ? entry.chance : entry.expected_final_score);
// The boxes are listed with what each loses against the best of all options: advice, button and warning stay those of the roll.
const comparesBoxes = () => Boolean(comparedFor && answer?.choosesHold && scored);
const listed = () => (comparesBoxes() ? scored.map((entry) => ({ ...entry, loss: Math.max(0, valueOf(answer.entries[0]) - valueOf(entry)) })) : answer.entries);
const isSettled = () => answer.aim && (answer.entries[0].chance === 0 || answer.entries[0].chance === 1);
const valueText = (entry) => (answer.aim && !isSettled() ? formatPercent(entry.chance) : formatNumber(entry.expected_final_score, 2));

function drawAnswer() {
  const hidden = isAdviceHidden() && Boolean(answer), box = byId("advice");
  box.classList.toggle("hidden-advice", hidden);
  if (answerKey === FAILED) return;
  byId("long-work").hidden = Boolean(answer);
  if (!answer) {
    clearAdvice();
    showStatus(missingText());
    if (isCardFull()) byId("answer").className = "final";
    offerSolve();
  } else if (hidden) {
    clearAdvice();
    showStatus(answer.choosesHold ? _("Your choice: tap the dice to hold, or a box.") : _("Your choice: tap a box of the card."));
  } else {
    drawHero();
    drawRanking();
  }
  setPointsOfRoll(scored, !hidden && answer && answer.entries[0].category);
  drawHeld(hidden);
  drawButtons(hidden);
}

const isUnsolved = () => rules().solved === false && Boolean(rules().cost);

// Rules without a table are solved before the dice are entered, if the player wants it.
function offerSolve() {
  const isOffered = isUnsolved() && !isCardFull(), key = isOffered ? state.rules : "";
  if (byId("long-work").dataset.key === key) return;
  byId("long-work").dataset.key = key;
  byId("long-work").replaceChildren(...(isOffered ? [solveBox(rules().cost, "expect", { ...position(), spread: false }, askAgain)] : []));
}

function clearAdvice() {
  for (const id of ["why", "gap"]) byId(id).textContent = "";
  byId("ranking").replaceChildren();
  byId("map").hidden = true;
  showAdvised(null);
}

// What is missing before advice can be given.
function missingText() {
  const missing = rules().dice - state.dice.length;
  if (isCardFull()) return _("The card is full. Final score {points}.", { points: formatNumber(totals().all) });
  if (isUnsolved()) return _("These rules have to be solved before there is advice.");
  if (hasAllDice()) return _("Working …");
  if (missing === rules().dice) return state.rolls.length ? _("Enter the next roll.") : "";
  return ngettext("{count} more die.", "{count} more dice.", missing, { count: formatNumber(missing) });
}

function drawHero() {
  const [best, second] = answer.entries;
  const label = answer.aim ? (isSettled() ? settledText(best) : _("chance of {aim}", { aim: objectiveName(answer.aim) })) : _("average final score");
  byId("answer").className = "hero";
  byId("answer").replaceChildren(element("strong", {}, optionTitle(best, answer.choosesHold)), " ",
    element("span", { class: "value" }, element("b", {}, valueText(best)), " ", element("small", {}, label)));
  byId("gap").textContent = second ? gapText(best, second) : "";
  byId("why").textContent = second ? whySentence(best, second, state.rules) : "";
  showAdvised(answer.choosesHold && !best.category ? best.hold : null);
}

function settledText(best) {
  const aim = capitalize(objectiveName(answer.aim));
  return best.chance === 0 ? _("{aim} is out of reach; ranked by the average", { aim }) : _("{aim} is certain; ranked by the average", { aim });
}

function gapText(best, second) {
  const gap = isSettled() || !answer.aim ? best.expected_final_score - second.expected_final_score : 100 * (best.chance - second.chance);
  const fields = { other: optionName(second), gap: formatNumber(gap, 2) };
  if (gap < 1e-6) return _("As good: {other}.", fields);
  if (gap < 0.005) return _("Less than 0.01 better than {other}.", fields);
  return answer.aim && !isSettled() ? _("{gap} % better than {other}.", fields) : _("{gap} points better than {other}.", fields);
}

function drawRanking() {
  const { choosesHold, aim } = answer, held = diceText(heldDice()), boxes = comparesBoxes();
  const rows = listed().slice(0, showsAll ? undefined : shownRows()).map((entry, i) => {
    const isHeld = choosesHold && state.chosen && !entry.category && diceText(entry.hold) === held;
    return optionRow(entry, { isFirst: i === 0 && (!boxes || entry.loss < 1e-6), aim, isHeld, value: valueText(entry), onChoose: () => choose(entry) });
  });
  const notes = [];
  if (answer.approximate) notes.push(_("Approximate: {text}.", { text: answer.approximate.text }));
  if (boxes && rules().saved_rolls) notes.push(ngettext("The {count} roll left will be saved.", "The {count} rolls left will be saved.", state.left, { count: formatNumber(state.left) }));
  const at = [...byId("ranking").querySelectorAll("button")].indexOf(document.activeElement);
  byId("ranking").replaceChildren(element("ol", { "aria-label": _("Ranking"), class: "options" }, ...rows), ...notes.map((text) => element("p", { class: "hint" }, text)));
  if (at >= 0) (byId("ranking").querySelectorAll("button")[at] || byId("go")).focus();
}

// The dice held now: their value, and the possible next rolls.
function drawHeld(hidden) {
  const held = heldDice(), current = currentHold();
  byId("held").textContent = "";
  if (!answer || hidden) { hideMap(); return; }
  if (state.chosen && current) {
    const best = answer.entries[0], fields = { dice: held.length ? diceText(held) : _("nothing"), value: valueText(current), loss: formatNumber(lossOf(current, best), 2) };
    byId("held").textContent = current.loss < 1e-6 ? _("You hold {dice}: {value}, no option is better.", fields)
      : answer.aim ? _("You hold {dice}: {value}, {loss} % less than the best.", fields) : _("You hold {dice}: {value}, {loss} points less than the best.", fields);
  }
  const shown = current || answer.entries[0];
  if (answer.choosesHold && !shown.category) drawMap(shown.hold);
  else hideMap();
}

const lossOf = (entry, best) => (answer.aim ? 100 * (valueOf(best) - valueOf(entry)) : valueOf(best) - valueOf(entry));

// The entry of the hold that the primary button plays: the marked dice, else the best.
function currentHold() {
  if (!answer?.choosesHold) return null;
  if (!state.chosen) return answer.entries[0];
  const held = diceText(heldDice());
  return answer.entries.find((entry) => diceText(entry.hold) === held) || null;
}

// --- the primary button ---

// What the primary button does now: its text, the short text of the bar, and the action; null if there is nothing to do.
function primaryAction(hidden) {
  if (isCardFull()) return hasRecord() ? { text: _("Review this game"), short: _("Review"), run: showReview } : { text: _("New game"), short: _("New game"), run: playAgain };
  if (!state.dice.length && !state.rolls.length) return { text: _("Roll the dice"), short: _("Roll"), run: firstRoll };
  if (!hasAllDice()) return null;
  const entry = currentHold(), hold = state.chosen ? heldDice() : !hidden && entry && !entry.category ? entry.hold : null;
  if (state.left > 0 && hold && hold.length < rules().dice) {
    const dice = hold.length ? diceText(hold) : "", number = rules().dice - hold.length, fields = { dice, count: countWord(number) };
    const text = state.typed
      ? (dice ? ngettext("Hold {dice}, then enter one die", "Hold {dice}, then enter {count} dice", number, fields) : _("Hold nothing, then enter all dice"))
      : (dice ? ngettext("Hold {dice} and roll one die", "Hold {dice} and roll {count} dice", number, fields) : _("Hold nothing and roll all dice"));
    return { text, short: state.typed ? _("Hold") : _("Roll"), run: () => playHold(hold) };
  }
  if (hidden || !scored) return null;
  const best = entry?.category ? scored.find((each) => each.category === entry.category) : scored[0];
  if (!best) return null;
  return { text: capitalize(takeText(best)), short: _("Take"), run: () => playCategory(best.category) };
}

const playAgain = () => change((s) => startGame(s), _("A new game; Undo brings the old one back."));

function showReview() {
  byId("review-own").click();
  byId("review").scrollIntoView();
}

// Small numbers are words in a sentence.
function countWord(number) {
  return [_("no"), _("one"), _("two"), _("three"), _("four"), _("five"), _("six")][number] || formatNumber(number);
}

function takeText(entry) {
  const fields = { box: optionName(entry), points: formatNumber(entry.points), bonus: formatNumber(entry.bonus_points || 0) };
  return entry.bonus_points ? _("Take {box} for {points} + {bonus}", fields) : _("Take {box} for {points}", fields);
}

function drawButtons(hidden) {
  const action = primaryAction(hidden);
  for (const [id, text] of [["go", action?.text || _("Working …")], ["go-short", action?.short || _("Roll")]]) {
    byId(id).textContent = text;
    setEnabled(byId(id), Boolean(action));
  }
  byId("play-again").hidden = !isCardFull() || !hasRecord();
  const entersDice = isTurnStart() && state.typed && !isCardFull(); // real dice: the keys come first
  byId("go").hidden = entersDice || !action && (!hasAllDice() || hidden); // with hidden advice the player chooses first
  byId("go-short").setAttribute("aria-label", action?.text || _("Roll"));
  const isPlaying = Boolean(answer) && !hidden;
  byId("roll-here").hidden = !(state.typed && hasAllDice() && state.left > 0 && action);
  byId("best-again").hidden = !(state.chosen && answer?.choosesHold && !hidden);
  byId("instead").hidden = !isPlaying || state.left === 0;
  byId("instead").textContent = comparesBoxes() ? _("Back to the holds") : _("Compare the boxes");
  byId("more").hidden = !isPlaying || listed().length <= shownRows();
  if (isPlaying) byId("more").textContent = showsAll ? _("Show the best {count}", { count: shownRows() }) : _("Show all {count}", { count: formatNumber(listed().length) });
}

// Holds dice and rolls the others, after a question if that gives much away.
async function playHold(hold, isTyped = state.typed) {
  const key = cardAndDice(), entry = answer?.choosesHold && answer.entries.find((each) => diceText(each.hold) === diceText(hold));
  if (entry && !await confirmLoss(entry, answer.entries[0], answer.entries[1])) return;
  if (key !== cardAndDice()) return; // something else has happened meanwhile
  holdAndRoll(hold, isTyped);
  if (isTyped) byId("dice-title").focus({ preventScroll: true }); // digits and Enter work from there
}

// Takes a box with the rerolls left: the answer to `score` has its points, including a bonus for the first roll.
export async function playCategory(category) {
  const entry = scored?.find((each) => each.category === category), key = cardAndDice();
  if (!entry || !answer) return;
  if (!await confirmLoss(entry, answer.entries[0], answer.entries[1])) return;
  if (key !== cardAndDice()) return;
  takeCategory(entry);
  byId(byId("go").hidden ? "dice-title" : "go").focus({ preventScroll: true });
  byId("table").scrollIntoView({ block: "nearest" });
}

function choose(entry) {
  if (entry.category) playCategory(entry.category);
  else markHold(entry.hold);
}

provideHolds(() => (answer ? answer.entries.filter((entry) => !entry.category).map(({ hold, loss }) => ({ hold, loss })) : null));

for (const id of ["go", "go-short"]) onClick(id, () => primaryAction(isAdviceHidden() && Boolean(answer))?.run());
onClick("roll-here", () => { const hold = state.chosen ? heldDice() : currentHold()?.hold; if (hold) playHold(hold, false); });
onClick("play-again", () => { playAgain(); byId("go").focus(); });
onClick("best-again", () => { change((s) => { s.held = s.dice.map(() => false); s.chosen = false; }); byId("go").focus(); });
onClick("more", () => {
  showsAll = !showsAll;
  drawAnswer();
  if (showsAll) byId("ranking").querySelectorAll("button")[shownRows()]?.focus();
});
onClick("instead", () => { comparedFor = comparedFor ? "" : cardAndDice(); showsAll = false; drawAnswer(); byId("instead").focus(); });
document.addEventListener("box-taken", (event) => playCategory(event.detail));
document.addEventListener("work-done", askAgain);
onDraw(drawAdvice);
