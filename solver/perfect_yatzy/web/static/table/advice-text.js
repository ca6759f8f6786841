// The sentences of the advice.
import { optionName, optionTitle } from "./actions.js";
import { capitalize, diceText } from "../words/dom.js";
import { personsOf, playerName } from "../store/game.js";
import { formatNumber, formatPercent, language, ngettext, _ } from "../words/i18n.js";
import { chanceText, objectiveName } from "./options.js";
import { categoryName, rules, state } from "../store/state.js";
import { workText } from "./solve.js";
import { isChance, lossOf } from "./verdict.js";

// Points or a share of games: smaller losses are rounding.
export const GIVEN_UP = 1e-6;

const NEAR = 0.2; // points, or per cent of a chance: a smaller difference is hardly one

export { lossOf, optionTitle };

// Whether the aim is certain or out of reach whatever is done.
const isSettled = ({ aim, entries: [best] }) =>
  Boolean(aim) && (best.chance === 0 || best.chance === 1);

// In a row of options; in a sentence a lower bound is called one.
export const valueText = (answer, entry) =>
  answer.aim && !isSettled(answer)
    ? formatPercent(entry.chance)
    : formatNumber(entry.expected_final_score, 2);
export const statedText = (answer, entry) =>
  answer.aim && !isSettled(answer)
    ? chanceText(entry.chance, answer.aim)
    : valueText(answer, entry);

export function valueName({ aim, entries: [best] }) {
  if (!aim) return _("average final score");
  const fields = { aim: capitalize(objectiveName(aim)) };
  if (best.chance === 0) return _("{aim} is out of reach; ranked by the average", fields);
  return best.chance === 1
    ? _("{aim} is certain; ranked by the average", fields)
    : _("chance of {aim}", { aim: objectiveName(aim) });
}

// A box in the headline: the number stays with its box.
export const boxTitle = ({ category, points, bonus_points: bonus }) =>
  _("{box}, {points}", {
    box: categoryName(category),
    points: formatNumber(points) + (bonus ? " + " + formatNumber(bonus) : ""),
  });

// What is done with the rest: the small line under the headline.
export function thenText({ hold, category, points }) {
  if (category)
    return points === 0 ? _("cross it out") : state.left > 0 ? _("do not roll again") : "";
  const count = rules().dice - hold.length;
  if (!hold.length) return "";
  return ngettext("then roll one die", "then roll {count} dice", count, {
    count: countWord(count),
  });
}

// Before the first roll of a turn: whose turn it is, and what the game is worth on average.
export function beforeRoll(state, { mean }, { isTyping = false }) {
  const persons = personsOf(state.players);
  return {
    title:
      persons.length > 1
        ? _("{name} is to play", { name: playerName(state.player, state) })
        : _("Your turn"),
    then: isTyping ? _("tap your dice") : _("roll the dice"),
    value: mean === undefined ? "" : formatNumber(mean, 2),
    name: mean === undefined ? "" : _("average final score"),
    gap: "",
    reason: { text: "", bars: [] },
  };
}

// How much better the best option is than the second.
export function gapText(best, second) {
  const gap = lossOf(second, best),
    fields = { other: optionName(second), gap: formatNumber(gap, 2) };
  if (gap < GIVEN_UP) return _("As good: {other}.", fields);
  if (gap < 0.005) return _("Less than 0.01 better than {other}.", fields);
  if (isChance(second, best)) return _("{gap} percentage points better than {other}.", fields);
  return gap < NEAR
    ? _("Nearly as good: {other} (−{gap}).", fields)
    : _("{gap} points better than {other}.", fields);
}

// What another option than the best loses.
export function lossText(best, shown) {
  if (shown.loss < GIVEN_UP) return _("No option is better.");
  const fields = { best: optionName(best), loss: formatNumber(lossOf(shown, best), 2) };
  return isChance(shown, best)
    ? _("{loss} percentage points less than {best}.", fields)
    : _("{loss} points less than {best}.", fields);
}

// The same as a screen reader hears it: what the dice marked by the player lose.
export function heldText(answer, held) {
  const [best] = answer.entries,
    dice = held.hold.length ? diceText(held.hold) : _("nothing");
  if (held.loss < GIVEN_UP)
    return _("You keep {dice}: {value}, no option is better.", {
      dice,
      value: statedText(answer, held),
    });
  const fields = { dice, best: optionName(best), loss: formatNumber(lossOf(held, best), 2) };
  return isChance(held, best)
    ? _("You keep {dice}: {loss} percentage points less than the best, {best}.", fields)
    : _("You keep {dice}: {loss} points less than the best, {best}.", fields);
}

