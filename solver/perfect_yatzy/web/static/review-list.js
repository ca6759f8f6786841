// All decisions of a review, turn by turn: small dice, what was done, its grade and what it lost.
import { actionText, actionTitle, keptDice, placeText } from "./actions.js";
import { diceRow, element } from "./dom.js";
import { barShare, gradeChip, gradeName, pointsText } from "./grades.js";
import { _, formatNumber } from "./i18n.js";
import { categoryName } from "./state.js";

// `turns` are those of the player; `onChoose` is called with the index of a decision. Returns the list; `list.mark(i)`
// marks a decision and brings it into view.
export function decisionList(found, turns, spec, onChoose) {
  const items = [], rows = [];
  found.decisions.forEach((each, i) => {
    const turn = turns[each.turn - 1];
    if (i === 0 || found.decisions[i - 1].turn !== each.turn) items.push(turnItem(each.turn, turn, spec));
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
    const top = marked.offsetTop - list.offsetTop, bottom = top + marked.offsetHeight;
    if (top < list.scrollTop) list.scrollTop = top - 30;
    else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight + 10;
  };
  return list;
}

function turnItem(number, turn, spec) {
  const points = turn.points + (turn.bonus_points || 0);
  const head = _("Turn {turn}: {category}, {points}", { turn: formatNumber(number), category: categoryName(turn.category, spec), points: formatNumber(points) });
  return element("li", {}, element("h4", {}, head), element("ol", {}));
}

function decisionRow(each, spec, onClick) {
  const isBest = each.grade === "best" || each.grade === "tied";
  const bar = element("span", { class: each.grade });
  bar.style.width = `${(isBest ? 0 : 100 * barShare(each.loss)).toFixed(0)}%`;
  const instead = isBest ? "" : element("span", { class: "instead" },
    _("{grade}; best: {action}", { grade: gradeName(each.grade), action: actionText(each.best, spec) }));
  return element("button", { type: "button", class: "decision", on: { click: onClick } },
    element("span", { class: "unseen" }, `${placeText(each.turn, each.roll)}: `),
    diceRow(each.dice, keptDice(each.dice, each.done)), " ",
    element("span", { class: "action" }, actionTitle(each.done, spec), " ", instead), " ",
    element("span", { class: "loss-bar" }, bar),
    isBest ? gradeChip(each.grade) : gradeChip(each.grade, _("−{points}", { points: pointsText(each.loss) })));
}
