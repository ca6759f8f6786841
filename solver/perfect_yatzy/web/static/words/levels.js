// The levels of computer players that the page has, weakest first: one set of names for all rooms. Numbers and shares are
// those of policies/levels.py, which has three more.
import { _ } from "./i18n.js";

export const PERFECT = 8; // the number of the level without errors
const SHARES = [0.16, 0.1, 0.06, 0.04, 0.024, 0.012, 0.006, 0]; // of the average of perfect play, given away in a game

// { number, share }
export const LEVELS = [2, 3, 5, 6, PERFECT].map((number) => ({
  number,
  share: SHARES[number - 1],
}));

export const levelName = (number) =>
  ({ 2: _("Novice"), 3: _("Casual"), 5: _("Skilled"), 6: _("Strong"), [PERFECT]: _("Perfect") })[
    number
  ];
