// The scorecard of a position that is not on the table: filled boxes with their points, open ones with those of the roll.
import { actionText } from "../table/actions.js";
import { button, element } from "../words/dom.js";
import { _, formatNumber } from "../words/i18n.js";
import { totals } from "../store/state.js";

// `position` has the fields of a question; `options` are the boxes of an answer to `score`. With `onTake` open boxes are buttons.
// As in a game, upper boxes and the sum of them are on the left.
export function cardView(rules, position, options, onTake = null) {
  const nameOf = (category) => element("span", { class: "name" }, category.name);
  const cellOf = (category) => {
    const points = position.card[category.id],
      option = options.find((each) => !each.hold && each.category === category.id);
    if (points !== undefined)
      return element(
        "li",
        { class: "row filled" },
        nameOf(category),
        " ",
        element("span", { class: "points" }, formatNumber(points)),
      );
    if (!option)
      return element("li", {}, nameOf(category), " ", element("span", { class: "points" }, "·"));
    const text = option.bonus_points
      ? `${formatNumber(option.points)} + ${formatNumber(option.bonus_points)}`
      : option.points
        ? formatNumber(option.points)
        : "·";
    const parts = [
      nameOf(category),
      " ",
      element("span", { class: "points now" + (option.points ? "" : " zero") }, text),
    ];
    if (!onTake) return element("li", { class: "open", "data-box": category.id }, ...parts);
    return element(
      "li",
      { class: "open" },
      button(parts, () => onTake(option), {
        "data-box": category.id,
        title: actionText(option, position.rules),
      }),
    );
  };
  const side = (isUpper, ...sums) =>
    element(
      "ul",
      { "aria-label": isUpper ? _("Upper boxes") : _("Other boxes") },
      ...rules.categories.filter((category) => Boolean(category.upper) === isUpper).map(cellOf),
      ...sums,
    );
  const { columns, all } = totals({ ...position, bonusPoints: position.bonus_points || 0 }, rules);
  const sums = columns.map(({ sum, next: [threshold] }) =>
    // the way to the bonus, on which much depends
    element(
      "li",
      { class: "upper-sum" },
      _("Upper {sum} of {threshold}", {
        sum: formatNumber(sum),
        threshold: formatNumber(threshold),
      }),
    ),
  );
  const total = element(
    "li",
    { class: "total" },
    element("span", { class: "name" }, _("Total")),
    " ",
    element("span", { class: "points" }, formatNumber(all)),
  );
  return element(
    "div",
    { class: "exercise-card", role: "group", "aria-label": _("Score card") },
    side(true, ...sums, total),
    side(false),
  );
}
