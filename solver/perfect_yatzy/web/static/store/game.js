// The course of a game on the page: rolls by the page or by real dice, holds, boxes taken, whose turn it is, its record.
import { diceText } from "../words/dom.js";
import { _, formatNumber, ngettext } from "../words/i18n.js";
import {
  categoryName,
  hasAllDice,
  isCardFull,
  isFull,
  change,
  maxRerolls,
  me,
  redraw,
  rules,
  showNotice,
  state,
  totals,
} from "./state.js";

const CLEAR_LOSS = 0.4,
  BLUNDER = 1.7; // points: a hold that loses less is assumed without a question; one that loses more hardly ever
const MAX_GUESSES = 4;
const SAME_ROLL_MS = 1500; // dice entered in quicker succession are of one roll: nobody throws dice so fast

export const sorted = (dice) => [...dice].sort((a, b) => a - b);
export const randomFraction = () => crypto.getRandomValues(new Uint32Array(1))[0] / 2 ** 32;

export const isTurnStart = () => !state.dice.length && !state.rolls.length;

// Which of the dice a hold keeps, die by die.
export function marksOf(dice, hold) {
  const rest = [...hold];
  return dice.map((face) => {
    const at = rest.indexOf(face);
    if (at >= 0) rest.splice(at, 1);
    return at >= 0;
  });
}

// Whether some dice are among others, counting equal ones.
export const isWithin = (part, dice) => marksOf(dice, part).filter(Boolean).length === part.length;

// --- rolls ---

// `known` is the advice on what to hold, if a player enters the next roll; null where the page rolls or there is none.
function beginRoll(s, hold, known = null) {
  s.rolls.push(sorted(s.dice));
  s.holds.push(hold && sorted(hold)); // null until the next roll shows it
  s.left -= 1;
  s.dice = hold ? sorted(hold) : [];
  s.held = s.dice.map(() => true);
  s.fixed = s.dice.length;
  s.assumed = known && !s.chosen ? s.fixed : 0;
  Object.assign(s, { chosen: false, guess: null, knownHolds: known });
}

function endRoll(s) {
  s.held = s.dice.map(() => false);
  s.chosen = false;
}

// Rolls the dice that are missing. The phone answers like a table.
function rollHere(s) {
  s.dice = rollOf(s.dice, s.rolls.length + 1);
  Object.assign(s, { typed: false, flow: null });
  navigator.vibrate?.(10);
  endRoll(s);
}

// What each die shows in a turn and a roll, from 1, where a text fixes the dice of a game for everybody.
let sameDice = null;
export const provideSameDice = (faces) => {
  sameDice = faces;
};

// All dice after rolling those that are not held. The dice held lie first; where all get the same dice, each place after
// them has one face in a roll.
export const rollOf = (hold, roll) => [
  ...hold,
  ...(state.sameDice
    ? sameDice(state.sameDice, Object.keys(me().card).length + 1, roll, rules()).slice(hold.length)
    : Array.from(
        { length: rules().dice - hold.length },
        () => 1 + Math.floor(randomFraction() * rules().faces),
      )),
];

export function firstRoll() {
  if (isTurnStart() && !me().computer) change(rollHere);
}

// Keeps a hold and rolls the other dice here.
export const holdAndRoll = (hold) =>
  change((s) => {
    beginRoll(s, hold);
    rollHere(s);
  });

// The holds of a position with their losses, best first; the hold that the page marks while the player has marked none; the box
// that it advises to take. Null while there is no such advice.
const advice = { holds: () => null, markedHold: () => null, box: () => null };
export const provideAdvice = (sources) => Object.assign(advice, sources);

// Which dice are kept if the player goes on: those marked by the player, else those that the page marks.
export const keptMarks = () =>
  state.chosen ? state.held : marksOf(state.dice, advice.markedHold() || []);

export const advisedBox = () => (hasAllDice() && !state.chosen ? advice.box() : null);

let lastEntryAt = -Infinity;

