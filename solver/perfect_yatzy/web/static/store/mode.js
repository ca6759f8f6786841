// The two ways to play, asked once: the page rolls ("here"), or the player has dice ("real").
import { state } from "./state.js";
import { store, stored } from "./storage.js";

const KEY = "perfect-yatzy-dice";
let chosen = stored(KEY);

const isBlank = () =>
  !state.turns.length &&
  !state.dice.length &&
  !state.rolls.length &&
  state.players.every((player) => !Object.keys(player.card).length);

// Empty until it is asked; a position that was opened before shows what it needs.
export const mode = () => chosen ?? (isBlank() ? "" : state.typed ? "real" : "here");

export function setMode(way) {
  chosen = way;
  store(KEY, way);
}
