// One sentence that says why an option is better than another, from the outlooks of both: how the turn ends, the
// upper bonus, points now and later.
import { _, formatNumber, formatPercent } from "./i18n.js";
import { optionName } from "./options.js";
import { categoryName } from "./state.js";

const NOTABLE_CHANCE = 0.05, NOTABLE_BONUS = 0.01, NOTABLE_POINTS = 0.05; // smaller differences are no reason

// `best` and `other` are options with the field `outlook`; empty if one of them has none.
export function whySentence(best, other, spec) {
  if (!best?.outlook || !other?.outlook) return "";
  return [endSentence(best.outlook, other.outlook, other.category ? categoryName(other.category, spec) : optionName(other), spec), bonusSentence(best.outlook, other.outlook), pointsSentence(best.outlook, other.outlook)]
    .find(Boolean) || "";
}

// The box in which more turns end, if both options roll again.
function endSentence(best, other, option, spec) {
  if (best.categories.length < 2 && other.categories.length < 2) return "";
  const chanceIn = (outlook, id) => outlook.categories.find(([category]) => category === id)?.[1] || 0;
  const gain = (id) => chanceIn(best, id) - chanceIn(other, id);
  const [id] = best.categories.reduce((most, each) => (gain(each[0]) > gain(most[0]) ? each : most));
  if (gain(id) < NOTABLE_CHANCE) return "";
  return _("Ends in {category} in {chance} of turns, instead of {other} with {option}.",
    { category: categoryName(id, spec), chance: formatPercent(chanceIn(best, id), 0), other: formatPercent(chanceIn(other, id), 0), option });
}

function bonusSentence({ bonus_chance: best }, { bonus_chance: other }) {
  if (best == null || other == null || Math.abs(best - other) < NOTABLE_BONUS) return "";
  const fields = { chance: formatPercent(best, 0), other: formatPercent(other, 0) };
  return best > other ? _("The upper bonus is reached in {chance} of games instead of {other}.", fields)
    : _("It is worth a smaller chance of the upper bonus, {chance} instead of {other}.", fields);
}

function pointsSentence(best, other) {
  if (best.later_points == null || other.later_points == null) return "";
  const now = best.turn_points - other.turn_points, later = best.later_points - other.later_points;
  const fields = { now: formatNumber(Math.abs(now), 1), later: formatNumber(Math.abs(later), 1) };
  if (now >= NOTABLE_POINTS && later <= -NOTABLE_POINTS) return _("Brings {now} points more in this turn and costs {later} in later ones.", fields);
  if (now <= -NOTABLE_POINTS && later >= NOTABLE_POINTS) return _("Costs {now} points in this turn and brings {later} more in later ones.", fields);
  if (now >= NOTABLE_POINTS && later >= NOTABLE_POINTS) return _("Brings {now} points more in this turn and {later} more in later ones.", fields);
  if (now >= NOTABLE_POINTS) return _("Brings {now} points more in this turn.", fields);
  return later >= NOTABLE_POINTS ? _("Brings {later} points more in later turns.", fields) : "";
}
