// How a turn and a game go on under play for the mean: the endings of a turn, and the distribution of the final score.
import { pause } from "./schedule.js";
import { Turn } from "./turn.js";

export const DISTRIBUTION_MS = 5000; // a distribution that takes longer is not computed
const MAX_STATES = 60_000,
  MAX_CARDS_PAGED = 64; // of a large table the values of few cards are fetched
const PERCENTILES = [5, 25, 50, 75, 95];

// A chance within 0 and 1. Sums of chances miss that by rounding, in the last digits.
export const clipped = (chance) => Math.min(1, Math.max(0, chance));

// The chance of every way a turn can end: a list of {outcome, saved, chance}. It begins with the first roll, or with
// the dice held (an index) and `left` rerolls left.
export function endings(turn, held = null, left = turn.game.maxRerolls(turn.state)) {
  const { game } = turn,
    { lattice } = game;
  let rolls = lattice.weights,
    isFirst = held === null;
  if (!isFirst) {
    const start = new Float64Array(lattice.size);
    start[held] = 1;
    rolls = lattice.reroll(start);
    left--;
  }
  const found = new Map();
  for (; left >= 0; left--, isFirst = false) {
    const { best: stop, outcome } = turn.stops(left, isFirst),
      holds = left ? turn.holds(left) : null;
    const bySaved = turn.saved(left),
      next = new Float64Array(lattice.size);
    if (!found.has(bySaved)) found.set(bySaved, new Float64Array(game.outcomes.category.length));
    const ended = found.get(bySaved);
    const best = left ? lattice.maxima(holds, stop) : stop;
    for (let roll = 0; roll < rolls.length; roll++) {
      if (!rolls[roll]) continue;
      const lowest = turn.lowest(best[roll]);
      if (stop[roll] >= lowest) ended[outcome[roll]] += rolls[roll];
      else next[lattice.holds(roll).find((held, i) => i && holds[held] >= lowest)] += rolls[roll];
    }
    if (left) rolls = lattice.reroll(next);
  }
  return [...found].flatMap(([saved, chances]) =>
    [...chances].flatMap((chance, outcome) => (chance ? [{ outcome, saved, chance }] : [])),
  );
}

// What an action leads to: points of this turn and later, the chance of the upper bonus, the categories. Of a turn
// whose values are chances the points of later turns are not known.
export function outlook(turn, option, left, bonusAt) {
  const { game, state } = turn;
  const ends =
    option.outcome === undefined
      ? endings(turn, option.index, left)
      : [{ outcome: option.outcome, saved: turn.saved(left), chance: 1 }];
  let turnPoints = 0,
    laterPoints = 0,
    bonus = 0;
  const sums = new Map();
  for (const { outcome, saved, chance } of ends) {
    const points = game.outcomes.total[outcome],
      place = game.childPlace(turn.row, state.upper, outcome, saved);
    turnPoints += chance * points;
    if (turn.valueAt) laterPoints += chance * turn.valueAt(place);
    if (bonusAt) bonus += chance * bonusAt(place);
    const c = game.outcomes.category[outcome],
      sum = sums.get(c) ?? [0, 0];
    sums.set(c, [sum[0] + chance, sum[1] + chance * points]);
  }
  const likely = [...sums].sort((a, b) => b[1][0] - a[1][0]);
  return {
    turn_points: turnPoints,
    later_points: turn.valueAt ? laterPoints : null,
    bonus_chance: bonusAt ? clipped(bonus) : null,
    categories: likely.map(([c, [chance, points]]) => [
      game.categories[c].id,
      clipped(chance),
      points / chance,
    ]),
  };
}

// The most states that play can reach from a state, by counting the cards; Infinity if they are too many.
function mostStates(game, state, isPaged) {
  let states = 0;
  const seen = new Set([state.filled]);
  for (const filled of seen) {
    const row = game.row({ ...state, filled });
    states += game.laneCount[game.sets[row]];
    if (states > MAX_STATES || (isPaged && seen.size > MAX_CARDS_PAGED)) return Infinity;
    const choices = game.choices(filled);
    for (let c = 0; c < game.count; c++) if ((choices >> c) & 1) seen.add(filled | (1 << c));
  }
  return states;
}

