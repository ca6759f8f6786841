// Questions in, answers out: the fields of service/README.md, from a game and its table.
import { Card, readDice } from "./card.js";
import { EngineError, N_ } from "./errors.js";
import { GoalTurn, equalChance, solveGoal } from "./goals.js";
import { clipped, distribution, outlook } from "./outlook.js";
import { rankCategories, rankHolds, Turn } from "./turn.js";

const SCHEMA = 2;
const MAX_UNCERTAIN = 1 - 2 ** -24; // as in Python, where float32 rounds higher chances to 1
const MAX_UNCERTAIN_SUM = 0.99999999999; // of a sum of chances of a distribution
const EXPLAINED = 2; // options with an outlook

// The position of a request: its rules, its card, and a turn whose values have been loaded.
export async function position(opened, body, left = 0) {
  const { game, table } = opened,
    card = Card.read(game, body),
    { state } = card;
  if (table.isPaged && !card.isFull)
    await table.load([
      game.place(state),
      ...Turn.childPlaces(game, state, game.saved_rolls ? left : 0),
    ]);
  return { opened, game, card, state, turn: new Turn(game, state, (place) => table.at(place)) };
}

const head = (query, body, { game, card }) => ({
  schema: SCHEMA,
  query,
  rules: game.key,
  ...(body.id === undefined ? {} : { id: body.id }),
  ...card.fields(),
});

function rollsLeft(game, card, given, least, otherwise) {
  const most = game.maxRerolls(card.state),
    left = given ?? otherwise(most);
  if (!Number.isInteger(left) || left < least || left > most) {
    throw new EngineError(
      "invalid-value",
      N_("{left} rerolls left are not possible here; there can be {least} to {most}."),
      { left, least, most },
      "rolls_left",
    );
  }
  return left;
}

function checkOpen(card) {
  if (card.isFull)
    throw new EngineError("game-over", N_("The card is full: the game is over."), {}, "card");
}

// The roll, the rerolls left, the turn for what is maximised, and the categories, best first.
async function asked(opened, body, isHold, signal) {
  const { game } = opened,
    given = Card.read(game, body);
  checkOpen(given);
  const dice = readDice(game, body.dice, "dice", game.dice);
  const left = rollsLeft(game, given, body.rolls_left, isHold ? 1 : 0, (most) =>
    isHold ? most : 0,
  );
  const at = await position(opened, body, left),
    aim = await objective(at, body, signal);
  const roll = game.lattice.index(dice) - game.lattice.firstRoll,
    choices = rankCategories(at.turn, roll, left, aim);
  return { ...at, dice, left, aim, roll, choices };
}

const values = (card, { value, mean, loss }, aim) => ({
  ...(aim ? { chance: clipped(value) } : {}),
  expected_final_score: card.total + (mean ?? value),
  expected_remaining: mean ?? value,
  loss,
});

// The value of the best entry as fields of the answer; whether the aim is certain follows from points alone.
function bestFields(entries, card, aim, choices = []) {
  if (!aim) return { expected_final_score: entries[0].expected_final_score };
  const certain =
    aim.utility(
      Math.max(
        card.leastScore,
        ...choices.map(({ outcome }) => card.filledWith(outcome).leastScore),
      ),
    ) === 1;
  for (const entry of entries) {
    if (certain && !entry.loss) entry.chance = 1;
    else if (!certain) entry.chance = Math.min(entry.chance, MAX_UNCERTAIN);
  }
  return {
    chance: entries[0].chance,
    certain,
    out_of_reach: entries.every((entry) => entry.chance === 0),
  };
}

async function explain(found, options, entries, body) {
  if (!body.explain) return;
  const { game, state, left, opened } = found,
    places = Turn.childPlaces(game, state, game.saved_rolls ? left : 0);
  const bonusAt = found.aim
    ? null
    : await (body.explain === "as-loaded" ? opened.bonusAsLoaded(places) : opened.bonusAt(places));
  options.slice(0, EXPLAINED).forEach((option, i) => {
    entries[i].outlook = outlook(
      found.aim?.turn ?? found.turn,
      option.category ?? option,
      found.left,
      bonusAt,
    );
  });
}