// Adds a die that a player has rolled. Over full dice it accepts the advice: it takes the box that is advised and begins the
// next turn, or it begins the next roll, and the dice marked as kept stay.
export function addDie(face) {
  if (isCardFull() || me().computer) return;
  if (changing() !== null) {
    changeDie(changing(), face);
    return;
  }
  chosenDie = null; // it was removed
  const holds = advice.holds(),
    isFlowing = performance.now() - lastEntryAt < SAME_ROLL_MS;
  lastEntryAt = performance.now();
  const marks = keptMarks(),
    marked = state.dice.filter((_die, i) => marks[i]);
  const kept = (state.chosen || marked.length) && marked.length < rules().dice ? marked : null; // null: the next roll shows it
  const flow = flowOf(face, isFlowing, holds, kept),
    reading = flow && readingOf(flow);
  const box = isFlowing ? null : advisedBox();
  if (box) {
    takeCategory(box, face);
    return;
  }
  if (hasAllDice() && state.left === 0 && !reading) {
    showNotice(_("No roll is left in this turn: take a box of the card first."));
    return;
  }
  const isPutAside = hasAllDice() && !marked.length && holds?.[0]?.hold.length; // some would have been kept
  const text =
    reading === "one"
      ? _("Read as one roll of {count} dice. Undo takes the last one back.", {
          count: flow.typed.length,
        })
      : hasAllDice() && (reading || isPutAside)
        ? _("A new roll. Undo brings {dice} back.", { dice: diceText(state.dice) })
        : "";
  change((s) => {
    s.flow = reading ? flow : null;
    if (reading) {
      readAs(s, reading, flow);
      return;
    }
    if (hasAllDice()) beginRoll(s, kept, holds);
    enter(s, face);
  }, text);
}

function enter(s, ...faces) {
  s.typed = true;
  s.dice.push(...faces);
  s.held.push(...faces.map(() => false));
  if (hasAllDice()) completeRoll(s);
}

// --- more dice than are due ---

// Dice typed on over a roll whose kept dice the page has marked, without a pause or before there is advice: how the turn stood
// before that, how many dice were kept, all dice typed since then; what is kept next, and the advice for it. Null if it is none.
function flowOf(face, isFlowing, nextHolds, next) {
  const { flow, rolls, holds, left, dice, knownHolds: known, assumed, chosen } = state;
  if (flow && isFlowing && !chosen) return { ...flow, typed: [...flow.typed, face] };
  if (!hasAllDice() || !assumed || chosen || (!isFlowing && nextHolds)) return null;
  return {
    before: { rolls, holds, left, dice, knownHolds: known || [] },
    assumed,
    typed: [...dice.slice(assumed), face],
    next,
    nextHolds,
  };
}

const isTwo = ({ assumed, typed, next }) =>
  Boolean(next?.length) && typed.length + assumed + next.length <= 2 * rules().dice;

// They are "one" roll if the player may have kept fewer dice than marked; else "two", the second over the dice marked next. Too
// many dice for two are one, where the rules allow no third roll.
function readingOf(flow) {
  const free = rules().dice - flow.typed.length;
  const isOne =
    free >= 0 && (!flow.next || heldBefore(flow)[0]?.loss < (free ? BLUNDER : CLEAR_LOSS));
  return isOne ? "one" : isTwo(flow) ? "two" : free >= 0 && flow.before.left < 2 ? "one" : null;
}

// The holds that leave as many dice as were typed, those that lose least first; all dice typed show which fit.
function heldBefore({ before: { rolls, knownHolds }, typed }) {
  const size = rules().dice - typed.length;
  return size
    ? knownHolds.filter(({ hold }) => hold.length === size)
    : possibleHolds(rolls.at(-1), typed, knownHolds);
}

function readAs(s, reading, flow) {
  const { before, assumed, typed, next, nextHolds } = flow;
  Object.assign(s, structuredClone(before), { chosen: false, guess: null });
  if (reading === "two") {
    beginRoll(s, next, nextHolds);
    enter(s, ...typed.slice(before.dice.length - assumed));
    return;
  }
  const size = rules().dice - typed.length,
    choices = size ? heldBefore(flow).map(({ hold }) => hold) : [];
  s.holds[s.holds.length - 1] = size ? choices[0] || before.dice.slice(0, size) : null; // null: all dice entered show it
  s.guess =
    choices.length > 1 ? { choices: choices.slice(0, MAX_GUESSES), isUnclear: false } : null;
  s.assumed = s.fixed = size;
  s.dice = [...(s.holds.at(-1) || []), ...typed];
  completeRoll(s);
}

