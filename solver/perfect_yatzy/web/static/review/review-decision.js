// One decision of a review: the dice, what was done, what is best, and why.
import { actionText, actionTitle, keptDice, placeText, signedText } from "../table/actions.js";
import { button, diceRow, element, table } from "../words/dom.js";
import { barShare, gradeChip, gradeName, pointsText } from "../words/grades.js";
import { _, formatNumber, formatPercent } from "../words/i18n.js";
import { categoryName } from "../store/state.js";

const LISTED_CATEGORIES = 5;

// The decision as one sentence, for screen readers and as the name of a row.
export function decisionSentence(each, spec) {
  const fields = {
    place: placeText(each.turn, each.roll),
    dice: each.dice.join(" "),
    done: actionText(each.done, spec),
    best: actionText(each.best, spec),
    grade: gradeName(each.grade),
    loss: pointsText(each.loss),
  };
  if (each.grade === "best") return _("{place}, {dice}: {done}, {grade}.", fields);
  if (each.grade === "tied") return _("{place}, {dice}: {done}, {grade} as {best}.", fields);
  return _("{place}, {dice}: {done}, {grade}, lost {loss}. Best: {best}.", fields);
}

const chipOf = (each) =>
  each.grade === "best" || each.grade === "tied"
    ? gradeChip(each.grade)
    : gradeChip(
        each.grade,
        _("{grade}, −{loss}", { grade: gradeName(each.grade), loss: pointsText(each.loss) }),
      );

// What was chosen in a position that is shown on the table.
export const choiceLine = (each, spec) => [
  element("span", {}, _("Played: {action}", { action: actionText(each.done, spec) })),
  " ",
  chipOf(each),
];

// What is best, large, and what was played instead; where that was best it stands alone.
function choicesView(each, spec) {
  const choice = (label, action, kind, chip = "") =>
    element(
      "div",
      { class: `choice ${kind}` },
      element("span", { class: "label" }, label),
      diceRow(each.dice, keptDice(each.dice, action)),
      element(
        "span",
        { class: "what" },
        element("span", { class: "action" }, actionTitle(action, spec)),
        " ",
        chip,
      ),
    );
  return each.grade === "best"
    ? [choice(_("Played"), each.done, "large", chipOf(each))]
    : [
        choice(_("Best"), each.best, "large"),
        choice(_("Played"), each.done, "instead-of", chipOf(each)),
      ];
}

// `luck` is that of the roll before the decision.
export function decisionView(each, luck, spec, onShow) {
  const choices = [
    ...choicesView(each, spec),
    element(
      "p",
      { class: "hint" },
      each.rolls_left
        ? _("Luck of this roll: {luck} points. Rolls left: {left}.", {
            luck: signedText(luck),
            left: formatNumber(each.rolls_left),
          })
        : _("Luck of this roll: {luck} points. No rolls left.", { luck: signedText(luck) }),
    ),
  ];
  const why = each.done.outlook
    ? element("details", {}, element("summary", {}, _("Why")), comparison(each, spec))
    : "";
  return [
    element("div", { class: "felt-panel" }, ...choices),
    element("div", { class: "more" }, button(_("Show this position"), onShow), why),
  ];
}

// The best action and the one taken: points now and later, the bonus, and the categories in which the turn ends.
function comparison(each, spec) {
  const sides = [each.best.outlook, each.done.outlook];
  const row = (name, value) => [name, ...sides.map(value)];
  const rows = [row(_("Points this turn"), (side) => formatNumber(side.turn_points, 1))];
  if (sides.every((side) => side.later_points != null))
    rows.push(row(_("Points later"), (side) => formatNumber(side.later_points, 1)));
  if (sides.every((side) => side.bonus_chance != null))
    rows.push(row(_("Upper bonus"), (side) => formatPercent(side.bonus_chance, 1)));
  const chances = sides.map((side) =>
    Object.fromEntries(side.categories.map(([id, chance]) => [id, chance])),
  );
  const largest = (id) => Math.max(...chances.map((side) => side[id] || 0));
  const likely = Object.keys({ ...chances[0], ...chances[1] }).sort(
    (a, b) => largest(b) - largest(a),
  );
  if (likely.length > 1) {
    for (const id of likely.slice(0, LISTED_CATEGORIES)) {
      rows.push([
        _("Ends in {category}", { category: categoryName(id, spec) }),
        ...chances.map((side) => formatPercent(side[id] || 0, 1)),
      ]);
    }
  }
  return table(
    _("Best and played compared"),
    [
      _("On average"),
      _("Best: {action}", { action: actionText(each.best, spec) }),
      _("Played: {action}", { action: actionText(each.done, spec) }),
    ],
    rows,
  );
}

// --- all decisions, turn by turn: small dice, what was done, its grade and what it lost ---

// `turns` are those of the player; `onChoose` is called with the index of a decision. Returns the list; `list.mark(i)`
// marks a decision and brings it into view.
export function decisionList(found, turns, spec, onChoose) {
  const items = [],
    rows = [];
  found.decisions.forEach((each, i) => {
    const turn = turns[each.turn - 1];
    if (i === 0 || found.decisions[i - 1].turn !== each.turn)
      items.push(turnItem(each.turn, turn, spec));
    const row = decisionRow(each, spec, () => onChoose(i));
    rows.push(row);
    items[items.length - 1].querySelector("ol").append(element("li", { class: each.grade }, row));
  });
  const list = element("ol", { class: "turns", "aria-label": _("All decisions") }, ...items);
  let marked = null;
  list.mark = (i) => {
    marked?.removeAttribute("aria-current");
    marked = rows[i];
    marked?.setAttribute("aria-current", "true");
    // Only the list scrolls, never the page.
    if (!marked || !list.clientHeight) return;
    const top = marked.offsetTop, // in the list, which has a position
      bottom = top + marked.offsetHeight;
    if (top < list.scrollTop) list.scrollTop = top - 30;
    else if (bottom > list.scrollTop + list.clientHeight)
      list.scrollTop = bottom - list.clientHeight + 10;
  };
  return list;
}

function turnItem(number, turn, spec) {
  const points = turn.points + (turn.bonus_points || 0);
  const head = _("Turn {turn}: {category}, {points}", {
    turn: formatNumber(number),
    category: categoryName(turn.category, spec),
    points: formatNumber(points),
  });
  return element("li", {}, element("h4", {}, head), element("ol", {}));
}

function decisionRow(each, spec, onClick) {
  const isBest = each.grade === "best" || each.grade === "tied";
  const bar = element("span", {
    class: each.grade,
    style: `width: ${(isBest ? 0 : 100 * barShare(each.loss)).toFixed(0)}%`,
  });
  const instead = isBest
    ? ""
    : element(
        "span",
        { class: "instead" },
        _("{grade}; best: {action}", {
          grade: gradeName(each.grade),
          action: actionText(each.best, spec),
        }),
      );
  return button(
    [
      element("span", { class: "unseen" }, `${placeText(each.turn, each.roll)}: `),
      diceRow(each.dice, keptDice(each.dice, each.done)),
      " ",
      element("span", { class: "action" }, actionTitle(each.done, spec), " ", instead),
      " ",
      element("span", { class: "loss-bar" }, bar),
      isBest
        ? gradeChip(each.grade)
        : gradeChip(each.grade, _("−{points}", { points: pointsText(each.loss) })),
    ],
    onClick,
    { class: "decision" },
  );
}
