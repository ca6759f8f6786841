// Goals and wins late in a game: backward induction over the open boxes, with the chance for every number of points.
//
//   V(card, x) = mean over the rolls of the best option, as for the mean; V(full card, x) = utility(x + upper bonus)
//
// x are the points on the card. Neighbouring x lie side by side, so that the passes of a turn are loops over arrays.
import { EngineError, N_ } from "./errors.js";
import { pause } from "./schedule.js";
import { Turn } from "./turn.js";

const MAX_OPERATIONS = 4e9; // about five seconds
const MAX_STATES = 20_000;
// Of chances, which Python keeps as float32: a relative tolerance (strategy/turn_evaluator.py).
export const equalChance = (best) => best - 4e-6 * Math.abs(best);

// A turn whose values are chances: that of each outcome, with `points` on the card before.
export class GoalTurn extends Turn {
  constructor(game, state, solved, points) {
    super(game, state, null);
    Object.assign(this, { solved, points });
  }

  lowest(best) {
    return equalChance(best);
  }

  outcomeValues(saved) {
    return this.remember(`outcomes ${saved}`, () => {
      const values = new Float64Array(this.game.outcomes.category.length).fill(-Infinity);
      for (const outcome of possibleOutcomes(this.game, this.state)) {
        const to = this.solved.get(
          this.game.childPlace(this.row, this.state.upper, outcome, saved),
        );
        if (to)
          values[outcome] = to.values[this.points + this.game.outcomes.total[outcome] - to.low];
      }
      return values;
    });
  }
}

// The outcomes that some roll of a turn has.
function possibleOutcomes(game, state) {
  const found = new Set(),
    choices = game.choices(state.filled);
  for (let roll = 0; roll < game.lattice.rollCount; roll++) {
    for (const isFirst of game.first_roll_bonus ? [false, true] : [false]) {
      const [allowed, way] = game.scoring(state, choices, roll, isFirst);
      for (let c = 0; c < game.count; c++)
        if ((allowed >> c) & 1) found.add(game.outcome(way, c, roll));
    }
  }
  return [...found];
}

// The states that can follow, by layers, each with the range of points it can have.
async function reachable(game, state, points, signal) {
  const refuse = () =>
    new EngineError(
      "too-large",
      N_(
        "A goal or a win can be computed here late in a game only; ask again with fewer open boxes.",
      ),
    );
  const layers = [new Map([[game.place(state), { state, low: points, high: points }]])];
  const open = game.count - bits(state.filled);
  let states = 1,
    operations = 0;
  for (let turn = 0; turn < open; turn++) {
    const next = new Map();
    for (const entry of layers[turn].values()) {
      await pause(signal);
      entry.outcomes = possibleOutcomes(game, entry.state);
      const row = game.row(entry.state),
        left = game.maxRerolls(entry.state);
      operations +=
        (entry.high - entry.low + 1) * game.lattice.size * (left * game.faces * 2 + (open - turn));
      for (let saved = 0; saved <= (game.saved_rolls ? left : 0); saved++) {
        for (const outcome of entry.outcomes) {
          const place = game.childPlace(row, entry.state.upper, outcome, saved),
            total = game.outcomes.total[outcome];
          const to = next.get(place);
          if (!to)
            next.set(place, {
              state: game.child(entry.state, outcome, saved),
              low: entry.low + total,
              high: entry.high + total,
            });
          else {
            to.low = Math.min(to.low, entry.low + total);
            to.high = Math.max(to.high, entry.high + total);
          }
        }
      }
      if (states + next.size > MAX_STATES || operations > MAX_OPERATIONS) throw refuse();
    }
    states += next.size;
    layers.push(next);
  }
  return layers;
}

const bits = (mask) => mask.toString(2).replaceAll("0", "").length;

// The chances of all states that can follow: place -> {low, values}; `utility` maps final scores to 0 ... 1.
export async function solveGoal(game, state, points, utility, signal) {
  const layers = await reachable(game, state, points, signal),
    solved = new Map();
  for (const layer of layers.reverse()) {
    for (const [place, entry] of layer) {
      const { state: from, low, high } = entry,
        width = high - low + 1;
      if (from.filled === game.full) {
        const bonus = game.upperBonus(from.upper);
        solved.set(place, {
          low,
          values: Float64Array.from({ length: width }, (_, i) => utility(low + i + bonus)),
        });
      } else solved.set(place, { low, values: turnValues(game, entry, width, solved) });
      await pause(signal);
    }
  }
  return solved;
}

function turnValues(game, { state, low, outcomes }, width, solved) {
  const { lattice } = game,
    row = game.row(state),
    most = game.maxRerolls(state);
  const children = (saved) =>
    new Map(
      outcomes.map((outcome) => {
        const to = solved.get(game.childPlace(row, state.upper, outcome, saved));
        return [
          outcome,
          to && { values: to.values, shift: low + game.outcomes.total[outcome] - to.low },
        ];
      }),
    );
  const stops = (left, isFirst) => {
    const result = new Float64Array(lattice.rollCount * width),
      after = children(game.saved_rolls ? left : 0);
    for (let roll = 0; roll < lattice.rollCount; roll++) {
      const at = roll * width;
      for (const outcome of game.outcomesOf(state, roll, isFirst)) {
        const { values, shift } = after.get(outcome);
        for (let x = 0; x < width; x++)
          if (values[shift + x] > result[at + x]) result[at + x] = values[shift + x];
      }
    }
    return result;
  };
  let rolls = stops(0, false),
    stop = rolls;
  for (let left = 1; left <= most; left++) {
    const isFirst = left === most;
    if (game.saved_rolls || (isFirst && game.first_roll_bonus)) stop = stops(left, isFirst);
    rolls = lattice.maxima(lattice.means(rolls, width), stop, width);
  }
  if (!most && game.first_roll_bonus) rolls = stops(0, true);
  const mean = new Float64Array(width);
  lattice.weights.forEach((weight, roll) => {
    for (let x = 0; x < width; x++) mean[x] += weight * rolls[roll * width + x];
  });
  return mean;
}
