// The positions of a reviewed game: the scorecard before a turn, and the mistakes as exercises.
import { isMistake } from "./grades.js";
import { ruleSet } from "./rulesets.js";

// The scorecard of a player before a turn, replayed from the record.
export function cardBefore(record, player, turn) {
  const rules = ruleSet(record.rules), before = { card: {}, bonusPoints: 0, saved: 0 };
  for (const each of record.turns.filter((one) => one.player === player).slice(0, turn - 1)) {
    before.card[each.category] = each.points;
    before.bonusPoints += each.bonus_points || each.beside || 0; // `beside` in records of schema 1
    if (rules.saved_rolls) before.saved += rules.rolls - each.rolls.length;
  }
  return before;
}

// A decision as a position to solve again.
export function positionOf(record, player, decision) {
  const { card, bonusPoints, saved } = cardBefore(record, player, decision.turn);
  return { rules: record.rules, card, bonus_points: bonusPoints, saved, dice: decision.dice, rolls_left: decision.rolls_left };
}

export const mistakesOf = (record, found, player) => found.decisions.filter((each) => isMistake(each.grade))
  .map((each) => ({ position: positionOf(record, player, each), loss: each.loss }));
