// The puzzle of the day: its number and its link, the choices of the player, and the result as a line to share.
import { fixedDice } from "../engine/fixed-dice.js";
import { signedText } from "../table/actions.js";
import { gradeName } from "../words/grades.js";
import { _, formatNumber, language } from "../words/i18n.js";
import { ruleSet } from "../store/rulesets.js";
import { store, stored } from "../store/storage.js";
import { DAY_1970, DAY_MS, askPuzzle, noteToday, today } from "./puzzle.js";

const KEY = "perfect-yatzy-today-1",
  MAX_KEPT = 400;
const DAY_BEFORE_FIRST = 739_616; // number 1 is the puzzle of 1 January 2026
const DIFFICULTY = "medium";
const MINUTE_MS = 60_000,
  HOUR_MINUTES = 60;

export const numberOf = (day) => day - DAY_BEFORE_FIRST;

// A day in words; `parts` are those of Intl.DateTimeFormat.
export const dayText = (day, parts = { weekday: "long", day: "numeric", month: "long" }) =>
  new Intl.DateTimeFormat(language, { ...parts, timeZone: "UTC" }).format(
    (day - DAY_1970) * DAY_MS,
  );

// How long until the day of the player's clock ends.
export function untilTomorrow(now = new Date()) {
  const end = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1),
    minutes = Math.ceil((end - now) / MINUTE_MS);
  return _("Next puzzle in {hours} h {minutes} min", {
    hours: formatNumber(Math.floor(minutes / HOUR_MINUTES)),
    minutes: formatNumber(minutes % HOUR_MINUTES),
  });
}

// --- the link ---

// { day, rules } of a link such as #day=332&rules=yatzy; null if it is another link. A day that has not come yet is today:
// nobody knows a puzzle earlier than the others.
export function dayOfLink(hash) {
  const link = new URLSearchParams(hash.slice(1)),
    number = link.get("day");
  if (number === null) return null;
  const isNumber = /^\d{1,6}$/.test(number) && Number(number) > 0;
  return {
    day: isNumber ? Math.min(today(), Number(number) + DAY_BEFORE_FIRST) : today(),
    rules: link.get("rules")?.replaceAll(" ", "+") || null,
  };
}

export const linkOfDay = (day, rules) =>
  `${location.href.split("#")[0]}#day=${numberOf(day)}&rules=${rules}`;

// --- the turn ---

// The puzzle of a day as a whole turn: { day, rules, card, bonus_points, saved, rolls }. `rolls` has the faces of all dice in
// each roll of the turn: those of the puzzle, then what the dice show that are rolled again.
export async function askDay(rules, day) {
  const { dice, rolls_left: _left, ...position } = await askPuzzle(rules, DIFFICULTY, 0, day),
    { rolls: count, faces, saved_rolls: isSaved } = ruleSet(rules);
  const text = `perfect-yatzy puzzle ${numberOf(day)}`,
    rolls = [dice];
  while (rolls.length < count + (isSaved ? position.saved : 0))
    rolls.push(fixedDice(text, rolls.length + 1, dice.length, faces));
  return { ...position, day, rolls };
}

// The decisions of a turn, made and open: { dice, rollsLeft, isBox, choice }. A choice is { kept } with a mark for each die, or
// { category }. Who keeps all dice goes on to the box.
export function decisionsOf({ rolls }, choices) {
  const decisions = [];
  let dice = rolls[0],
    roll = 0,
    isBox = rolls.length === 1;
  for (const choice of [...choices, null]) {
    decisions.push({ dice, rollsLeft: rolls.length - 1 - roll, isBox, choice });
    if (!choice || isBox) break;
    if (choice.kept.every(Boolean)) isBox = true;
    else {
      roll += 1;
      dice = rolls[roll].map((face, i) => (choice.kept[i] ? decisions.at(-1).dice[i] : face));
      isBox = roll === rolls.length - 1;
    }
  }
  return decisions;
}

// --- what is kept of a day: { choices, losses, grades }; losses and grades once the turn is over ---

const keyOf = ({ day, rules }) => `${day} ${rules}`;
const read = () => stored(KEY) || {};
export const resultOf = (puzzle) => read()[keyOf(puzzle)] || { choices: [] };

function write(puzzle, result) {
  const others = Object.entries(read()).filter(([key]) => key !== keyOf(puzzle));
  store(KEY, Object.fromEntries([...others, [keyOf(puzzle), result]].slice(-MAX_KEPT)));
}

// The first choice counts: it cannot be taken back.
export const noteChoiceOfDay = (puzzle, choice) =>
  write(puzzle, { choices: [...resultOf(puzzle).choices, choice] });

export function noteResult(puzzle, losses, grades) {
  write(puzzle, { choices: resultOf(puzzle).choices, losses, grades });
  if (puzzle.day === today()) noteToday();
}

export const lostIn = ({ losses }) => losses.reduce((sum, loss) => sum + loss, 0);

// --- the result without words on the puzzle ---

const SQUARES = {
  best: ["🟩", "✓", "right"],
  tied: ["🟩", "✓", "right"],
  inaccuracy: ["🟨", "?", "doubtful"],
  mistake: ["🟨", "?", "doubtful"],
  blunder: ["🟥", "??", "wrong"],
};
export const squareOf = (grade) => {
  const [emoji, sign, kind] = SQUARES[grade];
  return { emoji, sign, kind, name: gradeName(grade) };
};

// Such as "Yatzy 332 🟨🟩🟩 −0.4".
export const shareLine = (puzzle, result) =>
  [
    ruleSet(puzzle.rules).name,
    numberOf(puzzle.day),
    result.grades.map((grade) => squareOf(grade).emoji).join(""),
    signedText(-lostIn(result)),
  ].join(" ");
