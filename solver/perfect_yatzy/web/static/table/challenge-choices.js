// The choices of a game whose dice a text fixes, as a text for its link: with them the friend can compare turn by turn. A turn is
// the dice kept, two characters for the places in each sorted roll, then the letter of the box, its points, and a bonus beside:
// "0h00C28." or "D50+100.".
import { marksOf, sorted } from "../store/game.js";

const TURN = /((?:[0-9a-z]{2})*)([A-Z])(\d{1,4})(?:\+(\d{1,4}))?\./g,
  FIRST_BOX = "A".charCodeAt(0);

const placesOf = (roll, hold) =>
  marksOf(roll, hold)
    .reduce((bits, isKept, place) => bits + (isKept ? 2 ** place : 0), 0)
    .toString(36)
    .padStart(2, "0");

export const choicesText = (turns, { categories }) =>
  turns
    .map(({ rolls, holds, category, points, bonus_points: bonus }) => {
      const box = categories.findIndex(({ id }) => id === category);
      return [
        ...holds.map((hold, i) => placesOf(rolls[i], hold ?? [])),
        String.fromCharCode(FIRST_BOX + box),
        points,
        bonus ? `+${bonus}` : "",
        ".",
      ].join("");
    })
    .join("");

// The turns of a record; `sameDice(turn, roll)` are the faces of all dice in a roll, both from 1.
export function turnsOfChoices(text, sameDice, { categories }) {
  const turns = [];
  for (const [, places, box, points, bonus] of text.matchAll(TURN)) {
    const turn = turns.length + 1,
      rolls = [sorted(sameDice(turn, 1))],
      holds = [];
    for (const each of places.match(/../g) ?? []) {
      const bits = parseInt(each, 36),
        hold = rolls.at(-1).filter((_face, place) => bits & (2 ** place));
      holds.push(hold);
      rolls.push(sorted([...hold, ...sameDice(turn, rolls.length + 1).slice(hold.length)]));
    }
    turns.push({
      player: 0,
      rolls,
      holds,
      category: categories[box.charCodeAt(0) - FIRST_BOX]?.id,
      points: Number(points),
      ...(bonus ? { bonus_points: Number(bonus) } : {}),
    });
  }
  return turns;
}
