// Advice: the best hold or box in large type and why, the other options ranked by what they lose, the primary button.
import { holdText, takeText } from "./advice-text.js";
import { ask, latestOnly } from "./ask.js";
import { setPointsOfRoll } from "./card.js";
import { showAdvised } from "./dice.js";
import { button, byId, diceText, element, onClick, setEnabled } from "./dom.js";
import { endText } from "./end.js";
import { firstRoll, hasRecord, holdAndRoll, isTurnStart, markHold, provideHolds, takeCategory } from "./game.js";
import { drawHeadline, heldText, statedText, valueName, valueText } from "./headline.js";
import { formatNumber, ngettext, _ } from "./i18n.js";
import { keepFocus } from "./keys.js";
import { drawMap, hideMap } from "./outcomes.js";
import { optionRow, optionTitle } from "./options.js";
import { say } from "./say.js";
import { forgetSolve, solveBox, workText } from "./solve.js";
import { confirmLoss, isAdviceHidden } from "./training.js";
import { gradesHint } from "./grades.js";
import { showOpponentsError } from "./header.js";
import { askPoints, boxesWithoutAdvice } from "./unadvised.js";
import { categoryName, hasAllDice, heldDice, isCardFull, maxRerolls, me, objective, onDraw, position, redraw, rules, startGame, change, state, totals } from "./state.js";

const SHOWN_ROWS = 6;
const phone = matchMedia("(max-width: 40rem)"); // there the list is closed at first: the card comes next
const DEBOUNCE_MS = 60, LONG_WAIT_MS = 1000; // before a request is sent, and before the page says that it takes long
const RETRY_MS = 5000;

const newRequest = latestOnly();
let answer = null; // { choosesHold, aim, approximate, entries } of the position shown
let scored = null; // the boxes that may be taken with this roll, of the answer to `score`
let failure = null; // why there is no answer: { message, isExpected, parts }, in which `parts` are buttons and progress
let answerKey = "", timer = 0, showsAll = false, showsList = false, saidFor = null, saidProblem = "";
let comparedFor = ""; // the position in which the list shows the boxes instead of the holds, with rerolls left

// Without an answer to come the player goes on alone.
const isAlone = () => hasAllDice() && !isCardFull() && !answer && (Boolean(failure) || isUnsolved());
const cardAndDice = () => JSON.stringify([state.rules, me().card, state.dice]);

// --- asking ---

function drawAdvice() {
  if (comparedFor !== cardAndDice()) comparedFor = "";
  const choosesHold = state.left > 0, isAsked = hasAllDice() && !isCardFull() && !isUnsolved();
  const body = { ...position(), ...objective(), dice: state.dice, rolls_left: state.left };
  const key = hasAllDice() ? `${choosesHold ? "hold" : "score"} ${JSON.stringify(body)}` : "none";
  document.body.classList.toggle("no-roll", isTurnStart());
  document.body.classList.toggle("first", !state.turns.length && state.players.every((player) => !Object.keys(player.card).length));
  if (key === answerKey) { drawAnswer(); return; } // only marks on the dice or the language have changed
  answerKey = key;
  answer = scored = failure = null;
  showsAll = false;
  clearTimeout(timer);
  const signal = newRequest();
  forgetSolve();
  showOpponentsError("");
  byId("ranking").setAttribute("aria-busy", String(isAsked));
  keepHeight(isAsked);
  drawAnswer();
  if (isAsked) timer = setTimeout(() => request(choosesHold, body, signal), DEBOUNCE_MS);
  else if (isAlone()) showBoxes(signal);
}

// What comes below stays in its place until the answer is there.
function keepHeight(isKept) {
  for (const node of [byId("advice"), byId("more").parentElement]) node.style.minHeight = isKept ? `${node.offsetHeight}px` : "";
}

