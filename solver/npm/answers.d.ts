// Made by .ci/answer_types.py from perfect_yatzy/service/answer_types.py.

/** What is maximised instead of the expected score: a goal, or the chance to win. */
export interface Aim {
  /** Final score to reach */
  goal?: number;
  /** The opponents */
  opponents?: OpponentFigures[];
  /** The card of an opponent who plays to win, too */
  versus?: string;
  /** What a tie counts: loss, half or win */
  ties?: string;
  /** Number of opponents whose cards are not seen; players who tie share */
  field?: number;
  /** What each of them follows */
  policy?: string;
  /** Of how many best places one is to be taken */
  places?: number;
  /** Of the final score of each of them */
  mean?: number;
  /** Of it */
  standard_deviation?: number;
  /** Whether the chances are at least so large: an opponent still plays */
  lower_bound?: boolean;
}

/** Why an answer is not exact. */
export interface Approximate {
  /** One sentence, for people */
  text: string;
  /** Mean of simulated games */
  mean?: number;
  /** Its 99 % interval */
  interval99?: number[];
  /** Number of these games */
  games?: number;
  /** No strategy scores more on average */
  upper_bound?: number;
  /** Relative difference between mean and bound */
  gap?: number;
}

/** One category at the end of the game. */
export interface CategoryDistribution {
  /** Id of the category */
  category: string;
  /** Expected points of its box */
  mean: number;
  /** Chance of no points */
  crossed_out: number;
}

/** One category to take. */
export interface CategoryOption {
  /** Of the goal or the win */
  chance?: number;
  /** With the points on the card */
  expected_final_score: number;
  /** Without the points on the card */
  expected_remaining: number;
  /** Against the best option, in points or in chance */
  loss: number;
  /** With `explain`, for the first two options */
  outlook?: Outlook;
  /** Id of the category */
  category: string;
  /** Points of its box */
  points: number;
  /** Points beside the box (joker, first roll) */
  bonus_points: number;
}

/** The exact distribution of the final score. */
export interface Distribution {
  /** What is played: the mean */
  policy: string;
  /** Of the final score */
  standard_deviation: number;
  /** Chance of the upper bonus */
  upper_bonus_chance: number;
  /** Scores by percentage */
  percentiles: Record<string, number>;
  /** The score of the first of `chances` */
  lowest: number;
  /** Chance of each score */
  chances: number[];
  /** The open categories */
  categories: CategoryDistribution[];
}

/** What to expect from a card on. */
export interface ExpectAnswer {
  /** Version of the answers */
  schema: number;
  /** The question */
  query: string;
  /** The rule set with its switches */
  rules: string;
  /** That of the request */
  id?: string | number;
  /** Only if the answer is not exact */
  approximate?: Approximate;
  /** Points by category */
  card: Record<string, number>;
  /** Points on the card, without the upper bonus to come */
  card_total: number;
  /** The card as the solver sees it */
  state: GameState;
  /** What is maximised, if not the mean */
  aim?: Aim;
  /** Under best play for the mean */
  expected_final_score?: number;
  /** Of the goal or the win under best play */
  chance?: number;
  /** Whether the goal or the win is certain */
  certain?: boolean;
  /** Whether it is impossible */
  out_of_reach?: boolean;
  /** Expected points to come */
  expected_remaining: number;
  /** Number of open categories */
  turns_left: number;
  /** Ids of the open categories */
  open: string[];
  /** The upper sum */
  upper: number;
  /** The same for each column */
  upper_by_column?: number[];
  /** Chance of the goal by play for the mean */
  chance_by_mean_play?: number;
  /** Why `chance` is missing: the solve for the goal is too large */
  chance_note?: string;
  /** Null if these rules have none */
  distribution?: Distribution | null;
  /** Where only that is stored */
  standard_deviation?: number;
}

/** A card as the solver sees it. */
export interface GameState {
  /** Bitmask of the filled categories */
  filled: number;
  /** Upper sum, up to the threshold of the bonus */
  upper: number;
  /** Saved rolls */
  saved?: number;
  /** Whether the box of the joker holds points */
  joker_paid?: boolean;
}

/** Which dice to hold. */
export interface HoldAnswer {
  /** Version of the answers */
  schema: number;
  /** The question */
  query: string;
  /** The rule set with its switches */
  rules: string;
  /** That of the request */
  id?: string | number;
  /** Only if the answer is not exact */
  approximate?: Approximate;
  /** Points by category */
  card: Record<string, number>;
  /** Points on the card, without the upper bonus to come */
  card_total: number;
  /** The card as the solver sees it */
  state: GameState;
  /** What is maximised, if not the mean */
  aim?: Aim;
  /** Under best play for the mean */
  expected_final_score?: number;
  /** Of the goal or the win under best play */
  chance?: number;
  /** Whether the goal or the win is certain */
  certain?: boolean;
  /** Whether it is impossible */
  out_of_reach?: boolean;
  /** The dice, ascending */
  dice: number[];
  /** Rerolls left, which a category gives up */
  rolls_left: number;
  /** Rolls this turn can have */
  rolls: number;
  /** The best hold */
  best: HoldOption;
  /** All holds, best first */
  holds: HoldOption[];
}

