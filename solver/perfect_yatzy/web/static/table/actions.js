// What can be done with a roll, in words: dice to keep, or a box to take.
import { capitalize, diceText } from "../words/dom.js";
import { marksOf } from "../store/game.js";
import { _, formatNumber } from "../words/i18n.js";
import { categoryName, state } from "../store/state.js";

// An action of a review or of an answer, as in "keep 3 3" or "Fours for 20 + 100"; `spec` are its rules.
export function actionText(action, spec = state.rules) {
  if (action.hold && !action.category)
    return action.hold.length
      ? _("keep {dice}", { dice: diceText(action.hold) })
      : _("roll all dice again");
  const fields = {
    category: categoryName(action.category, spec),
    points: formatNumber(action.points ?? 0),
    bonus: formatNumber(action.bonus_points || 0),
  };
  if (action.points === undefined) return _("take {category}", fields); // all dice are kept
  return action.bonus_points
    ? _("{category} for {points} + {bonus}", fields)
    : _("{category} for {points}", fields);
}

export const actionTitle = (action, spec) => capitalize(actionText(action, spec));

// The name of an option in a sentence: its box, or the dice it keeps.
export function optionName({ category, hold }, spec = state.rules) {
  if (category) return categoryName(category, spec);
  return hold.length ? diceText(hold) : _("rolling all dice");
}

// An option as something to do now.
export function optionTitle(entry) {
  if (!entry.category || entry.points === undefined) return actionTitle(entry);
  const fields = {
    box: categoryName(entry.category),
    points: formatNumber(entry.points),
    bonus: formatNumber(entry.bonus_points || 0),
  };
  return entry.bonus_points
    ? _("Take {box} for {points} + {bonus}", fields)
    : _("Take {box} for {points}", fields);
}

// Which of these dice an action keeps to roll the others; null if it takes a box.
export const keptDice = (dice, { hold, category }) =>
  hold && !category ? marksOf(dice, hold) : null;

// A number with its sign, for sums: "+12.3", "−4.0"; one that rounds to nothing has none.
export function signedText(value, decimals = 1) {
  const fields = { points: formatNumber(Math.abs(value), decimals) };
  if (!Number(value.toFixed(decimals))) return fields.points;
  return value < 0 ? _("−{points}", fields) : _("+{points}", fields);
}

export function placeText(turn, roll) {
  return _("Turn {turn}, roll {roll}", { turn: formatNumber(turn), roll: formatNumber(roll) });
}