// What stands in place of the advice.
export function missingText(
  phase,
  state,
  { answer, failure, cost, scores, loading, isLong },
  rules,
) {
  const isTurnStart = phase === "start",
    missing = rules.dice - state.dice.length;
  if (phase === "over" || phase === "next")
    return endText(state, scores, phase === "over" ? null : scores[state.player]);
  if (cost && (isTurnStart || (phase === "alone" && !failure))) return workText(cost);
  if (phase === "alone")
    return failure ? failure.message : _("No advice for these rules: “Rules…” says why.");
  if (phase === "computer")
    return _("{name} is to play", { name: playerName(state.player, state) });
  if (phase === "own")
    return answer.choosesHold
      ? _("Your choice: tap the dice to keep, or a box.")
      : _("Your choice: tap a box of the card.");
  if (phase === "waiting" && loading) return _("One moment");
  if (phase === "waiting")
    return isLong ? _("Working … this takes a little longer the first time.") : _("Working …");
  if (missing === rules.dice) return state.rolls.length ? _("Enter the next roll.") : "";
  return ngettext("{count} more die.", "{count} more dice.", missing, {
    count: formatNumber(missing),
  });
}

// What stands below it while the table of the game is fetched: what is done, what the player may do meanwhile, how much is here.
export function loadingText({ loaded, size }, state) {
  const megabytes = (bytes) => formatNumber(bytes / 1e6, 1);
  return {
    then: _("loading the advice"),
    meanwhile: state.left ? _("Tap the dice to keep, or a box.") : _("Tap a box."),
    gap: _("Later turns need no loading."),
    bars: [
      {
        of: "",
        share: Math.min(1, loaded / size),
        text: _("{loaded} of {size} MB", {
          loaded: megabytes(Math.min(loaded, size)),
          size: megabytes(size),
        }),
      },
    ],
  };
}

// The final score, also `own` while others still play; among several players who has won.
export function endText(state, scores, own) {
  if (scores.length < 2 || own !== null)
    return _("Final score: {points}.", { points: formatNumber(own ?? scores[0]) });
  const most = Math.max(...scores),
    names = scores.flatMap((score, i) => (score === most ? [playerName(i, state)] : []));
  const fields = {
    names: new Intl.ListFormat(language, { type: "conjunction" }).format(names),
    name: names[0],
    points: formatNumber(most),
  };
  if (names.length > 1)
    return ngettext(
      "A tie with {points} point: {names}.",
      "A tie with {points} points: {names}.",
      most,
      fields,
    );
  const persons = personsOf(state.players);
  return persons.length === 1 && scores.length === 2
    ? duelText(state, scores)
    : ngettext(
        "{name} wins with {points} point.",
        "{name} wins with {points} points.",
        most,
        fields,
      );
}

// One person and one computer.
function duelText(state, scores) {
  const own = state.players.findIndex(({ computer }) => !computer),
    fields = {
      name: playerName(1 - own, state),
      own: formatNumber(scores[own]),
      other: formatNumber(scores[1 - own]),
    };
  return scores[own] > scores[1 - own]
    ? _("You beat {name}: {own} to {other}.", fields)
    : _("{name} beat you: {other} to {own}.", fields);
}

// How the player goes on alone.
export const aloneText = (left) =>
  left
    ? _("Without advice: tap the dice to keep, or a box of the card.")
    : _("Without advice: tap a box of the card.");

// Small numbers are words in a sentence. The word for one depends on what is counted, so it is part of the message.
const countWord = (number) =>
  ({ 2: _("two"), 3: _("three"), 4: _("four"), 5: _("five"), 6: _("six") })[number] ||
  formatNumber(number);

// The text of an action; real dice may be rolled by the page, too. A number may come first.
export const actionLabel = (action, isTyped) => capitalize(actionText(action, isTyped));

function actionText(action, isTyped) {
  if (action.kind === "take") return optionTitle(action.entry);
  if (action.kind !== "roll") {
    return {
      "first-roll": isTyped ? _("Roll the dice for me") : _("Roll the dice"),
      "new-game": state.challenge ? _("Revenge") : _("Play again"),
      "next-player": _("Next player"),
    }[action.kind];
  }
  const { count, hold } = action,
    fields = { count: countWord(count) };
  if (!hold.length) return isTyped ? _("Roll all dice for me") : _("Roll all dice again");
  return isTyped
    ? ngettext("Roll one die for me", "Roll {count} dice for me", count, fields)
    : ngettext("Roll one die", "Roll {count} dice", count, fields);
}
