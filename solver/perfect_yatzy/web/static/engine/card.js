// Scorecards and dice of requests, checked as core/state.py and game/notation.py check them.
import { EngineError, N_ } from "./errors.js";

// Reads {"ones": 3} or "ones=3 sixes=24", with 0 or x for a box that is crossed out.
function entries(card) {
  if (typeof card !== "string") return Object.entries(card ?? {});
  return card
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map((entry) => {
      const [id, points] = entry.split("=");
      return [
        id,
        /^[0-9]{1,5}$/.test(points ?? "")
          ? Number(points)
          : /^[xX-]$/.test(points ?? "")
            ? 0
            : points,
      ];
    });
}

export class Card {
  constructor(game, points = new Map(), saved = 0, bonusPoints = 0) {
    Object.assign(this, { game, points, saved, bonusPoints });
  }

  // A checked card from the fields of a request.
  static read(game, { card = {}, saved = 0, bonus_points: bonusPoints = 0 }) {
    const points = new Map();
    for (const [id, value] of entries(card)) {
      const c = game.indexOf.get(id);
      if (c === undefined)
        throw new EngineError("unknown-category", N_("There is no box “{id}”."), { id }, "card");
      if (!game.categories[c].points.includes(value)) {
        throw new EngineError(
          "invalid-card",
          N_("{category} cannot hold {points}; it can hold {possible}"),
          { category: id, points: value, possible: game.categories[c].points },
          "card",
        );
      }
      points.set(c, value);
    }
    const found = new Card(
      game,
      new Map([...points].sort((a, b) => a[0] - b[0])),
      saved,
      bonusPoints,
    );
    found.check();
    return found;
  }

  check() {
    const { game, points } = this;
    for (const [field, value] of [
      ["saved", this.saved],
      ["bonus_points", this.bonusPoints],
    ]) {
      if (!Number.isInteger(value) || value < 0)
        throw new EngineError(
          "invalid-value",
          N_("{field} must be a whole number from 0 on."),
          { field },
          field,
        );
    }
    const sums = this.possibleBonusPoints();
    if (!sums.has(this.bonusPoints)) {
      throw new EngineError(
        "invalid-card",
        sums.size > 1
          ? N_("the bonus points cannot be {count}: this card can have {possible}")
          : N_("the bonus points cannot be {count}: this card cannot have any"),
        { count: this.bonusPoints, possible: [...sums].sort((a, b) => a - b) },
        "card",
      );
    }
    const { filled } = this.state;
    if (!game.inOrder(filled))
      throw new EngineError(
        "invalid-card",
        N_("The boxes are filled in order: one before them is open."),
        {},
        "card",
      );
    for (const [c, value] of points) {
      if (value && (game.requiring >> c) & 1 && !this.state.paid) {
        throw new EngineError(
          "invalid-card",
          N_("{category} cannot hold points while the box it requires holds none."),
          { category: game.categories[c].id },
          "card",
        );
      }
    }
    if (this.saved > game.layout.most_saved[points.size] || game.place(this.state) < 0) {
      throw new EngineError("invalid-state", N_("No game can lead to this card."), {}, "card");
    }
  }

  // The sums that joker and first-roll bonuses of the filled boxes can have.
  possibleBonusPoints() {
    const { joker, categories } = this.game,
      box = this.points.get(joker.index);
    const payments = [...this.points].map(([c, points]) =>
      points ? categories[c].first_roll_bonus : 0,
    );
    // in each turn but that of the joker's box
    if (joker.bonus && box !== undefined && (box > 0 || !joker.bonus_requires_points))
      payments.push(...Array(this.points.size - 1).fill(joker.bonus));
    const sums = new Set([0]);
    for (const payment of payments.filter(Boolean))
      for (const sum of [...sums]) sums.add(sum + payment);
    return sums;
  }

  get total() {
    return [...this.points.values()].reduce((sum, points) => sum + points, this.bonusPoints);
  }

  // Sum of the upper boxes of each column, not capped.
  get columnSums() {
    const sums = this.game.uppers.thresholds.map(() => 0);
    for (const [c, points] of this.points)
      if (this.game.categories[c].upper) sums[this.game.categories[c].column] += points;
    return sums;
  }

  get upperNumber() {
    const { thresholds, weights, paid } = this.game.uppers;
    return paid.length
      ? this.columnSums.reduce(
          (sum, total, i) => sum + weights[i] * Math.min(total, thresholds[i]),
          0,
        )
      : 0;
  }

  get state() {
    let filled = 0;
    for (const c of this.points.keys()) filled |= 1 << c;
    const tracked = this.game.layout.tracked_index;
    return {
      filled,
      upper: this.upperNumber,
      saved: this.saved,
      paid: tracked >= 0 && (this.points.get(tracked) ?? 0) > 0,
    };
  }

  get isFull() {
    return this.points.size === this.game.count;
  }

  filledWith(outcome, saved = 0) {
    const c = this.game.outcomes.category[outcome],
      points = new Map(this.points);
    points.set(c, this.game.points(outcome));
    return new Card(this.game, points, saved, this.bonusPoints + this.game.bonusPoints(outcome));
  }

  // The lowest final score this card can end with.
  get leastScore() {
    const { categories, requiring } = this.game,
      points = new Map(this.points);
    categories.forEach((category, c) => {
      if (!points.has(c)) points.set(c, (requiring >> c) & 1 ? 0 : category.least);
    });
    const sure = new Card(this.game, points, 0, this.bonusPoints);
    return sure.total + this.game.upperBonus(sure.upperNumber);
  }

  // The card as the fields every answer has.
  fields() {
    const { game, state } = this,
      { filled, upper } = state;
    const card = Object.fromEntries(
      [...this.points].map(([c, points]) => [game.categories[c].id, points]),
    );
    return {
      card,
      card_total: this.total,
      state: {
        filled,
        upper,
        ...(game.saved_rolls ? { saved: this.saved } : {}),
        ...(game.joker.bit ? { joker_paid: state.paid } : {}),
      },
    };
  }
}

// Dice of a request, ascending: "33456" or [3, 3, 4, 5, 6]; `number` of them, or at most as many as the rules have.
export function readDice(game, dice, field, number = null) {
  const given = typeof dice === "string" ? [...dice.replace(/[\s,;-]/g, "")].map(Number) : dice;
  if (!Array.isArray(given))
    throw new EngineError("missing-field", N_("{field} is missing."), { field }, field);
  const isRight = number === null ? given.length <= game.dice : given.length === number;
  if (
    !isRight ||
    !given.every((face) => Number.isInteger(face) && face >= 1 && face <= game.faces)
  ) {
    throw new EngineError(
      "invalid-dice",
      N_("{dice} are not dice of these rules."),
      { dice: given.join(" ") },
      field,
    );
  }
  return [...given].sort((a, b) => a - b);
}
