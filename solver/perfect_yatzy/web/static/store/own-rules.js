// The rule files that the player has added. A server plays each under a name made of its text. The browser keeps the texts, and
// gives a file again to a server that does not know it, also one that was removed: its games need it.
import { PREFIX, readRecords, writeRecords } from "./records.js";

const NAME = /^own-[0-9a-f]{12}(?=\+|$)/;
const TEXT = `${PREFIX}rules:`,
  ABOUT = `${PREFIX}rule-file:`;

export const ownName = (spec) => NAME.exec(spec)?.[0] ?? null;

// `about`: file, the player's name of it, and isRemoved, from the list of games.
export const keepRuleFile = (name, text, about) =>
  writeRecords(
    new Map(Object.entries({ [TEXT + name]: text, [ABOUT + name]: JSON.stringify(about) })),
  );

// { text, file, isRemoved } of the file of some rules; null if it was not added here.
export async function ruleFileOf(spec) {
  const name = ownName(spec),
    found = await readRecords((key) => key === TEXT + name || key === ABOUT + name),
    text = found.get(TEXT + name);
  return text === undefined ? null : { ...JSON.parse(found.get(ABOUT + name) ?? "{}"), text };
}

// --- files in commands ---

const USUAL_FILE = "my-rules.toml";
const FILE = /^[^\p{C}\\/]+\.toml$/u; // that a command can name
const IN_COMMAND = /^(.+\.toml)(.*)$/;

// { spec, file }: some rules as a command names them, and the file that it needs.
export async function rulesInCommand(spec) {
  const name = ownName(spec);
  if (!name) return { spec };
  const own = (await ruleFileOf(spec))?.file ?? "",
    file = FILE.test(own) ? own : USUAL_FILE;
  return { spec: file + spec.slice(name.length), file };
}

// The rules that a command names by a file: the first of these names that has such a file.
export async function rulesOfCommand(spec, names) {
  const [, file, switches] = IN_COMMAND.exec(spec) ?? [];
  for (const name of file ? names.filter(ownName) : [])
    if ((await rulesInCommand(name)).file === file) return name + switches;
  return spec;
}
