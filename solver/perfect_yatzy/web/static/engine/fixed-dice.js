// Dice that are the same for everybody: what die n shows in roll r follows from a text, such as the day of a puzzle. Who
// keeps other dice sees other faces, yet never a different one for the same die in the same roll.
import { digestOf } from "./sha256.js";

// The faces of all dice in a roll; rolls and dice count from 1.
export function fixedDice(text, roll, dice, faces) {
  const found = [];
  for (let die = 1; die <= dice; die++) {
    const digest = digestOf(new TextEncoder().encode(`${text} roll ${roll} die ${die}`));
    found.push(1 + (new DataView(digest.buffer).getUint32(0) % faces));
  }
  return found;
}
