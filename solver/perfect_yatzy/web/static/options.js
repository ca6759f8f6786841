// Options of the advice as rows and titles: dice as small dice, the loss as a number, a bar and a word.
import { diceRow, diceText, element } from "./dom.js";
import { barShare, gradeChip, gradeName, gradeOf, isMistake, pointsText } from "./grades.js";
import { _, formatNumber, formatPercent } from "./i18n.js";
import { categoryName, state } from "./state.js";

export const objectiveName = (aim) => (aim.goal !== undefined ? _("{points} or more", { points: formatNumber(aim.goal) }) : _("a win"));

// Against opponents who still play a chance is a lower bound.
export function chanceText(chance, aim, decimals = 2) {
  const value = formatPercent(chance, decimals);
  return aim.lower_bound ? _("at least {chance}", { chance: value }) : value;
}

export function optionTitle(entry, choosesHold) {
  if (!choosesHold || entry.category) {
    const fields = { box: categoryName(entry.category, state.rules), points: formatNumber(entry.points ?? 0), bonus: formatNumber(entry.bonus_points || 0) };
    if (entry.points === undefined) return _("Take {box}", fields);
    return entry.bonus_points ? _("Take {box} for {points} + {bonus}", fields) : _("Take {box} for {points}", fields);
  }
  return entry.hold.length ? _("Keep {dice}", { dice: diceText(entry.hold) }) : _("Roll all dice again");
}

function boxText(entry) {
  const fields = { box: categoryName(entry.category, state.rules), points: formatNumber(entry.points ?? 0), bonus: formatNumber(entry.bonus_points || 0) };
  if (entry.points === undefined) return _("Take {box}", fields);
  return entry.bonus_points ? _("{box} for {points} + {bonus}", fields) : _("{box} for {points}", fields);
}

// The name of an option in a sentence: its box, or the dice it keeps.
export function optionName(entry, spec = state.rules) {
  if (entry.category) return categoryName(entry.category, spec);
  return entry.hold.length ? diceText(entry.hold) : _("rolling all dice");
}

// One option; the whole row is a button.
export function optionRow(entry, { isFirst, aim, isHeld, value, onChoose }) {
  const loss = aim ? 100 * entry.loss : entry.loss, grade = gradeOf(loss, isFirst);
  const what = entry.category ? element("span", { class: "box-name" }, boxText(entry))
    : entry.hold.length ? diceRow(entry.hold) : element("span", { class: "box-name" }, _("Roll all dice again"));
  const bar = element("span", { class: "loss-bar", "aria-hidden": "true" }, element("span", { class: grade, style: `width: ${(100 * barShare(loss)).toFixed(0)}%` }));
  const lost = loss < 1e-6 ? "" : aim ? _("−{loss} %", { loss: pointsText(loss) }) : _("−{loss}", { loss: pointsText(loss) });
  const fields = { option: optionTitle(entry, !entry.category), value, loss: pointsText(loss), grade: gradeName(grade) };
  const label = aim ? (lost ? _("{option}: chance {value}, loses {loss} %, {grade}", fields) : _("{option}: chance {value}, {grade}", fields))
    : lost ? _("{option}: {value} on average, loses {loss}, {grade}", fields) : _("{option}: {value} on average, {grade}", fields);
  const row = element("button", { type: "button", class: "option" + (isHeld ? " current" : ""), "aria-label": label, "aria-current": isHeld ? "true" : null, on: { click: onChoose } },
    element("span", { class: "what" }, what), " ", bar, element("span", { class: "option-value" }, value), " ",
    element("span", { class: "option-loss" }, lost), " ", isMistake(grade) ? gradeChip(grade) : ""); // six coloured words look like a report of errors
  return element("li", {}, row);
}
