// The course of a game on the page: rolls, holds, boxes taken, whose turn it is, and its record.
import { hasAllDice, heldDice, isCardFull, isFull, change, maxRerolls, me, rules, state } from "./state.js";
import { _ } from "./i18n.js";

const sorted = (dice) => [...dice].sort((a, b) => a - b);
const randomFraction = () => crypto.getRandomValues(new Uint32Array(1))[0] / 2 ** 32;

// Holds the marked dice and rolls the others; with `random` false the player enters them.
export function reroll(random) {
  change((s) => {
    const held = s.dice.filter((_, i) => s.held[i]);
    if (hasAllDice()) {
      s.rolls.push(sorted(s.dice));
      s.holds.push(sorted(held));
      s.left -= 1;
    } else held.length = 0;
    s.dice = [...held];
    if (random) while (s.dice.length < rules().dice) s.dice.push(1 + Math.floor(randomFraction() * rules().faces));
    s.held = s.dice.map((_, i) => i < held.length);
  });
}

export const isTurnStart = () => !state.dice.length && !state.rolls.length;
export const canReroll = () => hasAllDice() && state.left > 0 && heldDice().length < rules().dice;

// The next player with open boxes; the same one if there is no other.
function nextPlayer() {
  const count = state.players.length;
  for (let step = 1; step <= count; step++) {
    const at = (state.player + step) % count;
    if (!isFull(state.players[at])) return at;
  }
  return state.player;
}

// Ends the turn with a category of the answer to `score`. Rerolls left count: some rules save them, some pay for a first roll.
export function takeCategory(entry) {
  const isConsistent = state.left === maxRerolls() - state.rolls.length;
  const text = isConsistent || state.edited ? "" :
    _("The rerolls left were set by hand: the game played here can no longer be reviewed; Undo restores it.");
  change((s) => {
    const turn = { player: s.player, rolls: [...s.rolls, sorted(s.dice)], holds: s.holds, category: entry.category, points: entry.points };
    if (entry.bonus_points) turn.bonus_points = entry.bonus_points;
    if (!isConsistent) s.edited = true;
    s.turns.push(turn);
    const player = s.players[s.player];
    player.card[entry.category] = entry.points;
    player.bonusPoints += entry.bonus_points;
    if (rules().saved_rolls) player.saved = s.left;
    s.player = nextPlayer();
    Object.assign(s, { dice: [], held: [], chosen: false, rolls: [], holds: [], left: maxRerolls() });
  }, text);
}

// Whether the game so far has a record: every turn was played on the page.
export const hasRecord = () => state.turns.length > 0 && !state.edited;
export const playerName = (at) => state.players[at].name || (state.players.length > 1 ? _("Player {number}", { number: at + 1 }) : _("You"));

// The game in the format of `yatzy play`, all players in it.
export const gameRecord = () =>
  ({ schema: 2, rules: state.rules, players: state.players.map((_, at) => playerName(at)), source: "page", turns: state.turns });
