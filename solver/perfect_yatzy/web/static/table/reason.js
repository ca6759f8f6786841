// Why the best option is better than the second: one sentence of at most twelve words, and two bars of the quantity that it
// names. The longer sentence of reviews and of the command is in why.js.
import { optionName } from "./actions.js";
import { gainedBox, isSureBox } from "./why.js";
import { _, formatNumber, formatPercent } from "../words/i18n.js";
import { categoryName } from "../store/state.js";

const FAR = 2, // as often
  NOTABLE_BONUS = 0.01,
  NOTABLE_POINTS = 0.05;

// A bar of an option, or of a word: what it stands for, its share of the longer one, its text.
const pair = (first, second, text, whole = Math.max(first.value, second.value)) =>
  [first, second].map(({ of, value }) => ({
    of,
    share: whole > 0 ? Math.max(0, value) / whole : 0,
    text: text(value),
  }));
const percent = (value) => formatPercent(value, 0);
const points = (value) => formatNumber(value, 1);

// { text, bars } of the best option against another one; bars are { of, share, text } with an option or a word as `of`.
export function reasonOf(best, other, spec) {
  return comparison(best, other, spec) || valueReason(best, other);
}

// What differs besides the value; null if nothing does, or if it is not known.
function comparison(best, other, spec) {
  if (!best?.outlook || !other?.outlook) return null;
  return (
    sureReason(best, other, spec) ||
    endReason(best, other, spec) ||
    aimReason(best, other) ||
    bonusReason(best, other) ||
    pointsReason(best, other, spec)
  );
}

// The same where a worse option is shown: the sentence names the best one first. That the best has the better average is
// said by the loss, so then the bars are enough.
export function reasonAgainst(shown, best, spec) {
  const { text, bars } = comparison(best, shown, spec) || { ...valueReason(best, shown), text: "" };
  const sentence = _("{option}: {reason}", { option: optionName(best, spec), reason: text });
  return { text: text && sentence, bars };
}

function sureReason(best, other, spec) {
  const chance = isSureBox(best, other);
  if (chance === null) return null;
  const fields = {
    box: categoryName(best.category, spec),
    gap: points(best.expected_final_score - other.expected_final_score),
  };
  const text =
    best.chance === undefined
      ? _("A sure {box}: {gap} better than rolling on.", fields)
      : _("A sure {box} is better than rolling on.", fields);
  return {
    text,
    bars: pair({ of: _("now"), value: 1 }, { of: other, value: chance }, percent, 1),
  };
}

function endReason(best, other, spec) {
  const found = gainedBox(best, other, spec);
  if (!found) return null;
  const fields = { category: categoryName(found.id, spec) };
  return {
    text:
      found.chance >= FAR * found.other
        ? _("Ends in {category} far more often.", fields)
        : _("Ends in {category} more often.", fields),
    bars: pair({ of: best, value: found.chance }, { of: other, value: found.other }, percent, 1),
  };
}

// Where a chance counts, the average is what is given up for it.
function aimReason(best, other) {
  if (best.chance === undefined || other.chance === undefined) return null;
  return {
    text: _("The better chance for this aim."),
    bars: pair({ of: best, value: best.chance }, { of: other, value: other.chance }, (value) =>
      formatPercent(value, 1),
    ),
  };
}

function bonusReason(best, other) {
  const first = best.outlook.bonus_chance,
    second = other.outlook.bonus_chance;
  if (first == null || second == null || first - second < NOTABLE_BONUS) return null;
  return {
    text: _("Reaches the upper bonus more often."),
    bars: pair({ of: best, value: first }, { of: other, value: second }, percent, 1),
  };
}

function pointsReason(best, other, spec) {
  const first = best.outlook,
    second = other.outlook;
  if (first.later_points == null || second.later_points == null) return null;
  const now = first.turn_points - second.turn_points,
    later = first.later_points - second.later_points;
  const bars = (field) =>
    pair({ of: best, value: first[field] }, { of: other, value: second[field] }, points);
  if (best.category && best.points === 0 && later > 0)
    return {
      text: _("Crossing out {box} costs least: more points come later.", {
        box: categoryName(best.category, spec),
      }),
      bars: bars("later_points"),
    };
  if (now >= NOTABLE_POINTS && now >= later)
    return { text: _("Brings more points in this turn."), bars: bars("turn_points") };
  if (later < NOTABLE_POINTS) return null;
  return { text: _("Brings more points in later turns."), bars: bars("later_points") };
}

function valueReason(best, other) {
  if (best?.expected_final_score === undefined || other?.expected_final_score === undefined)
    return { text: "", bars: [] };
  const value = ({ expected_final_score }) => expected_final_score;
  return {
    text: _("The better average final score."),
    bars: pair({ of: best, value: value(best) }, { of: other, value: value(other) }, points),
  };
}
