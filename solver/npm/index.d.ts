/** Points by category, or text such as "ones=3 chance=22"; 0 crosses out. */
export type Card = string | Record<string, number>;

/** Faces, or text such as "33456". */
export type Dice = string | readonly number[];

/** What is asked in any position. Without an aim the expected final score is maximised. */
export interface Position {
  /** A rule set of the site with its switches; by default the first one. */
  rules?: string;
  card?: Card;
  /** Saved rolls at the start of this turn, if the rules save rolls. */
  saved?: number;
  /** Points paid on top of the categories so far (jokers, first rolls). */
  bonus_points?: number;
  /** Returned unchanged. */
  id?: unknown;
}

/** At most one aim, late in a game. */
export interface Aim {
  /** Maximise the chance of at least this final score. */
  goal?: number;
  /** Maximise the chance to win against final scores and cards, in text separated by semicolons. */
  opponents?: string | readonly (number | string)[];
  ties?: "loss" | "half" | "win";
}

export interface HoldRequest extends Position, Aim {
  dice: Dice;
  rolls_left?: number;
  explain?: boolean;
}

export type ScoreRequest = HoldRequest;

export interface ExpectRequest extends Position, Aim {
  /** Whether to add the exact distribution; true unless said otherwise. */
  spread?: boolean;
}

export interface OutcomesRequest extends Position {
  hold: Dice;
  rolls_left?: number;
}

export interface ReviewRequest {
  /** One line of a record of games. */
  game: { rules: string; [field: string]: unknown };
  player?: number;
  /** How many of the worst decisions are explained. */
  why?: number;
}

export interface Outlook {
  turn_points: number;
  later_points: number | null;
  bonus_chance: number | null;
  /** Category, chance, mean points. */
  categories: [string, number, number][];
}

export interface Option {
  expected_final_score: number;
  expected_remaining: number;
  /** Less than the best option: points, or with an aim probability. */
  loss: number;
  chance?: number;
  outlook?: Outlook;
}

export interface HoldOption extends Option {
  hold: number[];
  /** Number of dice. */
  reroll: number;
  /** The category to take if all dice are held. */
  category: string | null;
}

export interface ScoreOption extends Option {
  category: string;
  points: number;
  bonus_points: number;
}

export interface Answer {
  schema: 2;
  rules: string;
  id?: unknown;
  card: Record<string, number>;
  card_total: number;
  state: { filled: number; upper: number; saved?: number; joker_paid?: boolean };
  expected_final_score: number;
}

export interface Aimed {
  aim?: Record<string, unknown>;
  chance?: number;
  certain?: boolean;
  out_of_reach?: boolean;
}

export interface HoldAnswer extends Omit<Answer, "expected_final_score">, Aimed {
  query: "hold";
  expected_final_score?: number;
  dice: number[];
  rolls_left: number;
  rolls: number;
  best: HoldOption;
  holds: HoldOption[];
}

export interface ScoreAnswer extends Omit<Answer, "expected_final_score">, Aimed {
  query: "score";
  expected_final_score?: number;
  dice: number[];
  rolls_left: number;
  best: ScoreOption;
  categories: ScoreOption[];
}

export interface Distribution {
  policy?: string;
  standard_deviation: number;
  upper_bonus_chance: number;
  /** Scores by percentage: 5, 25, 50, 75, 95. */
  percentiles: Record<string, number>;
  lowest: number;
  /** Of `lowest`, `lowest` + 1, ... */
  chances: number[];
  /** `crossed_out`: the chance of no points. */
  categories: { category: string; mean: number; crossed_out: number }[];
}

export interface ExpectAnswer extends Answer, Aimed {
  query: "expect";
  expected_remaining: number;
  turns_left: number;
  open: string[];
  upper: number;
  upper_by_column?: number[];
  chance_by_mean_play?: number;
  /** Why `chance` is missing: the solve for the goal is too large. */
  chance_note?: string;
  distribution?: Distribution | null;
  standard_deviation?: number;
}

export interface OutcomesAnswer extends Answer {
  query: "outcomes";
  hold: number[];
  rolls_left: number;
  outcomes: { rolled: number[]; chance: number; expected_final_score: number }[];
}

export interface Options {
  /** Withdraws the question. */
  signal?: AbortSignal;
}

export class Engine {
  /** The address of the folder of a site that `yatzy site` wrote. */
  constructor(address: string | URL);
  /** The rule sets of the site. */
  games(): Promise<{ id: string; name: string }[]>;
  /** Which dice to hold: every hold, best first. */
  hold(request: HoldRequest, options?: Options): Promise<HoldAnswer>;
  /** Which category to take: every category, best first. */
  score(request: ScoreRequest, options?: Options): Promise<ScoreAnswer>;
  /** The expected final score, and its distribution. */
  expect(request?: ExpectRequest, options?: Options): Promise<ExpectAnswer>;
  /** Every roll that may follow a hold. */
  outcomes(request: OutcomesRequest, options?: Options): Promise<OutcomesAnswer>;
  /** A recorded game with a grade for each decision. */
  review(request: ReviewRequest, options?: Options): Promise<Record<string, unknown>>;
}

/** A request that cannot be answered; test the code, never the sentence. */
export class EngineError extends Error {
  code: string;
  template: string;
  values: Record<string, unknown>;
  field?: string;
  retryable: boolean;
}
