// The review of a recorded game: luck and errors of every roll and decision (play/review.py and service/reviews.py).
import { Card, readDice } from "./card.js";
import { EngineError, N_ } from "./errors.js";
import { outlook } from "./outlook.js";
import { pause } from "./schedule.js";
import { rankCategories, rankHolds, ranked, Turn } from "./turn.js";

const GRADES = [
    [0.4, "inaccuracy"],
    [1.7, "mistake"],
  ],
  TIE_TOLERANCE = 1e-6,
  MIN_EXPLAINED_LOSS = 0.05;
const SCHEMAS = [1, 2];

export function grade(loss, isFirst) {
  if (loss < TIE_TOLERANCE) return isFirst ? "best" : "tied";
  return GRADES.find(([limit]) => loss < limit)?.[1] ?? "blunder";
}

// All holds and categories for a roll, best first; of equal ones the categories come first.
export function rankedActions(turn, roll, left) {
  const categories = rankCategories(turn, roll, left);
  const holds = left
    ? rankHolds(turn, roll, left, categories[0]).filter((option) => !option.category)
    : [];
  const all = [...categories, ...holds].map((option, place) => ({ ...option, place }));
  return ranked(all, (a, b) => a.place - b.place);
}

const wrong = (number, reason) =>
  new EngineError(
    "error",
    N_("Turn {number} of the record is not possible: {reason}"),
    { number, reason },
    "game",
  );

// The turns of one player with the card before each, checked against the rules.
function readTurns(game, record, player) {
  if (
    !SCHEMAS.includes(record?.schema) ||
    !Array.isArray(record.players) ||
    !Array.isArray(record.turns)
  ) {
    throw new EngineError("error", N_("This is not a record of a game."), {}, "game");
  }
  if (!(player in record.players))
    throw new EngineError("error", N_("There is no such player."), {}, "player");
  let card = new Card(game);
  const found = [];
  record.turns.forEach((turn, i) => {
    if (turn.player !== player) return;
    const number = i + 1,
      rolls = turn.rolls,
      most = game.maxRerolls(card.state) + 1;
    if (card.isFull) throw wrong(number, "game-over");
    if (
      !Array.isArray(rolls) ||
      !rolls.length ||
      rolls.length > most ||
      turn.holds?.length !== rolls.length - 1
    )
      throw wrong(number, "rolls");
    const dice = rolls.map((roll) => readDice(game, roll, "game", game.dice)),
      holds = turn.holds.map((held) => readDice(game, held, "game"));
    holds.forEach((held, k) => {
      if (held.length === game.dice || !isWithin(held, dice[k]) || !isWithin(held, dice[k + 1]))
        throw wrong(number, "holds");
    });
    const roll = game.lattice.index(dice.at(-1)) - game.lattice.firstRoll;
    const outcome = game
      .outcomesOf(card.state, roll, dice.length === 1)
      .find((each) => game.categories[game.outcomes.category[each]].id === turn.category);
    const bonus = turn.bonus_points ?? turn.beside ?? 0;
    if (
      outcome === undefined ||
      game.points(outcome) !== turn.points ||
      game.bonusPoints(outcome) !== bonus
    )
      throw wrong(number, turn.category);
    found.push({ card, dice, holds, outcome });
    card = card.filledWith(outcome, game.saved_rolls ? most - dice.length : 0);
  });
  return [found, card];
}

const isWithin = (held, dice) =>
  held.every(
    (face) => held.filter((f) => f === face).length <= dice.filter((f) => f === face).length,
  );

export async function review(opened, { game: record, player = 0, why = 0 }, signal) {
  const { game, table } = opened,
    [turns, last] = readTurns(game, record, player);
  const decisions = [],
    rolls = [],
    valueAt = (place) => table.at(place),
    empty = game.place(new Card(game).state);
  for (const [i, { card, dice, holds, outcome }] of turns.entries()) {
    await pause(signal);
    const most = game.maxRerolls(card.state),
      turn = new Turn(game, card.state, valueAt);
    await table.load([
      empty,
      game.place(card.state),
      ...Turn.childPlaces(game, card.state, game.saved_rolls ? most : 0),
    ]);
    let value = valueAt(game.place(card.state));
    dice.forEach((roll, k) => {
      const left = most - k,
        actions = rankedActions(turn, game.lattice.index(roll) - game.lattice.firstRoll, left);
      rolls.push({ turn: i + 1, roll: k + 1, dice: roll, roll_luck: actions[0].value - value });
      const isLast = k === dice.length - 1,
        held = isLast ? -1 : game.lattice.index(holds[k]);
      const done = actions.find((action) =>
        isLast ? action.outcome === outcome : action.index === held,
      );
      decisions.push({
        turn,
        card,
        entry: {
          turn: i + 1,
          roll: k + 1,
          dice: roll,
          rolls_left: left,
          done: actionJson(game, done),
          best: actionJson(game, actions[0]),
          loss: done.loss,
          grade: grade(done.loss, done === actions[0]),
        },
        actions: { done, best: actions[0] },
      });
      value = done.value;
    });
  }
  await table.load([empty, game.place(last.state)]);
  const worst = decisions
    .filter(({ entry }) => entry.loss >= MIN_EXPLAINED_LOSS)
    .sort((a, b) => b.entry.loss - a.entry.loss)
    .slice(0, why);
  for (const { turn, entry, actions } of worst) {
    const places = Turn.childPlaces(game, turn.state, game.saved_rolls ? entry.rolls_left : 0);
    await table.load(places);
    const bonusAt = await opened.bonusAt(places);
    for (const name of ["done", "best"])
      entry[name].outlook = outlook(turn, actions[name], entry.rolls_left, bonusAt);
    await pause(signal);
  }
  const sum = (list, field) => list.reduce((total, each) => total + each[field], 0),
    entries = decisions.map(({ entry }) => entry);
  return {
    player: record.players[player],
    result:
      last.total +
      (last.isFull ? game.upperBonus(last.state.upper) : valueAt(game.place(last.state))),
    finished: last.isFull,
    start: valueAt(empty),
    luck: sum(rolls, "roll_luck"),
    points_lost: sum(entries, "loss"),
    grades: Object.fromEntries(
      ["best", "tied", "inaccuracy", "mistake", "blunder"].map((name) => [
        name,
        entries.filter((each) => each.grade === name).length,
      ]),
    ),
    decisions: entries,
    rolls,
  };
}

function actionJson(game, option) {
  const what =
    option.outcome === undefined
      ? { hold: game.lattice.multisets[option.index], category: null }
      : {
          category: game.categories[game.outcomes.category[option.outcome]].id,
          points: game.points(option.outcome),
          bonus_points: game.bonusPoints(option.outcome),
        };
  return { ...what, expected_remaining: option.value };
}
