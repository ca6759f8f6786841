// One sentence that says why an option is better than another, from the outlooks of both: how the turn ends, the
// upper bonus, points now and later. The command has the same sentences (cli/views/why.py).
import { optionName } from "./actions.js";
import { _, formatNumber, formatPercent } from "../words/i18n.js";
import { categoryOf } from "../store/rulesets.js";
import { categoryName } from "../store/state.js";

const NOTABLE_CHANCE = 0.1,
  NOTABLE_BONUS = 0.01,
  NOTABLE_POINTS = 0.05; // smaller differences are no reason

// `best` and `other` are options with the field `outlook`; empty if one of them has none.
export function whySentence(best, other, spec) {
  if (!best?.outlook || !other?.outlook) return "";
  return (
    sureSentence(best, other) ||
    endSentence(best, other, spec) ||
    meanSentence(best, other, spec) ||
    bonusSentence(best.outlook, other, spec) ||
    pointsSentence(best.outlook, other, spec)
  );
}

// Why the best option is better than the one chosen. Only the first options come with an outlook; that of a box is its points.
// For other dice the best option is compared with the second one, and the sentence says so.
export function reasonOfChoice([best, second], chosen, spec) {
  const reason = whySentence(best, withOutlook(chosen), spec),
    general = !reason && chosen !== second && whySentence(best, second, spec);
  return general
    ? _("{reason} This compares it with the second best, {option}.", {
        reason: general,
        option: optionName(second, spec),
      })
    : reason;
}

function withOutlook(option) {
  const { category, hold, points, bonus_points: bonus, expected_remaining: remaining } = option;
  if (option.outlook || hold || !category || remaining === undefined) return option;
  const paid = points + bonus;
  return {
    ...option,
    outlook: {
      turn_points: paid,
      later_points: remaining - paid,
      bonus_chance: null,
      categories: [[category, 1, points]],
    },
  };
}

// Whether a box ends the turn now, against rolling on for it: the chance to end there then, null if it is not so.
export function isSureBox({ category, points }, { hold, outlook, category: stops }) {
  const again = outlook.categories.find(([id]) => id === category);
  return !category || !points || !hold || stops || !again ? null : again[1];
}

function sureSentence(best, other) {
  const chance = isSureBox(best, other);
  if (chance === null) return "";
  const fields = {
    points: formatNumber(best.points),
    option: optionName({ hold: other.hold }),
    chance: formatPercent(chance, 0),
  };
  return _("A sure {points}; rerolling from {option} ends there in {chance} of turns.", fields);
}

// The box in which more turns end, if both options roll again. A box that mostly takes a zero or a poor roll is no merit.
export function gainedBox({ outlook: best }, { outlook: other }, spec) {
  if (best.categories.length < 2 && other.categories.length < 2) return null;
  const chanceIn = (outlook, id) =>
    outlook.categories.find(([category]) => category === id)?.[1] || 0;
  const gain = ([id, chance]) => chance - chanceIn(other, id);
  const [most] = best.categories
    .filter(([id, , points]) => points >= typicalPoints(id, spec))
    .sort((a, b) => gain(b) - gain(a));
  if (!most || gain(most) < NOTABLE_CHANCE) return null;
  const [id, chance] = most;
  return { id, chance, other: chanceIn(other, id) };
}

function endSentence(best, option, spec) {
  const found = gainedBox(best, option, spec);
  if (!found) return "";
  const fields = {
    category: categoryName(found.id, spec),
    chance: formatPercent(found.chance, 0),
    other: formatPercent(found.other, 0),
    option: optionName(option, spec),
  };
  if (option.category) return _("Ends in {category} in {chance} of turns.", fields); // the other one ends at once
  return found.other
    ? _("Ends in {category} in {chance} of turns, with {option} only in {other}.", fields)
    : _("Ends in {category} in {chance} of turns, with {option} in other boxes.", fields); // this turn only: later ones may end there
}

// Where a chance counts: what the choice would be worth to play for the average.
function meanSentence(best, other, spec) {
  if (best.chance === undefined || other.chance === undefined) return "";
  const more = best.expected_final_score - other.expected_final_score,
    isBetter = best.chance - other.chance > 1e-9;
  const fields = { points: formatNumber(Math.abs(more), 1), option: optionName(other, spec) };
  if (more >= NOTABLE_POINTS)
    return _("Playing for the average, it would be {points} points better than {option}.", fields);
  return more <= -NOTABLE_POINTS && isBetter
    ? _("Playing for the average, it would be {points} points worse than {option}.", fields)
    : "";
}

// Half of what the box holds in the middle case, a zero aside: what it holds on average must be at least that.
function typicalPoints(id, spec) {
  const points = categoryOf(spec, id).points.filter((each) => each > 0);
  return points[Math.floor(points.length / 2)] / 2;
}

function bonusSentence({ bonus_chance: best }, option, spec) {
  const other = option.outlook.bonus_chance;
  if (best == null || other == null || Math.abs(best - other) < NOTABLE_BONUS) return "";
  const fields = {
    chance: formatPercent(best, 0),
    other: formatPercent(other, 0),
    option: optionName(option, spec),
  };
  return best > other
    ? _("The upper bonus is reached in {chance} of games, with {option} in {other}.", fields)
    : _("It is worth a smaller chance of the upper bonus, {chance} instead of {other}.", fields);
}

function pointsSentence(best, option, spec) {
  const other = option.outlook;
  if (best.later_points == null || other.later_points == null) return "";
  const now = best.turn_points - other.turn_points,
    later = best.later_points - other.later_points;
  const fields = {
    now: formatNumber(Math.abs(now), 1),
    later: formatNumber(Math.abs(later), 1),
    option: optionName(option, spec),
  };
  if (now >= NOTABLE_POINTS && later <= -NOTABLE_POINTS)
    return _("{now} points more than {option} in this turn, {later} fewer in later ones.", fields);
  if (now <= -NOTABLE_POINTS && later >= NOTABLE_POINTS)
    return _("{now} points fewer than {option} in this turn, {later} more in later ones.", fields);
  if (now >= NOTABLE_POINTS && later >= NOTABLE_POINTS)
    return _("{now} points more than {option} in this turn, {later} more in later ones.", fields);
  if (now >= NOTABLE_POINTS) return _("The difference is made in this turn."); // as large as the loss, which is said beside
  return later >= NOTABLE_POINTS ? _("The difference is made in later turns.") : "";
}