async function request(choosesHold, body, signal) {
  const longWait = failure ? 0 : setTimeout(() => showStatus(_("Working … this takes a little longer the first time.")), LONG_WAIT_MS);
  const query = choosesHold ? "hold" : "score";
  try {
    // The points of each box are asked beside the holds, with the same objective.
    const [found, boxes] = await Promise.all([ask(query, { ...body, explain: true }, { signal }), choosesHold ? ask("score", body, { signal }) : null]);
    if (signal.aborted) return;
    failure = null;
    answer = { choosesHold, aim: found.aim, approximate: found.approximate, entries: choosesHold ? found.holds : found.categories };
    scored = (boxes || found).categories;
    byId("ranking").setAttribute("aria-busy", "false");
    drawAnswer();
  } catch (error) {
    if (signal.aborted) return;
    byId("ranking").setAttribute("aria-busy", "false");
    showError(error, query, body);
    showBoxes(signal);
  } finally {
    clearTimeout(longWait);
  }
}

// Other sections ask again, too.
const askAgain = () => { answerKey = ""; delete byId("long-work").dataset.key; redraw(); };

function showError(error, query, body) {
  const { cost, field, retryable } = error;
  if (field === "opponents") showOpponentsError(error.message);
  const isShown = failure?.message === error.message; // asked again, in vain
  if (!isShown) {
    const parts = cost ? [solveBox(cost, query, body, askAgain)] : retryable ? [button(_("Try again"), askAgain, { id: "retry" })] : [];
    failure = { message: cost ? workText(cost) : error.message, isExpected: Boolean(cost) || ["too-large", "not-available"].includes(error.code), parts };
    delete byId("long-work").dataset.key;
    drawAnswer();
  }
  // Asked again in the background: the player goes on meanwhile.
  if (retryable) timer = setTimeout(() => request(query === "hold", body, newRequest()), RETRY_MS);
}

// The player goes on without advice: what each box pays.
async function showBoxes(signal) {
  const boxes = await boxesWithoutAdvice(signal);
  if (signal.aborted || answer) return;
  scored = boxes;
  drawAnswer();
}

// --- drawing ---

export function showStatus(text) {
  byId("answer").className = "";
  byId("answer").replaceChildren(text);
}

const valueOf = (entry) => (answer.aim ? entry.chance : entry.expected_final_score);
// The boxes are listed with what each loses against the best of all options: advice, button and warning stay those of the roll.
const comparesBoxes = () => Boolean(comparedFor && answer?.choosesHold && scored);
function listed() {
  const [best] = answer.entries;
  if (!comparesBoxes()) return answer.entries;
  const boxes = scored.map((entry) => ({ ...entry, loss: Math.max(0, valueOf(best) - valueOf(entry)) }));
  return best.category ? boxes : [best, ...boxes]; // the best hold is what they are compared with
}
const isListOpen = () => !phone.matches || showsList || comparesBoxes();

function drawAnswer() {
  const hidden = isAdviceHidden() && Boolean(answer), alone = isAlone();
  byId("advice").classList.toggle("hidden-advice", hidden);
  byId("long-work").hidden = Boolean(answer);
  if (answer || failure) keepHeight(false);
  if (!answer) {
    clearAdvice();
    showStatus(failure?.message || missingText());
    byId("answer").className = isCardFull() ? "final" : failure && !failure.isExpected ? "error" : "";
    if (alone) byId("gap").textContent = state.left ? _("Without advice: tap the dice to hold, or a box of the card.") : _("Without advice: tap a box of the card.");
    offerSolve();
  } else if (hidden) {
    clearAdvice();
    showStatus(answer.choosesHold ? _("Your choice: tap the dice to hold, or a box.") : _("Your choice: tap a box of the card."));
  } else {
    drawHeadline(answer, state.chosen ? currentHold() : null);
    showAdvised(answer.choosesHold && !answer.entries[0].category ? answer.entries[0].hold : null);
    drawRanking();
  }
  setPointsOfRoll(scored, !hidden && answer && answer.entries[0].category);
  drawHeld(hidden);
  drawButtons(hidden);
  announce(hidden, alone);
  keepFocus();
}