export async function hold(opened, body, signal) {
  const found = await asked(opened, body, true, signal),
    { game, card, left, turn, aim, roll, choices } = found,
    { multisets } = game.lattice;
  const options = rankHolds(turn, roll, left, choices[0], aim);
  return ranking(
    "hold",
    body,
    found,
    { rolls: game.maxRerolls(card.state) + 1 },
    "holds",
    options,
    ({ index, category }) => ({
      hold: multisets[index],
      reroll: game.dice - multisets[index].length,
      category: category && categoryId(game, category.outcome),
    }),
  );
}

const categoryId = (game, outcome) => game.categories[game.outcomes.category[outcome]].id;

export async function score(opened, body, signal) {
  const found = await asked(opened, body, false, signal),
    { game, choices } = found;
  return ranking("score", body, found, {}, "categories", choices, ({ outcome }) => ({
    category: categoryId(game, outcome),
    points: game.points(outcome),
    bonus_points: game.bonusPoints(outcome),
  }));
}

// All options of a roll as the field `name`, best first, with the value of the best one.
async function ranking(query, body, found, stage, name, options, fieldsOf) {
  const { card, dice, left, aim, choices } = found,
    entries = options.map((option) => ({ ...fieldsOf(option), ...values(card, option, aim) }));
  await explain(found, options, entries, body);
  const value = bestFields(entries, card, aim, choices);
  return {
    ...head(query, body, found),
    ...aimFields(aim),
    dice,
    rolls_left: left,
    ...stage,
    ...value,
    best: entries[0],
    [name]: entries,
  };
}

export async function outcomes(opened, body) {
  const { game } = opened,
    { lattice } = game,
    given = Card.read(game, body);
  checkOpen(given);
  const held = readDice(game, body.hold, "hold"),
    left = rollsLeft(game, given, body.rolls_left, 1, (most) => most);
  const at = await position(opened, body, left),
    best = at.turn.rolls(left - 1),
    size = game.dice - held.length;
  const found = lattice.multisets
    .slice(lattice.first[size], lattice.first[size + 1])
    .map((rolled) => ({
      rolled,
      chance: lattice.chance(rolled),
      expected_final_score:
        at.card.total + best[lattice.index([...held, ...rolled]) - lattice.firstRoll],
    }));
  found.sort((a, b) => b.expected_final_score - a.expected_final_score);
  const mean = found.reduce((sum, entry) => sum + entry.chance * entry.expected_final_score, 0);
  return {
    ...head("outcomes", body, at),
    hold: held,
    rolls_left: left,
    expected_final_score: mean,
    outcomes: found,
  };
}

export async function expect(opened, body, signal) {
  const at = await position(opened, body),
    { game, card, state } = at,
    place = game.place(state);
  const remaining = card.isFull ? game.upperBonus(state.upper) : opened.table.at(place),
    aim = await objective(at, body, signal);
  const open = game.categories.filter((_, c) => !((state.filled >> c) & 1)).map(({ id }) => id);
  const answer = {
    ...head("expect", body, at),
    ...aimFields(aim),
    expected_final_score: card.total + remaining,
    expected_remaining: remaining,
    turns_left: open.length,
    open,
    upper: card.columnSums.reduce((a, b) => a + b, 0),
    ...(game.columns ? { upper_by_column: card.columnSums } : {}),
  };
  if (aim) Object.assign(answer, bestFields([{ chance: clipped(aim.value) }], card, aim));
  if (body.spread === false && !aim) return answer;
  const found = await spread(opened, card, signal);
  if (aim && found) {
    const byMean = found.chances.reduce(
      (sum, chance, i) => sum + chance * aim.utility(found.lowest + i),
      0,
    );
    answer.chance_by_mean_play = answer.certain ? 1 : Math.min(byMean, MAX_UNCERTAIN_SUM);
    answer.chance = Math.max(answer.chance, answer.chance_by_mean_play); // rounding may have put best play below
  }
  if (body.spread === false) return answer;
  answer.distribution = found;
  if (!found) {
    const deviationAt = await opened.deviationAt([place]);
    if (deviationAt) answer.standard_deviation = deviationAt(place);
  }
  return answer;
}

// The distribution from a card on: stored for the empty card, computed where that takes seconds, else null.
async function spread(opened, card, signal) {
  if (!card.points.size && !card.bonusPoints) {
    const stored = await opened.distribution();
    if (stored) return stored;
  }
  return opened.remember("spread", JSON.stringify([card.state, card.total]), () =>
    distribution(opened.game, card.state, card.total, opened.table, signal),
  );
}