// One roll that may have been two after all; the player says so.
export const canBeTwo = () =>
  Boolean(state.flow) && state.rolls.length === state.flow.before.rolls.length && isTwo(state.flow);
export const readAsTwo = () =>
  change((s) => {
    readAs(s, "two", s.flow);
    s.flow = null;
  });

// --- correcting a die ---

// While dice are entered and after the last roll none can be held; a tap chooses one, and the next key says what it shows.
let chosenDie = null;
export const canChange = (at = state.dice.length - 1) =>
  hasAllDice() ? state.left === 0 && (state.typed || !state.rolls.length) : at >= state.fixed;
export const changing = () =>
  chosenDie?.at < state.dice.length &&
  canChange(chosenDie.at) &&
  chosenDie.rolls === state.rolls.length &&
  chosenDie.turn === state.turns.length
    ? chosenDie.at
    : null;

export function chooseToChange(at) {
  chosenDie =
    changing() === at ? null : { at, rolls: state.rolls.length, turn: state.turns.length };
  redraw();
}

function changeDie(at, face) {
  chosenDie = null;
  change((s) => {
    s.dice[at] = face;
    if (at < s.fixed) s.fixed = s.assumed = 0;
    Object.assign(s, { guess: null, flow: null });
    if (hasAllDice()) completeRoll(s);
  });
}

// A roll that is entered shows which dice were held before it, where the player has not said so.
function completeRoll(s) {
  endRoll(s);
  const last = s.holds.length - 1;
  if (last < 0) return;
  const hold = s.holds[last];
  if (hold && isWithin(hold, s.dice)) return; // known holds stay: more dice may follow
  const choices = possibleHolds(s.rolls[last], s.dice, s.knownHolds || []);
  s.holds[last] = choices[0].hold;
  s.guess =
    choices.length > 1
      ? {
          choices: choices.slice(0, MAX_GUESSES).map((each) => each.hold),
          isUnclear: choices[0].loss >= CLEAR_LOSS,
        }
      : null;
  s.knownHolds = null;
}

// The holds that fit two rolls, the most likely first: those that lose least, else those that keep most dice.
function possibleHolds(before, after, known) {
  const common = before.filter(
    (face, i) =>
      before.slice(0, i + 1).filter((each) => each === face).length <=
      after.filter((each) => each === face).length,
  );
  const found = new Map();
  for (let bits = 0; bits < 2 ** common.length; bits++) {
    const hold = common.filter((_face, i) => bits & (2 ** i));
    if (hold.length === before.length) continue; // all dice held is no roll
    const loss =
      known.find((each) => String(each.hold) === String(hold))?.loss ?? before.length - hold.length;
    found.set(String(hold), { hold, loss });
  }
  return [...found.values()].sort((a, b) => a.loss - b.loss);
}

// Corrects the hold that was assumed before the roll on the table.
export function setGuessedHold(hold) {
  change((s) => {
    s.holds[s.holds.length - 1] = hold;
    if (s.assumed) s.dice = [...hold, ...s.dice.slice(s.assumed)];
    Object.assign(s, { guess: s.guess && { ...s.guess, isUnclear: false }, flow: null });
  });
}

// Leaves some of the dice on the table. Those kept before this roll are the first ones.
const leaveDice = (count) =>
  change((s) => {
    s.dice.length = count;
    if (!count) s.fixed = s.assumed = 0;
    Object.assign(s, {
      held: s.dice.map((_die, i) => i < s.fixed),
      chosen: false,
      guess: null,
      flow: null,
    });
  });

// Removes the die entered last. Those kept before this roll stay: Undo goes back to the roll before.
export const canRemoveDie = () => state.dice.length > state.fixed;
export function removeDie() {
  if (canRemoveDie()) leaveDice(state.dice.length - 1);
}

// Removes the dice of this roll that were entered, then those kept before it.
export function clearDice() {
  if (state.dice.length) leaveDice(canRemoveDie() ? state.fixed : 0);
}

export const forgetChoice = () =>
  change((s) => {
    s.held = s.dice.map(() => false);
    s.chosen = false;
  });