/** One way to hold some of the dice. */
export interface HoldOption {
  /** Of the goal or the win */
  chance?: number;
  /** With the points on the card */
  expected_final_score: number;
  /** Without the points on the card */
  expected_remaining: number;
  /** Against the best option, in points or in chance */
  loss: number;
  /** With `explain`, for the first two options */
  outlook?: Outlook;
  /** Dice held */
  hold: number[];
  /** Number of dice to reroll */
  reroll: number;
  /** The category to take, if all dice are held */
  category: string | null;
}

/** What is known about an opponent's final score. */
export interface OpponentFigures {
  /** Whether the opponent is still playing */
  playing: boolean;
  /** Expected final score */
  mean: number;
  /** Of the final score */
  standard_deviation: number;
}

/** Every roll that may follow a hold. */
export interface OutcomesAnswer {
  /** Version of the answers */
  schema: number;
  /** The question */
  query: string;
  /** The rule set with its switches */
  rules: string;
  /** That of the request */
  id?: string | number;
  /** Only if the answer is not exact */
  approximate?: Approximate;
  /** Points by category */
  card: Record<string, number>;
  /** Points on the card, without the upper bonus to come */
  card_total: number;
  /** The card as the solver sees it */
  state: GameState;
  /** What is maximised, if not the mean */
  aim?: Aim;
  /** Under best play for the mean */
  expected_final_score?: number;
  /** Of the goal or the win under best play */
  chance?: number;
  /** Whether the goal or the win is certain */
  certain?: boolean;
  /** Whether it is impossible */
  out_of_reach?: boolean;
  /** The dice held */
  hold: number[];
  /** Rerolls left before this one */
  rolls_left: number;
  /** Highest first */
  outcomes: RollOutcome[];
}

/** What an option leads to. */
export interface Outlook {
  /** Expected points of this turn */
  turn_points: number;
  /** Expected points of the later turns; null with a goal or opponents */
  later_points: number | null;
  /** Chance of the upper bonus; null if it is not known */
  bonus_chance: number | null;
  /** Where the turn ends, most likely first */
  categories: ((string | number)[])[];
}

/** A game with a grade for each decision. */
export interface ReviewAnswer {
  /** Name of the player */
  player: string;
  /** Final score; what is expected if the game is not finished */
  result: number;
  /** Whether the card is full */
  finished: boolean;
  /** Expected final score at the start */
  start: number;
  /** Sum over the rolls */
  luck: number;
  /** Sum over the decisions */
  points_lost: number;
  /** Number of decisions by grade */
  grades: Record<string, number>;
  /** As they were played */
  decisions: ReviewedDecision[];
  /** As they were rolled */
  rolls: RollLuck[];
  /** Only if the strategy is not exact */
  approximate?: Approximate;
}

/** An action of a recorded game, or the best one: a hold, or a category. */
export interface ReviewedAction {
  /** Dice held; absent for a category */
  hold?: number[];
  /** The category taken; null for a hold */
  category: string | null;
  /** Points of its box */
  points?: number;
  /** Points beside the box */
  bonus_points?: number;
  /** Expected points to come */
  expected_remaining: number;
  /** With `why`, for the worst decisions */
  outlook?: Outlook;
}

/** A decision with its grade. */
export interface ReviewedDecision {
  /** Number of the turn, from 1 */
  turn: number;
  /** Number of the roll, from 1 */
  roll: number;
  /** The dice, ascending */
  dice: number[];
  /** Rerolls left */
  rolls_left: number;
  /** What was played */
  done: ReviewedAction;
  /** What is best */
  best: ReviewedAction;
  /** Expected points lost */
  loss: number;
  /** best, tied, inaccuracy, mistake or blunder */
  grade: string;
}

/** The luck of a roll. */
export interface RollLuck {
  /** Number of the turn, from 1 */
  turn: number;
  /** Number of the roll, from 1 */
  roll: number;
  /** The dice, ascending */
  dice: number[];
  /** Expected points gained */
  roll_luck: number;
}

/** One roll that may follow a hold. */
export interface RollOutcome {
  /** Faces of the dice rolled */
  rolled: number[];
  /** Its probability */
  chance: number;
  /** With it, under best play */
  expected_final_score: number;
}

/** Which category to take. */
export interface ScoreAnswer {
  /** Version of the answers */
  schema: number;
  /** The question */
  query: string;
  /** The rule set with its switches */
  rules: string;
  /** That of the request */
  id?: string | number;
  /** Only if the answer is not exact */
  approximate?: Approximate;
  /** Points by category */
  card: Record<string, number>;
  /** Points on the card, without the upper bonus to come */
  card_total: number;
  /** The card as the solver sees it */
  state: GameState;
  /** What is maximised, if not the mean */
  aim?: Aim;
  /** Under best play for the mean */
  expected_final_score?: number;
  /** Of the goal or the win under best play */
  chance?: number;
  /** Whether the goal or the win is certain */
  certain?: boolean;
  /** Whether it is impossible */
  out_of_reach?: boolean;
  /** The dice, ascending */
  dice: number[];
  /** Rerolls left, which a category gives up */
  rolls_left: number;
  /** The best category */
  best: CategoryOption;
  /** All categories, best first */
  categories: CategoryOption[];
}
