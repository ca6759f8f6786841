// A rule set as the exporter wrote it (web/site_rules.py): which states there are, what a roll scores, what follows.
//
// No rule is written down here: points, jokers, orders and bonuses are arrays that Python derived from the rule file.
// A state is {filled, upper, saved, paid}: bitmask of the filled boxes, upper sum up to the threshold of the bonus,
// saved rolls, and whether the box that jokers or other boxes require holds points.
import { lattice } from "./lattice.js";

const IN_FULL = 1,
  WITH_BONUS = 2,
  ON_FIRST_ROLL = 4,
  UNMET = 8; // ways to score, as in core/turn_model.py

const bitCount = (mask) => {
  let n = 0;
  for (; mask; mask &= mask - 1) n++;
  return n;
};

export class Game {
  constructor(data) {
    Object.assign(this, data);
    this.lattice = lattice(data.dice, data.faces);
    this.count = data.categories.length;
    this.full = 2 ** this.count - 1;
    this.indexOf = new Map(data.categories.map((category, i) => [category.id, i]));
    this.jokerOfRoll = new Int16Array(this.lattice.rollCount).fill(-1);
    data.joker.rolls.forEach((roll, number) => {
      this.jokerOfRoll[roll] = number;
    });
    this.numbers = data.rows.map((row) => Int32Array.from(row)); // outcome of each roll
    this.laneOf = Int32Array.from(data.layout.lane_of);
    this.laneCount = Int32Array.from(data.layout.lane_count);
    this.layRows();
  }

  // Where the values of each row (card) begin in the table: the order of core/state_space.py.
  layRows() {
    const { chains, weight_of: weightOf, tracked_index: tracked } = this.layout;
    let masks = [0],
      sets = [0];
    this.steps = []; // of each chain: bitmask, and what one more box adds to the row
    for (const chain of chains) {
      this.steps.push([chain.reduce((mask, c) => mask | (1 << c), 0), masks.length]);
      const longerMasks = [],
        longerSets = [];
      for (let n = 0; n <= chain.length; n++) {
        const mask = chain.slice(0, n).reduce((all, c) => all | (1 << c), 0);
        const set = chain.slice(0, n).reduce((all, c) => all + weightOf[c], 0);
        for (let i = 0; i < masks.length; i++) {
          longerMasks.push(masks[i] | mask);
          longerSets.push(sets[i] + set);
        }
      }
      [masks, sets] = [longerMasks, longerSets];
    }
    this.cards = masks.length;
    this.isMask = chains.every((chain) => chain.length === 1);
    const rows = this.cards * (tracked >= 0 ? 2 : 1);
    this.masks = new Int32Array(rows);
    this.sets = new Int32Array(rows);
    for (let row = 0; row < rows; row++) {
      this.masks[row] = masks[row % this.cards];
      this.sets[row] = sets[row % this.cards];
    }
    this.offsets = new Float64Array(rows);
    const layers = Array.from({ length: this.count + 1 }, () => []);
    for (let row = 0; row < rows; row++) {
      const mask = this.masks[row];
      const occurs =
        (row < this.cards || (mask >> tracked) & 1) &&
        (!this.layout.upper_first || this.inOrder(mask));
      if (occurs) layers[bitCount(mask)].push(row);
    }
    let place = 0;
    this.rowsInOrder = []; // as in the table, from the full cards to the empty one
    for (let filled = this.count; filled >= 0; filled--) {
      for (const row of layers[filled]) {
        this.offsets[row] = place;
        this.rowsInOrder.push(row);
        place += this.rowLength(row, filled);
      }
    }
    this.size = place;
  }

  rowLength(row, filled = bitCount(this.masks[row])) {
    return this.laneCount[this.sets[row]] * (this.layout.most_saved[filled] + 1);
  }

  inOrder(filled) {
    return this.prerequisites.every(
      (needed, c) => !((filled >> c) & 1) || (filled & needed) === needed,
    );
  }

  row({ filled, paid }) {
    let card = filled;
    if (!this.isMask)
      card = this.steps.reduce((sum, [mask, step]) => sum + step * bitCount(filled & mask), 0);
    return card + (paid && this.layout.tracked_index >= 0 ? this.cards : 0);
  }

