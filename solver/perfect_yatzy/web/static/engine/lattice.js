// Multisets of dice as integers, and the two passes of a turn over them (perfect_yatzy/core/dice.py in Python).
//
// The index of a multiset orders by size, then by its sorted dice; full rolls come last. With five dice there are 462
// multisets, of which the last 252 are rolls.

const built = new Map();

export function lattice(dice, faces) {
  const key = `${dice} ${faces}`;
  if (!built.has(key)) built.set(key, new Lattice(dice, faces));
  return built.get(key);
}

class Lattice {
  constructor(dice, faces) {
    this.dice = dice;
    this.faces = faces;
    this.multisets = []; // index -> faces, ascending
    this.first = []; // index of the first multiset of each size
    this.indexOfKey = new Map();
    const add = (chosen, lowest, size) => {
      if (chosen.length === size) {
        this.indexOfKey.set(chosen.join(), this.multisets.length);
        this.multisets.push([...chosen]);
        return;
      }
      for (let face = lowest; face <= faces; face++) add([...chosen, face], face, size);
    };
    for (let size = 0; size <= dice; size++) {
      this.first.push(this.multisets.length);
      add([], 1, size);
    }
    this.size = this.multisets.length;
    this.firstRoll = this.first[dice];
    this.rollCount = this.size - this.firstRoll;
    this.first.push(this.size);
    // Multisets with one die more, for all but the rolls; and with one die less, one for each different face.
    this.successors = new Int32Array(this.firstRoll * faces);
    for (let i = 0; i < this.firstRoll; i++) {
      for (let face = 1; face <= faces; face++)
        this.successors[i * faces + face - 1] = this.index([...this.multisets[i], face]);
    }
    const lower = [];
    this.lowerStart = new Int32Array(this.size + 1);
    this.multisets.forEach((held, i) => {
      held.forEach((face, at) => {
        if (face !== held[at - 1]) lower.push(this.index(held.filter((_, other) => other !== at)));
      });
      this.lowerStart[i + 1] = lower.length;
    });
    this.lower = Int32Array.from(lower);
    this.weights = Float64Array.from(this.multisets.slice(this.firstRoll), (roll) =>
      this.chance(roll),
    );
    this.holdsOf = []; // filled by holds()
  }

  // The index of dice in any order.
  index(dice) {
    return this.indexOfKey.get([...dice].sort((a, b) => a - b).join());
  }

  // The chance that as many dice show these faces.
  chance(dice) {
    let orders = 1,
      run = 0;
    dice.forEach((face, i) => {
      run = face === dice[i - 1] ? run + 1 : 1;
      orders *= (i + 1) / run;
    });
    return Math.round(orders) / this.faces ** dice.length;
  }

  // The multisets within a roll (number of the roll, from 0): most dice first, so the roll itself, then higher faces.
  holds(roll) {
    if (!this.holdsOf[roll]) {
      const found = new Set([this.firstRoll + roll]);
      for (const held of found)
        for (let p = this.lowerStart[held]; p < this.lowerStart[held + 1]; p++)
          found.add(this.lower[p]);
      this.holdsOf[roll] = Int32Array.from(found).sort().reverse();
    }
    return this.holdsOf[roll];
  }

  // The value of each hold, from the value of each roll after the reroll; a value may be `width` numbers side by side.
  means(rolls, width = 1) {
    const { successors, faces, firstRoll } = this,
      holds = new Float64Array(this.size * width);
    holds.set(rolls, firstRoll * width);
    for (let i = firstRoll - 1, next = firstRoll * faces; i >= 0; i--) {
      for (let face = 0; face < faces; face++) {
        const from = successors[--next] * width;
        for (let x = 0; x < width; x++) holds[i * width + x] += holds[from + x];
      }
      for (let x = 0; x < width; x++) holds[i * width + x] /= faces;
    }
    return holds;
  }

  // The best hold within each roll, or the roll itself, from the value of each hold and of each roll.
  maxima(holds, stop, width = 1) {
    const best = Float64Array.from(holds),
      { lower, lowerStart } = this;
    best.set(stop, this.firstRoll * width);
    for (let i = 1; i < this.size; i++) {
      for (let p = lowerStart[i]; p < lowerStart[i + 1]; p++) {
        const from = lower[p] * width;
        for (let x = 0; x < width; x++)
          if (best[from + x] > best[i * width + x]) best[i * width + x] = best[from + x];
      }
    }
    return best.subarray(this.firstRoll * width);
  }

  // The chance of each roll after rerolling, from the chance of each hold before; changes its argument.
  reroll(chances) {
    const { successors, faces, firstRoll } = this;
    for (let i = 0; i < firstRoll; i++) {
      if (!chances[i]) continue;
      const share = chances[i] / faces;
      for (let face = 0; face < faces; face++) chances[successors[i * faces + face]] += share;
    }
    return chances.subarray(firstRoll);
  }
}
