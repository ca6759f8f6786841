// What can be done with a roll, in words: dice to keep, or a box to take.
import { capitalize, diceText } from "./dom.js";
import { _, formatNumber } from "./i18n.js";
import { categoryName } from "./state.js";

// An action of a review or of an answer, as in "keep 3 3" or "Fours for 20 + 100"; `spec` are its rules.
export function actionText(action, spec) {
  if (action.hold && action.category) return _("keep all dice, take {category}", { category: categoryName(action.category, spec) });
  if (action.hold) return action.hold.length ? _("keep {dice}", { dice: diceText(action.hold) }) : _("roll all dice again");
  const fields = { category: categoryName(action.category, spec), points: formatNumber(action.points), bonus: formatNumber(action.bonus_points || 0) };
  return action.bonus_points ? _("{category} for {points} + {bonus}", fields) : _("{category} for {points}", fields);
}

export const actionTitle = (action, spec) => capitalize(actionText(action, spec));

// Which of these dice an action keeps to roll the others; null if it takes a box.
export function keptDice(dice, action) {
  if (!action.hold || action.category) return null;
  const rest = [...action.hold];
  return dice.map((face) => {
    const at = rest.indexOf(face);
    if (at >= 0) rest.splice(at, 1);
    return at >= 0;
  });
}

// A number with its sign, for sums: "+12.3", "−4.0"; one that rounds to nothing has none.
export function signedText(value, decimals = 1) {
  const fields = { points: formatNumber(Math.abs(value), decimals) };
  if (!Number(value.toFixed(decimals))) return fields.points;
  return value < 0 ? _("−{points}", fields) : _("+{points}", fields);
}

export function placeText(turn, roll) {
  return _("Turn {turn}, roll {roll}", { turn: formatNumber(turn), roll: formatNumber(roll) });
}
