// The map: every roll that may follow a hold, best first. It is asked for only while it is open.
import { ask, latestOnly } from "../store/ask.js";
import { byId, diceRow, diceText, table } from "../words/dom.js";
import { _, formatNumber, formatPercent, language, ngettext } from "../words/i18n.js";
import { position, state } from "../store/state.js";

const newRequest = latestOnly();
let hold = null,
  drawnKey = "";

export function hideMap() {
  hold = null;
  byId("map").hidden = true;
  newRequest();
}

export function drawMap(shown) {
  hold = shown;
  byId("map").hidden = false;
  byId("map-title").textContent = hold.length
    ? _("Next rolls after holding {dice}", { dice: diceText(hold) })
    : _("Next rolls after holding nothing");
  if (byId("map").open) requestRolls();
}

async function requestRolls() {
  const body = { ...position(), hold, rolls_left: state.left },
    key = JSON.stringify([body, language]);
  if (key === drawnKey) return;
  const signal = newRequest();
  byId("map-rolls").classList.add("stale");
  try {
    const found = await ask("outcomes", body, { signal });
    if (signal.aborted) return;
    drawnKey = key;
    const rows = found.outcomes.map((each) => [
      diceRow(each.rolled),
      formatNumber(each.expected_final_score, 2),
      formatPercent(each.chance),
    ]);
    const rolls = ngettext("{count} roll, best first", "{count} rolls, best first", rows.length, {
      count: formatNumber(rows.length),
    });
    byId("map-rolls").replaceChildren(table(rolls, [_("Rolled"), _("Average"), _("Chance")], rows));
    byId("map-rolls").scrollTop = 0;
  } catch (error) {
    if (signal.aborted) return;
    byId("map-rolls").textContent = error.message;
  }
  byId("map-rolls").classList.remove("stale");
}

byId("map").addEventListener("toggle", () => {
  if (byId("map").open && hold) requestRolls();
});
