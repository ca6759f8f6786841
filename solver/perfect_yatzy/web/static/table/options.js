// Options of the advice as rows: dice as small dice, the loss as a number, a bar and a word.
import { actionTitle, optionTitle } from "./actions.js";
import { button, diceRow, element } from "../words/dom.js";
import { barShare, gradeChip, gradeName, gradeOf, isMistake, pointsText } from "../words/grades.js";
import { _, formatNumber, formatPercent } from "../words/i18n.js";

export const objectiveName = (aim) =>
  aim.goal !== undefined ? _("{points} or more", { points: formatNumber(aim.goal) }) : _("a win");

// Against opponents who still play a chance is a lower bound, and rounded down.
export function chanceText(chance, aim, decimals = 2) {
  const unit = 10 ** (decimals + 2);
  return aim.lower_bound
    ? _("at least {chance}", {
        chance: formatPercent(Math.floor(chance * unit + 1e-6) / unit, decimals),
      })
    : formatPercent(chance, decimals);
}

// One option; the whole row is a button.
export function optionRow(entry, { isFirst, aim, isHeld, value, onChoose }) {
  const { loss } = entry,
    grade = gradeOf(loss, isFirst);
  const what =
    entry.hold?.length && !entry.category
      ? diceRow(entry.hold)
      : element("span", { class: "box-name" }, actionTitle(entry));
  const bar = element(
    "span",
    { class: "loss-bar", "aria-hidden": "true" },
    element("span", { class: grade, style: `width: ${(100 * barShare(loss)).toFixed(0)}%` }),
  );
  const lost =
    loss < 1e-6
      ? ""
      : aim
        ? _("−{loss} %", { loss: pointsText(loss) })
        : _("−{loss}", { loss: pointsText(loss) });
  const fields = {
    option: optionTitle(entry),
    value,
    loss: pointsText(loss),
    grade: gradeName(grade),
  };
  const label = aim
    ? lost
      ? _("{option}: chance {value}, loses {loss} %, {grade}", fields)
      : _("{option}: chance {value}, {grade}", fields)
    : lost
      ? _("{option}: {value} on average, loses {loss}, {grade}", fields)
      : _("{option}: {value} on average, {grade}", fields);
  const parts = [
    element("span", { class: "what" }, what),
    " ",
    bar,
    element("span", { class: "option-value" }, value),
    " ",
    element("span", { class: "option-loss" }, lost),
    " ",
    isMistake(grade) ? gradeChip(grade) : "",
  ]; // six coloured words look like a report of errors
  return element(
    "li",
    {},
    button(parts, onChoose, {
      class: "option" + (isHeld ? " current" : ""),
      "aria-label": label,
      "aria-current": isHeld ? "true" : null,
    }),
  );
}