  // Place of a state in the table; -1 if its upper sum cannot occur.
  place(state) {
    const row = this.row(state),
      set = this.sets[row],
      lane = this.laneOf[set * this.layout.upper_width + state.upper];
    return lane < 0 ? -1 : this.offsets[row] + state.saved * this.laneCount[set] + lane;
  }

  // Place of the state after an outcome of a turn, with the number of rolls saved.
  childPlace(row, upper, outcome, saved) {
    const child = row + this.outcomes.step[outcome],
      set = this.sets[child];
    const lane = this.laneOf[set * this.layout.upper_width + upper + this.outcomes.shift[outcome]];
    return this.offsets[child] + saved * this.laneCount[set] + lane;
  }

  child(state, outcome, saved) {
    const c = this.outcomes.category[outcome];
    return {
      filled: state.filled | (1 << c),
      upper: this.cap(state.upper + this.outcomes.shift[outcome]),
      saved,
      paid: state.paid || (c === this.layout.tracked_index && this.outcomes.points[outcome] > 0),
    };
  }

  // The sum of each column of an upper sum, which is one number (core/scoring.py).
  columnSums(upper) {
    const { weights, widths } = this.uppers,
      last = weights.length - 1;
    return weights.map((weight, i) =>
      i < last ? Math.floor(upper / weight) % widths[i] : Math.floor(upper / weight),
    );
  }

  cap(upper) {
    const { thresholds, weights } = this.uppers;
    return this.columnSums(upper).reduce(
      (sum, total, i) => sum + weights[i] * Math.min(total, thresholds[i]),
      0,
    );
  }

  upperBonus(upper) {
    if (!this.uppers.paid.length) return 0;
    return this.columnSums(upper).reduce(
      (sum, total, i) => sum + this.uppers.paid[i][Math.min(total, this.uppers.thresholds[i])],
      0,
    );
  }

  // Rerolls after the first roll of a turn.
  maxRerolls(state) {
    return this.rolls - 1 + state.saved;
  }

  // Bitmask of the boxes that may be filled next.
  choices(filled) {
    let found = 0;
    for (let c = 0; c < this.count; c++)
      if (!((filled >> c) & 1) && !(this.prerequisites[c] & ~filled)) found |= 1 << c;
    return found;
  }

  // Bitmask of the boxes that may take a roll, and the way they score it (core/legal.py).
  scoring(state, choices, roll, isFirst) {
    const { joker } = this,
      number = this.jokerOfRoll[roll];
    let allowed = choices,
      way = isFirst ? ON_FIRST_ROLL : 0;
    if (this.requiring && !state.paid) way += UNMET;
    if (number >= 0 && state.filled & joker.bit) {
      const box = joker.box[number],
        isOpen = (box & ~state.filled) !== 0;
      if ((state.paid || !joker.bonus_requires_points) && (isOpen || !joker.bonus_requires_open))
        way += WITH_BONUS;
      if (state.paid || !joker.requires_points) {
        if (joker.always_in_full || !isOpen) way += IN_FULL;
        if (joker.must_match)
          allowed = (isOpen ? box & choices : choices & ~this.upper_bits) || choices;
      }
    }
    if (this.strict) {
      let paying = 0;
      for (let c = 0; c < this.count; c++) {
        if ((allowed >> c) & 1 && this.outcomes.points[this.outcome(way, c, roll)] > 0)
          paying |= 1 << c;
      }
      allowed = paying || allowed;
    }
    return [allowed, way];
  }

  // Number of the outcome of a category for a roll.
  outcome(way, category, roll) {
    return this.numbers[this.ways[way][category]][roll];
  }

  // The boxes that may take a roll, as numbers of outcomes, in the order of the sheet.
  outcomesOf(state, roll, isFirst) {
    const [allowed, way] = this.scoring(state, this.choices(state.filled), roll, isFirst),
      found = [];
    for (let c = 0; c < this.count; c++)
      if ((allowed >> c) & 1) found.push(this.outcome(way, c, roll));
    return found;
  }

  points(outcome) {
    return this.outcomes.points[outcome];
  }

  bonusPoints(outcome) {
    return this.outcomes.total[outcome] - this.outcomes.points[outcome];
  }
}
