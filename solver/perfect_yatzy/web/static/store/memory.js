// The games kept in the browser: the records, as `yatzy rate` reads them, each with the figures of its review.
import { ask } from "./ask.js";
import { loadRules, playedRules, recordedRules, ruleSet } from "./rulesets.js";
import { isWithin, marksOf } from "./game.js";
import { element } from "../words/dom.js";
import { isMistake } from "../words/grades.js";
import { _, formatNumber } from "../words/i18n.js";
import { totals } from "./state.js";
import { PREFIX, readRecords, replaceRecords, writeRecords } from "./records.js";
import { stored } from "./storage.js";

const MAX_EXPLAINED = 50; // decisions with the reason why

// Reviews a game for all its players.
export async function reviewGame(record) {
  if (typeof record.rules === "string") await loadRules(record.rules).catch(() => {}); // the answer to `review` explains what is wrong
  return Promise.all(
    record.players.map((_name, player) =>
      ask("review", { game: record, player, why: MAX_EXPLAINED }),
    ),
  );
}

// --- the games that are kept, each a record of its own ---

const KEPT = `${PREFIX}game:`,
  REMOVED = "removed"; // by the player: it does not come back from a tab that still shows its end
const keyOf = (record) =>
  KEPT +
  JSON.stringify([record.date, record.rules, record.players, record.date ? 0 : record.turns]); // a game corrected by undo replaces itself
const timeOf = ({ record }) => Date.parse(record.date) || 0; // a file may have anything

// { record, players: [{ name, result, start, luck, lost (of it holds, boxes), bonus, faces }] }, by their dates
export async function games() {
  const earlier = await takeEarlierGames(),
    records = await readRecords((key) => key.startsWith(KEPT));
  return [...records.values()]
    .filter((text) => text !== REMOVED)
    .map((text) => JSON.parse(text))
    .concat(earlier)
    .sort((a, b) => timeOf(a) - timeOf(b));
}

// Removes games for good; the function returned brings them back.
export const removeGames = (some) =>
  replaceRecords(new Map(some.map(({ record }) => [keyOf(record), REMOVED])));

// Earlier versions kept all games in one list. They become records, once; those are returned for which there is no room.
const EARLIER = "perfect-yatzy-games-1";
async function takeEarlierGames() {
  const list = stored(EARLIER);
  if (!Array.isArray(list)) return [];
  const changes = new Map(list.map((game) => [keyOf(game.record), JSON.stringify(game)]));
  if (!(await writeRecords(changes))) return list;
  localStorage.removeItem(EARLIER);
  return [];
}

// Keeps a finished game with its review; an unfinished one is left out, and one that was removed, unless it `isWanted` again.
// Returns whether it is new: null where it could not be stored.
export async function remember(record, found, isWanted = false) {
  if (!found.every((each) => each.finished)) return false;
  const key = keyOf(record),
    known = (await readRecords((each) => each === key)).get(key);
  if (known === REMOVED && !isWanted) return false;
  const players = found.map((each, player) => figuresOf(record, each, player));
  const isStored = await writeRecords(new Map([[key, JSON.stringify({ record, players })]]));
  return isStored ? known === undefined || known === REMOVED : null;
}

function figuresOf(record, found, player) {
  const lostBy = (isBox) =>
    found.decisions
      .filter(({ done }) => Boolean(done.category) === isBox)
      .reduce((sum, { loss }) => sum + loss, 0);
  return {
    name: record.players[player],
    ...(record.computers?.[player] && { computer: record.computers[player] }),
    result: found.result,
    start: found.start,
    luck: found.luck,
    lost: found.points_lost,
    holds: lostBy(false),
    boxes: lostBy(true),
    bonus: hasBonus(record, player),
    faces: facesOf(record, player),
  };
}

// Whether an upper bonus was paid; null in a game without one.
function hasBonus(record, player) {
  const rules = ruleSet(record.rules);
  return (
    rules.bonus &&
    totals(cardBefore(record, player, Infinity), rules).columns.some(({ paid }) => paid > 0)
  );
}

// How often each face was rolled; a hold that is not known counts no dice.
function facesOf(record, player) {
  const counts = {};
  for (const { rolls, holds } of record.turns.filter((turn) => turn.player === player)) {
    rolls.forEach((roll, i) => {
      const held = i ? holds[i - 1] : [];
      if (!held || !isWithin(held, roll)) return;
      const marks = marksOf(roll, held);
      roll.forEach((face, at) => {
        if (!marks[at]) counts[face] = (counts[face] || 0) + 1;
      });
    });
  }
  return counts;
}

// --- files: one record on each line ---

export async function download(records) {
  const rules = new Map();
  for (const { rules: spec } of records)
    if (!rules.has(spec)) rules.set(spec, await recordedRules(spec));
  const written = records.map((record) => ({ ...record, rules: rules.get(record.rules) }));
  save("games.jsonl", new Blob(written.map((record) => JSON.stringify(record) + "\n")));
}

export function save(name, content) {
  const link = element("a", { download: name, href: URL.createObjectURL(content) });
  link.click();
  URL.revokeObjectURL(link.href);
}

export async function gamesOf(text) {
  const lines = text
    .split("\n")
    .map((line, i) => [line.trim(), i + 1])
    .filter(([line]) => line);
  if (!lines.length) throw new Error(_("The file contains no game."));
  const found = lines.map(([line, number]) => {
    try {
      return JSON.parse(line);
    } catch {
      throw new Error(
        _("Line {number} of the file is not JSON.", { number: formatNumber(number) }),
      );
    }
  });
  for (const record of found) if (record?.rules) record.rules = await playedRules(record.rules);
  return found;
}

// --- positions of a recorded game ---

// The scorecard of a player before a turn, replayed from the record.
export function cardBefore(record, player, turn) {
  const rules = ruleSet(record.rules),
    before = { card: {}, bonusPoints: 0, saved: 0 };
  for (const each of record.turns.filter((one) => one.player === player).slice(0, turn - 1)) {
    before.card[each.category] = each.points;
    before.bonusPoints += each.bonus_points || each.beside || 0; // `beside` in records of schema 1
    if (rules.saved_rolls) before.saved += rules.rolls - each.rolls.length;
  }
  return before;
}

// A decision as a position to solve again.
export function positionOf(record, player, decision) {
  const { card, bonusPoints, saved } = cardBefore(record, player, decision.turn);
  return {
    rules: record.rules,
    card,
    bonus_points: bonusPoints,
    saved,
    dice: decision.dice,
    rolls_left: decision.rolls_left,
  };
}

export const mistakesOf = (record, found, player) =>
  found.decisions
    .filter((each) => isMistake(each.grade))
    .map((each) => ({ position: positionOf(record, player, each), loss: each.loss }));