// Says what is new: the turn, or the roll with its advice.
function announce(hidden, alone) {
  const isWaiting = hasAllDice() && !answer && !alone && !isCardFull();
  const key = JSON.stringify([state.turns.length, state.player, state.rules, state.rolls.length, state.left, state.dice, Boolean(answer), hidden, failure?.message]);
  if (isWaiting || key === saidFor) return;
  const isFirst = saidFor === null;
  saidFor = key;
  if (isFirst && !state.dice.length) return; // the page is read anyway
  if (!hasAllDice() || isCardFull()) { say(isTurnStart() && !isCardFull() ? byId("turn-line").textContent : missingText()); return; }
  const max = maxRerolls(), fields = { roll: formatNumber(max - state.left + 1), rolls: formatNumber(max + 1), dice: diceText(state.dice) };
  const best = answer && !hidden ? answer.entries[0] : null, problem = alone ? byId("answer").textContent : "";
  const advice = best ? _("{advice}: {value}, {what}.", { advice: optionTitle(best, answer.choosesHold), value: statedText(answer, best), what: valueName(answer) })
    : alone ? byId("gap").textContent : byId("answer").textContent;
  say(_("Roll {roll} of {rolls}: {dice}.", fields), problem === saidProblem ? "" : problem, advice);
  saidProblem = problem;
}

const isUnsolved = () => rules().solved === false && Boolean(rules().cost);

// Rules without a table are solved before the dice are entered, if the player wants it.
function offerSolve() {
  const isOffered = isUnsolved() && !isCardFull(), key = failure ? "failure" : isOffered ? state.rules : "";
  if (byId("long-work").dataset.key === key) return;
  byId("long-work").dataset.key = key;
  byId("long-work").replaceChildren(...(failure ? failure.parts : isOffered ? [solveBox(rules().cost, "expect", { ...position(), spread: false }, askAgain)] : []));
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
  if (isCardFull()) return endText();
  if (isUnsolved() && (hasAllDice() || isTurnStart())) return workText(rules().cost);
  if (hasAllDice()) return _("Working …");
  if (missing === rules().dice) return state.rolls.length ? _("Enter the next roll.") : "";
  return ngettext("{count} more die.", "{count} more dice.", missing, { count: formatNumber(missing) });
}

function drawRanking() {
  const { choosesHold, aim } = answer, held = diceText(heldDice()), boxes = comparesBoxes();
  const rows = listed().slice(0, showsAll ? undefined : SHOWN_ROWS).map((entry, i) => {
    const isHeld = choosesHold && state.chosen && !entry.category && diceText(entry.hold) === held;
    return optionRow(entry, { isFirst: i === 0 && (!boxes || entry.loss < 1e-6), aim, isHeld, value: valueText(answer, entry), onChoose: () => choose(entry) });
  });
  const notes = [];
  if (answer.approximate) notes.push(_("Approximate: {text}.", { text: answer.approximate.text }));
  if (!aim) notes.push(gradesHint());
  if (boxes && rules().saved_rolls) notes.push(ngettext("The {count} roll left will be saved.", "The {count} rolls left will be saved.", state.left, { count: formatNumber(state.left) }));
  byId("ranking").hidden = !isListOpen();
  const at = [...byId("ranking").querySelectorAll("button")].indexOf(document.activeElement);
  byId("ranking").replaceChildren(element("ol", { "aria-label": _("Ranking"), class: "options" }, ...rows), ...notes.map((text) => element("p", { class: "hint" }, text)));
  if (at >= 0) (byId("ranking").querySelectorAll("button")[at] || byId("go")).focus();
}

// The dice held now: their value, and the possible next rolls.
function drawHeld(hidden) {
  const current = currentHold(), before = byId("held").textContent;
  byId("held").textContent = "";
  if (!answer || hidden) { hideMap(); return; }
  if (state.chosen && current) byId("held").textContent = heldText(answer, current);
  if (byId("held").textContent !== before) say(byId("held").textContent);
  const shown = current || answer.entries[0];
  if (answer.choosesHold && !shown.category && isListOpen()) drawMap(shown.hold);
  else hideMap();
}

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
    const text = holdText(hold.length ? diceText(hold) : "", rules().dice - hold.length, state.typed);
    return { text, short: state.typed ? _("Hold") : _("Roll"), run: () => playHold(hold) };
  }
  if (hidden || !scored || !answer) return null;
  const best = entry?.category ? scored.find((each) => each.category === entry.category) : scored[0];
  if (!best) return null;
  return { text: takeText(best), short: _("Take"), run: () => playCategory(best.category) };
}

