// One turn from one card: the value of every category and every hold (strategy/turn_evaluator.py and actions.py).
//
//   stop(roll)  = max over categories of points + bonus points + V(child)
//   hold_n(h)   = mean over the rerolls of best_(n-1)        best_n(roll) = max(stop(roll), hold_n(h) for h in the roll)

// Values that differ by no more are equal. Python's tolerance is 1e-10; a value of a stored table is rounded by
// 4.7e-10, so options that are equal in Python differ by at most 1.1e-9 here.
export const TIE = 5e-9;

// One state, and a function that gives the value of a place in the table. Whoever makes a turn has loaded the places.
export class Turn {
  constructor(game, state, valueAt) {
    Object.assign(this, {
      game,
      state,
      valueAt,
      row: game.row(state),
      choices: game.choices(state.filled),
      known: new Map(),
    });
  }

  // The places of all children, with each number of saved rolls up to `saved`.
  static childPlaces(game, state, saved) {
    const row = game.row(state),
      choices = game.choices(state.filled),
      places = [];
    game.outcomes.category.forEach((c, outcome) => {
      if (!((choices >> c) & 1)) return;
      // Boxes that may not hold these points now lead to rows that do not exist.
      if ((game.requiring >> c) & 1 && !state.paid && game.outcomes.points[outcome]) return;
      for (let rolls = 0; rolls <= saved; rolls++)
        places.push(game.childPlace(row, state.upper, outcome, rolls));
    });
    return places;
  }

  // Points and value to come of each outcome of an open category.
  outcomeValues(saved) {
    return this.remember(`outcomes ${saved}`, () => {
      const { game, state, row } = this,
        { category, total, points } = game.outcomes;
      return Float64Array.from(category, (c, outcome) => {
        if (
          !((this.choices >> c) & 1) ||
          ((game.requiring >> c) & 1 && !state.paid && points[outcome])
        )
          return -Infinity;
        return total[outcome] + this.valueAt(game.childPlace(row, state.upper, outcome, saved));
      });
    });
  }

  remember(key, make) {
    if (!this.known.has(key)) this.known.set(key, make());
    return this.known.get(key);
  }

  // The lowest value that counts as equal to the best one.
  lowest(best) {
    return best - TIE;
  }

  saved(left) {
    return this.game.saved_rolls ? left : 0;
  }

  // The best category of each roll if the turn ends with `left` rerolls left: its value and the number of its outcome.
  stops(left, isFirst = false) {
    return this.remember(`stops ${this.saved(left)} ${isFirst}`, () => {
      const { game, state, choices } = this,
        values = this.outcomeValues(this.saved(left)),
        rolls = game.lattice.rollCount;
      const best = new Float64Array(rolls),
        outcome = new Int32Array(rolls);
      for (let roll = 0; roll < rolls; roll++) {
        const [allowed, way] = game.scoring(state, choices, roll, isFirst);
        let most = -Infinity,
          chosen = -1;
        for (let c = 0; c < game.count; c++) {
          if (!((allowed >> c) & 1)) continue;
          const value = values[game.outcome(way, c, roll)];
          // Of equal categories the first of the sheet is taken; `most` is the value of the best.
          if (most < this.lowest(value)) chosen = game.outcome(way, c, roll);
          if (value > most) most = value;
        }
        best[roll] = most;
        outcome[roll] = chosen;
      }
      return { best, outcome };
    });
  }

  // The value of each hold with `left` rerolls left, at least 1; the entry of a roll is its value with one reroll less.
  holds(left) {
    return this.remember(`holds ${left}`, () => this.game.lattice.means(this.rolls(left - 1)));
  }

  // The best value of each roll with `left` rerolls left, after the first roll of the turn.
  rolls(left) {
    return this.remember(`rolls ${left}`, () => {
      const stop = this.stops(left).best;
      return left ? this.game.lattice.maxima(this.holds(left), stop) : stop;
    });
  }

  // The categories that may take a roll, in the order of the sheet: {outcome, value}.
  categories(roll, left) {
    const values = this.outcomeValues(this.saved(left)),
      isFirst = left === this.game.maxRerolls(this.state);
    return this.game
      .outcomesOf(this.state, roll, isFirst)
      .map((outcome) => ({ outcome, value: values[outcome] }));
  }
}

// Options with their losses, best first; those of equal value by their means, those of equal mean by `order`.
// `equal(best)` is the lowest value that counts as equal to `best`; without means the values are the means.
export function ranked(options, order, equal = (best) => best - TIE) {
  const sorted = [...options].sort((a, b) => b.value - a.value),
    found = [];
  const best = sorted.length ? sorted[0].value : 0;
  while (sorted.length) {
    const lowest = equal(sorted[0].value);
    const end = sorted.findIndex((option) => option.value < lowest);
    let same = sorted.splice(0, end < 0 ? sorted.length : end);
    if (same[0].mean === undefined) same.sort(order);
    else {
      same = ranked(
        same.map((option) => ({ option, value: option.mean })),
        (a, b) => order(a.option, b.option),
      );
      same = same.map(({ option }) => option);
    }
    for (const option of same)
      found.push({ ...option, loss: option.value >= equal(best) ? 0 : best - option.value });
  }
  return found;
}

// Of equal holds the one with more dice, then with higher faces: the order of their indices backwards.
export const byDice = (a, b) => b.index - a.index;

// Every category for a roll, best first.
export function rankCategories(turn, roll, left, aim = null) {
  return ranked(
    withAim(turn.categories(roll, left), aim?.turn.categories(roll, left)),
    (a, b) => turn.game.outcomes.category[a.outcome] - turn.game.outcomes.category[b.outcome],
    aim?.equal,
  );
}

// Every hold of a roll, best first; `best` is the best category, which the hold of all dice takes.
export function rankHolds(turn, roll, left, best, aim = null) {
  const held = Array.from(turn.game.lattice.holds(roll));
  const options = (values) =>
    held.map((index, i) => ({ index, value: values[index], category: i ? null : best }));
  const means = options(turn.holds(left)),
    chances = aim ? options(aim.turn.holds(left)) : undefined;
  means[0].value = best.mean ?? best.value;
  if (chances) chances[0].value = best.value;
  return ranked(withAim(means, chances), byDice, aim?.equal);
}

const withAim = (means, chances) =>
  chances
    ? means.map((option, i) => ({ ...option, mean: option.value, value: chances[i].value }))
    : means;
