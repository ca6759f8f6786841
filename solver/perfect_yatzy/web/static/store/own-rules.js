// The rule files that the player has added. A server plays each under a name made of its text. The browser keeps the texts, and
// gives a file again to a server that does not know it, also one that was removed: its games need it.
import { PREFIX, readRecords, writeRecords } from "./records.js";

const NAME = /^own-[0-9a-f]{12}(?=\+|$)/;
const TEXT = `${PREFIX}rules:`,
  ABOUT = `${PREFIX}rule-file:`;

export const ownName = (spec) => NAME.exec(spec)?.[0] ?? null;

// `about`: file, the name that the player's file has, and isRemoved, from the list of games.
export const keepRuleFile = (name, text, about) =>
  writeRecords(
    new Map([
      [TEXT + name, text],
      [ABOUT + name, JSON.stringify(about)],
    ]),
  );

// The file of some rules with its text, as above; null if they are not from a file that was added here.
export async function ruleFileOf(spec) {
  const name = ownName(spec),
    found = await readRecords((key) => key === TEXT + name || key === ABOUT + name),
    text = found.get(TEXT + name);
  return text === undefined ? null : { ...JSON.parse(found.get(ABOUT + name) ?? "{}"), text };
}

// --- files in commands ---

const USUAL_FILE = "my-rules.toml";
const FILE = /^[^\p{C}\\/]+\.toml$/u; // that a command can name
const IN_COMMAND = /^(?:\.\/)?(.+\.toml)((?:\+[\w-]+)*)$/;

// The file of some rules as a command names it, and the rules with it; the name alone for other rules.
export async function rulesInCommand(spec) {
  const name = ownName(spec);
  if (!name) return { spec };
  const { file } = (await ruleFileOf(spec)) ?? {},
    path = FILE.test(file ?? "") ? file : USUAL_FILE;
  return { file: path, spec: (path.startsWith("-") ? "./" : "") + path + spec.slice(name.length) };
}

// The rules that a command means by the name of a file: of the files added under it the first that is among these names.
export async function rulesOfCommand(spec, names) {
  const [, file, switches] = IN_COMMAND.exec(spec) ?? [];
  for (const name of file ? names.filter(ownName) : [])
    if ((await rulesInCommand(name)).file === file) return name + switches;
  return spec;
}
