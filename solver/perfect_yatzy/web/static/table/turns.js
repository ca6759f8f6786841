// The turns of the game so far, the latest first. Beside the table of a desk they stand where the advice stands, before a roll.
import { boxTitle } from "./advice-text.js";
import { playerName } from "../store/game.js";
import { state } from "../store/state.js";
import { byId, diceRow, element } from "../words/dom.js";
import { _, formatNumber, language } from "../words/i18n.js";

const SHOWN = 6;
let drawnFor = "";

export function drawTurns(isShown) {
  const box = byId("so-far"),
    names = state.players.map((_player, i) => playerName(i)),
    key = isShown ? JSON.stringify([state.turns, names, state.rules, language]) : "";
  box.hidden = !isShown;
  if (key === drawnFor) return;
  drawnFor = key;
  box.replaceChildren(...(!isShown ? [] : state.turns.length ? turnList() : firstWords()));
}

const firstWords = () => [
  element(
    "p",
    { class: "lead" },
    _("Every roll has one best choice: play, and see what yours is worth."),
  ),
  element(
    "ol",
    { class: "steps" },
    ...[
      _("The page marks the dice to keep; a tap on a die changes that."),
      _("The large button plays it; a tap on a box takes that box."),
      _("Here stands why, and what every other choice loses."),
    ].map((step, i) =>
      element("li", {}, element("span", { class: "number" }, formatNumber(i + 1)), step),
    ),
  ),
  element("p", { class: "hint" }, byId("keys-hint").textContent),
];

function turnList() {
  const isAlone = state.players.length === 1,
    numbers = state.players.map(() => 0); // of the turns of each player
  const rows = state.turns.map(({ player, rolls, category, points, bonus_points }) =>
    element(
      "li",
      {},
      element("span", { class: "number" }, formatNumber((numbers[player] += 1))),
      isAlone ? "" : element("span", { class: "who" }, playerName(player)),
      diceRow([...(rolls.at(-1) ?? [])].sort((a, b) => a - b)),
      element("span", { class: "what" }, boxTitle({ category, points, bonus_points })),
    ),
  );
  return [
    element("h3", {}, _("The turns so far")),
    element("ol", {}, ...rows.slice(-SHOWN).reverse()),
  ];
}
