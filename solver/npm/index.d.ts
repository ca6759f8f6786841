import type { ExpectAnswer, HoldAnswer, OutcomesAnswer, ReviewAnswer, ScoreAnswer } from "./answers.js";

export type * from "./answers.js";

/** Points by category, or text such as "ones=3 chance=22"; 0 crosses out. */
export type Card = string | Record<string, number>;

/** Faces, or text such as "33456". */
export type Dice = string | readonly number[];

/** What is asked in any position. Without an objective the expected final score is maximised. */
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

/** At most one objective, late in a game. */
export interface Objective {
  /** Maximise the chance of at least this final score. */
  goal?: number;
  /** Maximise the chance to win against final scores and cards, in text separated by semicolons. */
  opponents?: string | readonly (number | string)[];
  ties?: "loss" | "half" | "win";
}

export interface HoldRequest extends Position, Objective {
  dice: Dice;
  rolls_left?: number;
  explain?: boolean;
}

export type ScoreRequest = HoldRequest;

export interface ExpectRequest extends Position, Objective {
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
  review(request: ReviewRequest, options?: Options): Promise<ReviewAnswer>;
}

/** A request that cannot be answered; test the code, never the sentence. */
export class EngineError extends Error {
  code: string;
  template: string;
  values: Record<string, unknown>;
  field?: string;
  retryable: boolean;
}
