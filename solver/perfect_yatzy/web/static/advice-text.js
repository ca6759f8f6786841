// The sentences of the advice.
import { capitalize } from "./dom.js";
import { formatNumber, ngettext, _ } from "./i18n.js";
import { objectiveName, optionName } from "./options.js";

export const lossOf = (entry, best, aim) => (aim ? 100 * (best.chance - entry.chance) : best.expected_final_score - entry.expected_final_score);

// Small numbers are words in a sentence.
function countWord(number) {
  return [_("no"), _("one"), _("two"), _("three"), _("four"), _("five"), _("six")][number] || formatNumber(number);
}

export function settledText(best, aim) {
  const fields = { aim: capitalize(objectiveName(aim)) };
  return best.chance === 0 ? _("{aim} is out of reach; ranked by the average", fields) : _("{aim} is certain; ranked by the average", fields);
}

// How much better the best option is than the second; `aim` only if options differ by their chance.
export function gapText(best, second, aim) {
  const gap = lossOf(second, best, aim), fields = { other: optionName(second), gap: formatNumber(gap, 2) };
  if (gap < 1e-6) return _("As good: {other}.", fields);
  if (gap < 0.005) return _("Less than 0.01 better than {other}.", fields);
  return aim ? _("{gap} % better than {other}.", fields) : _("{gap} points better than {other}.", fields);
}

export function takeText(entry) {
  const fields = { box: optionName(entry), points: formatNumber(entry.points), bonus: formatNumber(entry.bonus_points || 0) };
  return capitalize(entry.bonus_points ? _("Take {box} for {points} + {bonus}", fields) : _("Take {box} for {points}", fields));
}

// The text of the button that holds dice, an empty text if none, and rolls the others.
export function holdText(dice, number, isTyped) {
  const fields = { dice, count: countWord(number) };
  if (isTyped) return dice ? ngettext("Hold {dice}, then enter one die", "Hold {dice}, then enter {count} dice", number, fields) : _("Hold nothing, then enter all dice");
  return dice ? ngettext("Hold {dice} and roll one die", "Hold {dice} and roll {count} dice", number, fields) : _("Hold nothing and roll all dice");
}