const playAgain = () => change((s) => startGame(s), _("A new game; Undo brings the old one back."));

function showReview() {
  byId("review-own").click();
  byId("review").scrollIntoView();
}

function drawButtons(hidden) {
  const action = primaryAction(hidden);
  const choosesAlone = hidden || isAlone(); // then the player marks dice or takes a box first
  for (const [id, text] of [["go", action?.text || (choosesAlone ? "" : _("Working …"))], ["go-short", action?.short || _("Roll")]]) {
    byId(id).textContent = text;
    setEnabled(byId(id), Boolean(action));
  }
  byId("play-again").hidden = !isCardFull() || !hasRecord();
  const entersDice = isTurnStart() && state.typed && !isCardFull(); // real dice: the keys come first
  byId("go").hidden = entersDice || !action && (!hasAllDice() || choosesAlone);
  byId("roll-all").hidden = !(choosesAlone && hasAllDice() && state.left > 0 && !state.chosen);
  byId("go-short").setAttribute("aria-label", action?.text || _("Roll"));
  const isPlaying = Boolean(answer) && !hidden;
  byId("roll-here").hidden = !(state.typed && hasAllDice() && state.left > 0 && action);
  byId("best-again").hidden = !(state.chosen && answer?.choosesHold && !hidden);
  byId("instead").hidden = !isPlaying || state.left === 0;
  byId("instead").textContent = comparesBoxes() ? _("Back to the holds") : _("Compare the boxes");
  byId("more").hidden = !isPlaying || isListOpen() && listed().length <= SHOWN_ROWS;
  byId("more").setAttribute("aria-expanded", String(isListOpen() && showsAll));
  byId("hide-list").hidden = !isPlaying || !phone.matches || !showsList || comparesBoxes();
  if (isPlaying) byId("more").textContent = !isListOpen() ? _("Other choices") : showsAll ? _("Show the best {count}", { count: SHOWN_ROWS }) : _("Show all {count}", { count: formatNumber(listed().length) });
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
  let entry = scored?.find((each) => each.category === category);
  const key = cardAndDice();
  if (!entry) return;
  if (entry.points === undefined) {
    const points = await askPoints(category);
    if (points === null) return;
    entry = { ...entry, points };
  } else if (answer && !await confirmLoss(entry, answer.entries[0], answer.entries[1])) return;
  if (key !== cardAndDice()) return;
  const points = entry.points + (entry.bonus_points || 0), { card, bonusPoints } = me();
  const after = totals({ card: { ...card, [category]: entry.points }, bonusPoints: bonusPoints + (entry.bonus_points || 0) });
  say(ngettext("{box}: {count} point.", "{box}: {count} points.", points, { box: categoryName(category), count: formatNumber(points) }), _("Total {points}.", { points: formatNumber(after.all) }));
  takeCategory(entry);
  // At the end the focus is on no button: one Enter too many does nothing.
  byId(isCardFull() ? "advice-title" : byId("go").hidden ? "dice-title" : "go").focus({ preventScroll: true });
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
onClick("roll-all", () => playHold([]));
onClick("best-again", () => { change((s) => { s.held = s.dice.map(() => false); s.chosen = false; }); byId("go").focus(); });
onClick("more", () => {
  if (isListOpen()) showsAll = !showsAll;
  else showsList = true;
  drawAnswer();
  if (showsAll) byId("ranking").querySelectorAll("button")[SHOWN_ROWS]?.focus();
});
onClick("hide-list", () => { showsList = showsAll = false; drawAnswer(); byId("more").focus(); });
onClick("instead", () => { comparedFor = comparedFor ? "" : cardAndDice(); showsAll = false; drawAnswer(); byId("instead").focus(); });
document.addEventListener("box-taken", (event) => playCategory(event.detail));
document.addEventListener("work-done", askAgain);
phone.addEventListener("change", redraw);
onDraw(drawAdvice);