export function toggleHeld(at) {
  if (!hasAllDice() || state.left === 0) return;
  const marks = keptMarks();
  change((s) => {
    s.held = marks.map((isKept, i) => (i === at ? !isKept : isKept));
    s.chosen = true;
  });
}

export function markHold(hold) {
  change((s) => {
    s.held = marksOf(s.dice, hold);
    s.chosen = true;
  });
}

// --- turns ---

// The next player with open boxes; the same one if there is no other.
function nextPlayer() {
  const count = state.players.length;
  for (let step = 1; step <= count; step++) {
    const at = (state.player + step) % count;
    if (!isFull(state.players[at])) return at;
  }
  return state.player;
}

// Whether the rolls of this turn are those that the rerolls left say.
export const isTurnComplete = () => state.left === maxRerolls() - state.rolls.length;

// What taking a box makes, as sentences: its points, and the total.
export function takenTexts({ category, points, bonus_points: bonus = 0 }) {
  const { card, bonusPoints } = me(),
    after = totals({ card: { ...card, [category]: points }, bonusPoints: bonusPoints + bonus });
  return [
    ngettext("{box}: {count} point.", "{box}: {count} points.", points + bonus, {
      box: categoryName(category),
      count: formatNumber(points + bonus),
    }),
    _("Total {points}.", { points: formatNumber(after.all) }),
  ];
}

// Ends the turn with a category of the answer to `score`; `face` is the first die of the next turn, if that is how the player goes on.
// Rerolls left count: some rules save them, some pay for a first roll.
export function takeCategory(entry, face = 0) {
  const taken = face ? takenTexts(entry) : [],
    text =
      isTurnComplete() || state.edited
        ? ""
        : _(
            "The rerolls left were set by hand: the game played here can no longer be reviewed; Undo restores it.",
          );
  change(
    (s) => {
      if (text) s.edited = true;
      endTurn(s, { rolls: [...s.rolls, sorted(s.dice)], holds: s.holds }, entry, s.left);
      if (face && !isCardFull()) enter(s, face);
    },
    [...taken, text].filter(Boolean).join(" "),
  );
}

// Writes a box into the card and the turn into the record.
function endTurn(s, { rolls, holds }, { category, points, bonus_points: bonus = 0 }, left) {
  const turn = { player: s.player, rolls, holds, category, points };
  if (bonus) turn.bonus_points = bonus;
  s.date ||= new Date().toISOString().slice(0, 19) + "Z";
  s.turns.push(turn);
  const player = s.players[s.player];
  player.card[category] = points;
  player.bonusPoints += bonus;
  if (rules().saved_rolls) player.saved = left;
  beginTurn(s);
}

// The turn that a computer has played.
export const computerTurn = (s, { rolls, holds, dice, box, left }) =>
  endTurn(s, { rolls: [...rolls, dice], holds }, box, left);

function beginTurn(s) {
  s.player = nextPlayer();
  Object.assign(s, {
    dice: [],
    held: [],
    chosen: false,
    rolls: [],
    holds: [],
    fixed: 0,
    assumed: 0,
    knownHolds: null,
    flow: null,
    guess: null,
    left: maxRerolls(),
  });
}

// Where a card was filled by hand, the next player goes on.
export const passTurn = () => change(beginTurn);

// --- the record ---

// Whether the game so far has a record: every turn was played on the page.
export const hasRecord = () => state.turns.length > 0 && !state.edited;
export const personsOf = (players) => players.filter(({ computer }) => !computer);
export const playerName = (at, { players } = state) =>
  players[at].name || (players.length > 1 ? _("Player {number}", { number: at + 1 }) : _("You"));

// The game in the format of `yatzy play`, all players in it.
export const gameRecord = () => ({
  schema: 2,
  rules: state.rules,
  players: state.players.map((_player, at) => playerName(at)),
  source: "page",
  ...(state.players.some(({ computer }) => computer)
    ? { computers: state.players.map(({ computer = "" }) => computer) }
    : {}),
  ...(state.date ? { date: state.date } : {}),
  ...(state.sameDice ? { same_dice: state.sameDice } : {}),
  turns: state.turns,
});

export const isGameStarted = () =>
  (state.dice.length && state.visits !== "example") ||
  state.turns.length ||
  state.players.some((player) => Object.keys(player.card).length);
