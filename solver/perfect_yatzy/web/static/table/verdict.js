// The verdict on a choice: its grade, what it loses, the best choice and the reason.
import { actionText, actionTitle } from "./actions.js";
import { element, table } from "../words/dom.js";
import { gradeChip, gradeName, gradeOf, pointsText } from "../words/grades.js";
import { _, formatNumber, formatPercent } from "../words/i18n.js";

// Whether options are compared by their chance; not if it is certain or out of reach whatever is done.
export const isChance = (option, best) =>
  best.chance !== undefined &&
  !(option.chance === best.chance && (best.chance === 0 || best.chance === 1));

// What an option loses against the best, in points or in per cent of a chance. Both are entries of the answers to `hold` or
// `score`.
export function lossOf(option, best) {
  return Math.max(
    0,
    isChance(option, best)
      ? 100 * (best.chance - option.chance)
      : best.expected_final_score - option.expected_final_score,
  );
}

// To hold all dice is to take the box.
const isSame = (a, b) =>
  a.category || b.category ? a.category === b.category : String(a.hold) === String(b.hold);

export const gradeOfChoice = (option, best) => gradeOf(lossOf(option, best), isSame(option, best));

// What a choice loses, as a sentence.
export function lossSentence(option, best, spec) {
  const loss = lossOf(option, best),
    fields = {
      choice: actionTitle(option, spec),
      best: actionText(best, spec),
      loss: pointsText(loss),
      grade: gradeName(gradeOfChoice(option, best)),
    };
  if (isSame(option, best)) return _("{choice}: the best choice.", fields);
  if (gradeOfChoice(option, best) === "tied") return _("{choice}: as good as {best}.", fields);
  return isChance(option, best)
    ? _("{choice} loses {loss} percentage points of the chance.", fields)
    : _("{choice} loses {loss} points.", fields);
}

// The verdict as elements; `why` is the sentence of the reason, if there is one.
export function verdictView(option, best, spec, why) {
  const grade = gradeOfChoice(option, best),
    isBest = grade === "best" || grade === "tied";
  const parts = [
    element("p", { class: "verdict" }, gradeChip(grade), " ", lossSentence(option, best, spec)),
  ];
  if (!isBest)
    parts.push(
      element(
        "p",
        { class: "best-choice" },
        _("Best: {action}.", { action: actionText(best, spec) }),
      ),
    );
  if (why) parts.push(element("p", { class: "why" }, why));
  return parts;
}

// The best options and what each loses; the chosen one is always among the rows.
export function optionsTable(options, chosen, spec, shown = 5) {
  const listed = options.slice(0, shown);
  if (!listed.includes(chosen)) listed.push(chosen);
  const rows = listed.map((option) => [
    option === chosen
      ? element("strong", {}, actionTitle(option, spec))
      : actionTitle(option, spec),
    option.chance === undefined
      ? formatNumber(option.expected_final_score, 1)
      : formatPercent(option.chance, 1),
    pointsText(lossOf(option, options[0])),
  ]);
  return table(
    _("The best choices"),
    [_("Choice"), options[0].chance === undefined ? _("Average") : _("Chance"), _("Loses")],
    rows,
  );
}
