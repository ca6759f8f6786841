// A sample for those who have not finished a game: one of a level of computer players. A text fixes its dice and its choices,
// so it is the same for everybody. It is not kept.
import { ask } from "../store/ask.js";
import { reviewGame } from "../store/memory.js";
import { ruleSet } from "../store/rulesets.js";
import { newPlayer, position } from "../store/state.js";
import { sameDice } from "../table/challenge.js";
import { drawnOption, playTurn } from "../table/opponent.js";
import { fixedDice } from "../engine/fixed-dice.js";
import { levelName } from "../words/levels.js";

const LEVEL = 3,
  TEXT = "sample",
  STEPS = 2 ** 32; // of a number from 0 to 1

const turnsOf = new Map(); // by rules, as promises

// Whether the level plays these rules.
export const hasSample = (spec) =>
  ruleSet(spec).solved !== false && ruleSet(spec).levels.length > 0;

async function play(spec) {
  const rules = ruleSet(spec),
    { temperature } = rules.levels.find(({ level }) => level === LEVEL),
    turns = [],
    player = newPlayer();
  let choices = 0;
  const choose = async (query, fields) => {
    const { holds, categories } = await ask(query, fields),
      [step] = fixedDice(`perfect-yatzy ${TEXT} choice`, (choices += 1), 1, STEPS);
    return drawnOption(holds ?? categories, temperature, (step - 1) / STEPS);
  };
  for (let turn = 1; turn <= rules.categories.length; turn++) {
    const start = { ...position(player, spec), card: { ...player.card } };
    const { rolls, holds, dice, box, left } = await playTurn(
      start,
      rules.rolls - 1 + player.saved,
      {
        roll: (hold, roll) => [...hold, ...sameDice(TEXT, turn, roll, rules).slice(hold.length)],
        choose,
      },
    );
    const { category, points, bonus_points: bonus = 0 } = box;
    turns.push({
      player: 0,
      rolls: [...rolls, dice],
      holds,
      category,
      points,
      ...(bonus && { bonus_points: bonus }),
    });
    player.card[category] = points;
    player.bonusPoints += bonus;
    if (rules.saved_rolls) player.saved = left;
  }
  return turns;
}

// The record of the sample and its review: { record, found }.
export async function sampleReview(spec) {
  if (!turnsOf.has(spec)) turnsOf.set(spec, play(spec));
  try {
    const turns = await turnsOf.get(spec),
      record = { schema: 2, rules: spec, players: [levelName(LEVEL)], same_dice: TEXT, turns };
    return { record, found: await reviewGame(record) };
  } catch (error) {
    turnsOf.delete(spec);
    throw error;
  }
}