const aimFields = (aim) => (aim ? { aim: aim.fields } : {});

// What is maximised instead of the mean: the values of the turn, the utility of final scores; null for the mean.
async function objective({ opened, game, card, state }, body, signal) {
  const { goal, opponents: others, ties = "loss" } = body;
  if (goal === undefined && others === undefined) return null;
  if (goal !== undefined && others !== undefined) {
    throw new EngineError("invalid-request", N_("A goal and opponents cannot be combined."));
  }
  let fields, utility;
  if (goal !== undefined) {
    if (!Number.isInteger(goal) || goal < 0 || goal > 99999)
      throw new EngineError(
        "invalid-value",
        N_("A goal must be a whole number from 0 to 99999."),
        {},
        "goal",
      );
    if (goal > game.highest_score) {
      throw new EngineError(
        "invalid-value",
        N_("The highest score of these rules is {most}."),
        { most: game.highest_score },
        "goal",
      );
    }
    [fields, utility] = [{ goal }, (score) => (score >= goal ? 1 : 0)];
  } else {
    const known = await Promise.all(
      readOpponents(game, others).map((other) => opponent(opened, other, signal)),
    );
    const opponents = known.map(({ playing, mean, deviation }) => ({
      playing,
      mean,
      standard_deviation: deviation,
    }));
    fields = { opponents, ties, lower_bound: known.some(({ playing }) => playing) };
    const ahead = (score) => known.reduce((product, other) => product * other.below(score), 1);
    const parts = {
      loss: ahead,
      win: (score) => ahead(score + 1),
      half: (score) => (ahead(score) + ahead(score + 1)) / 2,
    };
    utility = parts[ties];
    if (!utility)
      throw new EngineError("invalid-value", N_("A tie counts as loss, half or win."), {}, "ties");
  }
  const solved = await opened.remember("goal", JSON.stringify([state, card.total, fields]), () =>
    solveGoal(game, state, card.total, utility, signal),
  );
  const own = solved.get(game.place(state)),
    turn = new GoalTurn(game, state, solved, card.total);
  return { fields, utility, turn, value: own.values[card.total - own.low], equal: equalChance };
}

// Final scores (numbers) and cards of opponents: "251; ones=3 sixes=24; empty", or a list.
function readOpponents(game, others) {
  const listed = [others].flat().flatMap((entry) =>
    typeof entry === "string"
      ? entry
          .split(";")
          .map((part) => part.trim())
          .filter(Boolean)
      : [entry],
  );
  if (!listed.length)
    throw new EngineError("invalid-value", N_("There are no opponents."), {}, "opponents");
  return listed.map((entry) => {
    if (Number.isInteger(entry) && entry >= 0) return entry;
    if (/^[0-9]{1,5}$/.test(entry)) return Number(entry);
    if (entry !== "empty" && !String(entry).includes("=")) {
      throw new EngineError(
        "invalid-value",
        N_("“{text}” is neither a final score nor a card."),
        { text: entry },
        "opponents",
      );
    }
    const bonus = /(?:^|\s)(?:extra|bonus[-_]points)=([0-9]+)/.exec(entry);
    try {
      const card = Card.read(game, {
        card: entry === "empty" ? "" : entry.replace(bonus?.[0] ?? "", " "),
        bonus_points: Number(bonus?.[1] ?? 0),
      });
      return card.isFull ? card.leastScore : card;
    } catch (error) {
      error.field = "opponents";
      throw error;
    }
  });
}

async function opponent(opened, known, signal) {
  if (typeof known === "number")
    return { playing: false, mean: known, deviation: 0, below: (score) => (known < score ? 1 : 0) };
  const found = await spread(opened, known, signal);
  if (!found)
    throw new EngineError(
      "too-large",
      N_("An opponent who is still playing can be counted here late in the game only."),
      {},
      "opponents",
    );
  const sums = [0];
  for (const chance of found.chances) sums.push(Math.min(sums.at(-1) + chance, 1 - 2 ** -53));
  sums[sums.length - 1] = 1;
  const mean = found.chances.reduce((sum, chance, i) => sum + chance * (found.lowest + i), 0);
  const below = (score) => sums[Math.min(sums.length - 1, Math.max(0, score - found.lowest))];
  return { playing: true, mean, deviation: found.standard_deviation, below };
}
