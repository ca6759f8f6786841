// Entry point: loads what every part needs, then starts the page. The parts register what they draw with `onDraw`.
import "./theme.js";
// The header draws first: others read out its line.
import { drawLanguages } from "./header.js";
import "./aim.js";
import "./rules.js";
import "../table/dice.js";
import "../table/card.js";
import "../table/advice.js";
import "../table/players.js";
import "../table/challenge.js";
import "../table/keys.js";
import "../puzzle/today.js";
import "../puzzle/training.js";
import { learnToCount } from "../table/asking.js";
import { button, byId, diceRow, element } from "../words/dom.js";
import { marksOf } from "../store/game.js";
import { _, formatNumber } from "../words/i18n.js";
import { isCardFull, onDraw, redraw, showPosition, start, state } from "../store/state.js";

const RETRY_MS = 5000,
  COUNT_AFTER_MS = 500; // what may be needed later waits until the first answers are there

// An example for those who want to see what the page does; a test asks for its answer.
const EXAMPLE = { dice: [2, 5, 5, 5, 1], kept: [5, 5, 5], value: 254.19 };
byId("example").append(diceRow(EXAMPLE.dice, marksOf(EXAMPLE.dice, EXAMPLE.kept)));
byId("example").addEventListener("click", () =>
  showPosition(
    { rules: "yatzy", card: {}, dice: EXAMPLE.dice, left: 2, visits: "example" },
    _("An example; Undo goes back to your own game."),
  ),
);

onDraw(() => {
  setTimeout(() => learnToCount(state.rules), COUNT_AFTER_MS);
  byId("example-value").textContent = formatNumber(EXAMPLE.value, 2);
  byId("start").classList.toggle(
    "other-rules",
    state.rules !== "yatzy" || state.objective !== "mean",
  );
});

// What the first roll does not need is loaded after the page is shown.
const loadRest = () =>
  Promise.all([
    import("../review/end.js"),
    import("./transfer.js"),
    import("../table/expect.js"),
    import("../review/review.js"),
    import("../statistics/statistics.js"),
  ]).catch(() => new Promise((resolve) => setTimeout(resolve, RETRY_MS)).then(loadRest));

let timer = 0;
async function load() {
  clearTimeout(timer);
  try {
    await drawLanguages();
    await start();
  } catch (error) {
    byId("loading").replaceChildren(
      element("p", { class: "error", role: "alert" }, error.message),
      button(_("Try again"), load),
    );
    timer = setTimeout(load, RETRY_MS);
    return;
  }
  byId("loading").hidden = true;
  byId("page").hidden = byId("bar").hidden = false;
  redraw(); // charts need their width
  await loadRest();
  redraw();
  document.documentElement.dataset.ready = ""; // for tests, and for programs that print the page
}

load();

// The screen stays on while real dice are played.
let wakeLock = null;
onDraw(() => {
  const isWanted = state.typed && !isCardFull();
  if (isWanted && !wakeLock && document.visibilityState === "visible")
    wakeLock = navigator.wakeLock?.request("screen").then(
      (lock) => {
        lock.addEventListener("release", () => {
          wakeLock = null;
        });
        return lock;
      },
      () => null,
    );
  else if (!isWanted && wakeLock) {
    wakeLock.then((lock) => lock?.release());
    wakeLock = null;
  }
});
