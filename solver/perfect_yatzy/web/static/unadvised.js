// Playing on without advice: the points of each box without the value of taking it, and the question for the points where
// nobody can count them, such as while the server is away.
import { ask, isInBrowser } from "./ask.js";
import { button, element } from "./dom.js";
import { _, formatNumber } from "./i18n.js";
import { categoryName, me, position, rules, state } from "./state.js";

// The boxes that may be taken, as in the answer to `score`; their `points` are missing if nobody can count them.
export async function boxesWithoutAdvice(signal) {
  const body = { ...position(), dice: state.dice, rolls_left: state.left };
  const found = await ask(isInBrowser ? "score" : "points", body, { signal }).catch(() => null);
  if (found) return found.categories;
  const open = rules().categories.filter((category) => !(category.id in me().card));
  return (rules().forced ? open.slice(0, 1) : open).map((category) => ({ category: category.id }));
}

// Asks the player for the points of a box; resolves to a number, or null if the box is not taken.
export function askPoints(category) {
  const { points } = rules().categories.find((each) => each.id === category), fields = { box: categoryName(category) };
  return new Promise((resolve) => {
    const before = document.activeElement;
    const choice = element("select", { id: "points-of-box" }, ...[...points].sort((a, b) => b - a).map((each) => element("option", { value: each }, formatNumber(each))));
    const dialog = element("dialog", { id: "points-dialog", "aria-labelledby": "points-title" },
      element("h2", { id: "points-title" }, _("Points for {box}", fields)),
      element("p", {}, element("label", { for: "points-of-box" }, _("Without advice the page does not count them.")), " ", choice),
      element("p", { class: "choices" }, button(_("Enter"), () => dialog.close("yes"), { class: "primary" }), button(_("Cancel"), () => dialog.close(""))));
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (before?.isConnected) before.focus();
      resolve(dialog.returnValue === "yes" ? Number(choice.value) : null);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
