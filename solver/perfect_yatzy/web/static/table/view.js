// What the page shows and offers for a position, as data: `view(state, known, screen)` is a pure function, and what draws
// the page only follows it.
//
//   phase       computer: a computer is to play · over: every card is full · next: this card is full, others are not · start: before the first roll ·
//               entering: dice are missing · waiting: for the answer · advice · own: there is advice, hidden ·
//               alone: there will be none
//   primary     the one large action, null if nothing is to be done yet; secondary: further ones
//   advised     the dice that the page marks, null if none; bestBox: the box that it marks
//   loading     what the page says while the table of the game is fetched, null if it is not
//   boxes       what the card offers for this roll; player: whose card is shown unless another one is chosen
import {
  GIVEN_UP,
  beforeRoll,
  boxTitle,
  gapText,
  heldText,
  loadingText,
  lossOf,
  lossText,
  missingText,
  optionTitle,
  statedText,
  thenText,
  valueName,
} from "./advice-text.js";
import { diceText } from "../words/dom.js";
import { ruleSet } from "../store/rulesets.js";
import { reasonAgainst, reasonOf } from "./reason.js";

const SHOWN_ROWS = 6,
  NEARLY = 0.1; // points or per cent: an option that loses less is nearly as good
const NO_REASON = { text: "", bars: [] };

export const sameDice = (a, b) => diceText([...a].sort()) === diceText([...b].sort());
const isFull = (player, rules) => Object.keys(player.card).length === rules.categories.length;
const heldOf = (state) => state.dice.filter((_die, i) => state.held[i]).sort((a, b) => a - b);

// `known` has answer, mean (before the roll), boxes (of the answer to `score`, or counted), loading, failure, isHidden, isUnsolved
// and the final scores of the players; `screen` has isNarrow, isTyping, showsAll, showsList and comparesBoxes.
export function view(state, known, screen = {}) {
  const rules = ruleSet(state.rules),
    phase = phaseOf(state, known, rules);
  const answer = phase === "advice" ? known.answer : null,
    held = heldOf(state);
  const entry =
    answer?.choosesHold && state.chosen
      ? answer.entries.find((each) => sameDice(each.hold, held)) || null
      : null;
  const [best] = answer?.entries || [],
    isRoll = Boolean(best) && answer.choosesHold && !best.category;
  return {
    phase,
    answer,
    primary: primaryOf(phase, state, known, rules, held),
    secondary: secondaryOf(phase, state),
    advised: isRoll ? best.hold : null,
    loading: phase === "waiting" && known.loading ? loadingText(known.loading, state) : null,
    boxes: ["waiting", "advice", "own", "alone"].includes(phase) ? known.boxes : null,
    bestBox: best?.category || "",
    player: phase === "over" ? winners(known.scores)[0] : state.player,
    headline: answer
      ? headlineOf(answer, entry, state.rules)
      : phase === "start" && !known.cost
        ? beforeRoll(state, known, screen)
        : null,
    text: answer ? "" : missingText(phase, state, known, rules),
    hasError: Boolean(known.failure) && phase === "alone" && !known.failure.isExpected,
    held: entry ? heldText(answer, entry) : "",
    map: answer?.choosesHold && !(entry || best).category ? (entry || best).hold : null,
    list: answer ? listOf(answer, known.boxes, screen) : null,
  };
}

export const winners = (scores) =>
  scores.flatMap((score, i) => (score === Math.max(...scores) ? [i] : []));

function phaseOf(state, known, rules) {
  if (state.players.every((player) => isFull(player, rules))) return "over";
  if (isFull(state.players[state.player], rules)) return "next";
  if (!state.dice.length && !state.rolls.length)
    return state.players[state.player].computer && !state.visits ? "computer" : "start";
  if (state.dice.length < rules.dice) return "entering";
  if (known.answer) return known.isHidden ? "own" : "advice";
  return known.failure || known.isUnsolved ? "alone" : "waiting";
}

// Only the best option, or what the player has marked, is ever the primary action.
function primaryOf(phase, state, { answer, boxes }, rules, held) {
  if (phase === "over") return { kind: "new-game" };
  if (phase === "next") return { kind: "next-player" };
  if (phase === "start") return { kind: "first-roll" };
  if (phase === "entering" || phase === "computer") return null;
  const roll = (hold) => ({ kind: "roll", hold, count: rules.dice - hold.length });
  if (state.left > 0 && state.chosen && held.length < rules.dice) return roll(held);
  if (phase !== "advice") return null;
  const [best] = answer.entries;
  if (!state.chosen && answer.choosesHold && !best.category) return roll(best.hold);
  const box = boxes.find((each) => each.category === best.category) || boxes[0]; // with all dice marked the best box
  return { kind: "take", entry: box };
}

function secondaryOf(phase, state) {
  if (phase === "advice") return state.chosen ? ["best-again"] : [];
  return (phase === "own" || phase === "alone") && state.left > 0 && !state.chosen
    ? ["roll-all"]
    : [];
}

// `entry` is the hold that the player has marked.
function headlineOf(answer, entry, spec) {
  const [best, second] = answer.entries,
    shown = entry || best,
    title = shown.category && shown.points !== undefined ? boxTitle(shown) : optionTitle(shown);
  return {
    title: shown.category ? title.replace(/ (?=\d+$)/, "\u00a0") : title,
    value: statedText(answer, shown),
    name: valueName(answer),
    then: thenText(shown),
    ...(shown === best ? besideSecond(best, second, spec) : besideBest(shown, best, spec)),
  };
}

// Of the best option: the second one, where it is nearly as good, and why it is not the best.
const besideSecond = (best, second, spec) => ({
  gap: second?.loss < NEARLY ? gapText(best, second) : "",
  reason: second ? reasonOf(best, second, spec) : NO_REASON,
});

// Of another option: what it loses, and why the best one is better, where more than the value says so.
function besideBest(shown, best, spec) {
  const loss = lossText(best, shown),
    reason = shown.loss < GIVEN_UP ? NO_REASON : reasonAgainst(shown, best, spec);
  return reason.text ? { gap: loss, reason } : { gap: "", reason: { ...reason, text: loss } };
}

// The options listed, each with its loss. Boxes are compared with the best hold while rolls are left.
function listOf(
  answer,
  boxes,
  { isNarrow = false, showsAll = false, showsList = false, comparesBoxes = false },
) {
  const [best] = answer.entries,
    compares = Boolean(comparesBoxes && answer.choosesHold && boxes);
  const rated = compares
    ? boxes.map((each) => ({ ...each, loss: lossOf(each, best) }))
    : answer.entries.map((each) => ({ ...each, loss: each.loss && lossOf(each, best) }));
  const entries = compares && !best.category ? [best, ...rated] : rated;
  const isOpen = !isNarrow || showsList || compares;
  return {
    entries: entries.slice(0, showsAll ? undefined : SHOWN_ROWS),
    count: entries.length,
    compares,
    isOpen,
    showsAll,
    offersMore: !isOpen || entries.length > SHOWN_ROWS,
    offersLess: isNarrow && showsList && !compares,
    offersBoxes: answer.choosesHold,
  };
}
