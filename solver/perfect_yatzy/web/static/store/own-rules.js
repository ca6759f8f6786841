// The rule files that the player has added. A server plays each under a name made of its text. The browser keeps the texts, and
// gives a file again to a server that does not know it.
import { PREFIX, readRecords, writeRecords } from "./records.js";

const NAME = /^own-[0-9a-f]{12}(?=\+|$)/;
const KEPT = `${PREFIX}rules:`;

export const ownName = (spec) => NAME.exec(spec)?.[0] ?? null;

export const keepRuleFile = (name, text) => writeRecords(new Map([[KEPT + name, text]]));

// The text of the file of some rules; undefined if they are not from a file that was added here.
export async function ruleFileOf(spec) {
  const key = KEPT + ownName(spec);
  return (await readRecords((each) => each === key)).get(key);
}