// The distribution of the final score as in the answers of the API, from a state with these points on the card; null
// if it takes too long.
export async function distribution(game, state, points, table, signal) {
  const most = mostStates(game, state, table.isPaged);
  if (game.saved_rolls || most === Infinity) return null;
  let layer = new Map([
      [game.place(state), { state, lowest: points, chances: Float64Array.of(1) }],
    ]),
    visited = 0,
    spent = 0;
  const chance = new Float64Array(game.outcomes.category.length);
  const open = game.categories.flatMap((_, c) => ((state.filled >> c) & 1 ? [] : [c]));
  for (let turns = open.length; turns; turns--) {
    if (table.isPaged)
      await table.load(
        [...layer.values()].flatMap((entry) => Turn.childPlaces(game, entry.state, 0)),
      );
    const next = new Map();
    for (const { state: from, lowest, chances } of layer.values()) {
      await pause(signal);
      if (visited >= 20 && (spent / visited) * most > DISTRIBUTION_MS) return null;
      const start = performance.now();
      visited++;
      const mass = chances.reduce((sum, each) => sum + each, 0),
        turn = new Turn(game, from, (place) => table.at(place));
      for (const end of endings(turn)) {
        chance[end.outcome] += mass * end.chance;
        const place = game.childPlace(turn.row, from.upper, end.outcome, 0),
          first = lowest + game.outcomes.total[end.outcome];
        let to = next.get(place);
        if (!to)
          next.set(
            place,
            (to = {
              state: game.child(from, end.outcome, 0),
              lowest: first,
              chances: new Float64Array(0),
            }),
          );
        makeRoom(to, first, first + chances.length);
        for (let i = 0, at = first - to.lowest; i < chances.length; i++, at++)
          to.chances[at] += chances[i] * end.chance;
      }
      spent += performance.now() - start;
    }
    layer = next;
  }
  return summary(game, layer, open, chance);
}

// Extends the range of scores of an entry to lowest ... end - 1.
function makeRoom(entry, lowest, end) {
  const low = Math.min(lowest, entry.lowest),
    high = Math.max(end, entry.lowest + entry.chances.length);
  if (high - low === entry.chances.length) return;
  const wider = new Float64Array(high - low);
  wider.set(entry.chances, entry.lowest - low);
  Object.assign(entry, { lowest: low, chances: wider });
}

function summary(game, fullCards, open, chanceOfOutcome) {
  const final = { lowest: Infinity, chances: new Float64Array(0) };
  let bonusChance = 0;
  for (const { state, lowest, chances } of fullCards.values()) {
    const bonus = game.upperBonus(state.upper),
      first = lowest + bonus;
    if (final.lowest === Infinity) final.lowest = first;
    makeRoom(final, first, first + chances.length);
    chances.forEach((chance, i) => {
      final.chances[first + i - final.lowest] += chance;
      if (bonus) bonusChance += chance;
    });
  }
  const results = open.map((c) => {
    const found = { category: game.categories[c].id, mean: 0, crossed_out: 0 };
    game.outcomes.category.forEach((other, outcome) => {
      if (other !== c) return;
      found.mean += chanceOfOutcome[outcome] * game.outcomes.points[outcome];
      if (!game.outcomes.points[outcome]) found.crossed_out += chanceOfOutcome[outcome];
    });
    found.crossed_out = clipped(found.crossed_out);
    return found;
  });
  return describe(final.lowest, final.chances, bonusChance, results);
}

// A distribution as the field of an answer; scores of no chance at both ends are left out.
export function describe(lowest, chances, bonusChance, categories) {
  let first = 0,
    last = chances.length - 1;
  while (!chances[first]) first++;
  while (!chances[last]) last--;
  const kept = Array.from(
    chances.subarray ? chances.subarray(first, last + 1) : chances.slice(first, last + 1),
  );
  const low = lowest + first,
    mean = kept.reduce((sum, chance, i) => sum + chance * (low + i), 0);
  const variance = kept.reduce((sum, chance, i) => sum + chance * (low + i - mean) ** 2, 0);
  const percentile = (percent) => {
    let sum = 0,
      i = 0;
    while (i < kept.length - 1 && (sum += kept[i]) < percent / 100 - 1e-12) i++;
    return low + i;
  };
  return {
    policy: "mean",
    standard_deviation: Math.sqrt(Math.max(0, variance)),
    upper_bonus_chance: clipped(bonusChance),
    percentiles: Object.fromEntries(PERCENTILES.map((percent) => [percent, percentile(percent)])),
    lowest: low,
    chances: kept.map(clipped),
    categories,
  };
}
