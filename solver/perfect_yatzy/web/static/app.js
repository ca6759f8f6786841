// Entry point: loads what every part needs, then starts the page. The parts register what they draw with `onDraw`.
import "./theme.js";
import "./dice.js";
import "./card.js";
import "./advice.js";
import "./players.js";
import "./transfer.js";
import "./keys.js";
import "./expect.js";
import "./review.js";
import "./training.js";
import { drawRuleMenu } from "./header.js";
import { button, byId, element } from "./dom.js";
import { _ } from "./i18n.js";
import { ruleSets } from "./rulesets.js";
import { redraw, showPosition, start } from "./state.js";

const RETRY_MS = 5000;

// An example for those who want to see what the page does.
byId("example").addEventListener("click", () => showPosition({ rules: "yatzy", card: { ones: 3, sixes: 24, chance: 22 }, dice: [3, 3, 4, 5, 6], left: 2 },
  _("An example; Undo goes back to your own game.")));

async function load() {
  try {
    await drawRuleMenu();
    byId("example").hidden = !ruleSets.some((each) => each.id === "yatzy");
    await start();
  } catch (error) {
    byId("loading").replaceChildren(element("p", { class: "error", role: "alert" }, error.message), button(_("Try again"), retry));
    timer = setTimeout(retry, RETRY_MS);
    return;
  }
  byId("loading").hidden = true;
  byId("page").hidden = byId("bar").hidden = false;
  redraw(); // charts need their width
  document.documentElement.dataset.ready = ""; // for tests, and for programs that print the page
}

let timer = 0;
function retry() {
  clearTimeout(timer);
  load();
}

byId("loading").hidden = false; // without scripts another text is shown
load();
