// Grades of decisions by what they lose, as in `yatzy review`: one scale of words, colours and bars for the whole page.
import { element } from "./dom.js";
import { _, formatNumber, ngettext } from "./i18n.js";

export const TIE = 1e-6; // points; smaller differences are rounding
const LIMITS = [
  [0.4, "inaccuracy"],
  [1.7, "mistake"],
]; // as in perfect_yatzy.play.review
const FULL_BAR = 5; // points; greater losses draw no longer bar

export const GRADES = ["best", "tied", "inaccuracy", "mistake", "blunder"];
export const isMistake = (grade) => grade === "mistake" || grade === "blunder";

// `isFirst`: whether it is the option listed first; an equally good one is `tied`.
export function gradeOf(loss, isFirst = true) {
  if (loss < TIE) return isFirst ? "best" : "tied";
  return LIMITS.find(([limit]) => loss < limit)?.[1] || "blunder";
}

export function gradeName(grade) {
  return {
    best: _("best"),
    tied: _("equally good"),
    inaccuracy: _("inaccuracy"),
    mistake: _("mistake"),
    blunder: _("blunder"),
  }[grade];
}

export function gradeCount(grade, count) {
  const fields = { count: formatNumber(count) };
  switch (grade) {
    case "best":
      return ngettext("{count} best", "{count} best", count, fields);
    case "tied":
      return ngettext("{count} equally good", "{count} equally good", count, fields);
    case "inaccuracy":
      return ngettext("{count} inaccuracy", "{count} inaccuracies", count, fields);
    case "mistake":
      return ngettext("{count} mistake", "{count} mistakes", count, fields);
    default:
      return ngettext("{count} blunder", "{count} blunders", count, fields);
  }
}

// What the words mean, in one line.
export function gradesHint() {
  const [small, large] = LIMITS.map(([limit]) => formatNumber(limit, 1));
  return _(
    "An inaccuracy loses less than {small} points, a mistake less than {large}, a blunder more.",
    { small, large },
  );
}

// A loss of points as text: 0.62; one that only rounds to 0 does not look like none.
export function pointsText(loss, decimals = 2) {
  const least = 10 ** -decimals;
  if (loss < TIE) return formatNumber(0, decimals);
  return loss < least / 2 ? "<" + formatNumber(least, decimals) : formatNumber(loss, decimals);
}

export const gradeChip = (grade, text) =>
  element("span", { class: `grade ${grade}` }, text || gradeName(grade));

// The share of a full bar that a loss fills: small losses stay visible.
export const barShare = (loss) => Math.min(1, Math.sqrt(Math.max(0, loss) / FULL_BAR));
