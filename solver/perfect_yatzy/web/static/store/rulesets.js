// The rule sets that the page offers, with the names of their boxes in the chosen language.
import { ask, get, remove } from "./ask.js";
import { keepRuleFile, ownName, ruleFileOf } from "./own-rules.js";

export let ruleSets = []; // those of the menu
let language = "en"; // of the names
const known = new Map(); // by id with switches

export const ruleSet = (spec) => known.get(spec);
export const categoryOf = (spec, id) =>
  known.get(spec).categories.find((category) => category.id === id);

const described = async (spec, code) => (await get("rules", { rules: spec, lang: code }))[0];

// An answer in the language before is asked for again.
export async function loadRules(spec) {
  while (!known.has(spec)) {
    const code = language,
      found = await described(spec, code);
    if (code === language) known.set(spec, found);
  }
  const base = ownName(spec);
  if (base && base !== spec) await loadRules(base);
  if (base === spec && !(await ruleFileOf(spec))?.isRemoved && !isListed(spec))
    ruleSets = [...ruleSets, known.get(spec)];
  return known.get(spec);
}

const isListed = (base) => ruleSets.some(({ id }) => id === base);

// Adds a rule file, and returns the name under which its rules are played from now on.
export async function addRuleFile(text, file) {
  const [{ id }] = await ask("rules", { text, name: file });
  await keepRuleFile(id, text, { file });
  await loadRules(id);
  return id;
}

// Removes a rule file from the list and from the server; the function returned brings it back. Its games can still be opened.
export async function removeRuleFile(name) {
  const { file } = (await ruleFileOf(name)) ?? {},
    { text } = await remove(`rules/${name}`);
  await keepRuleFile(name, text, { file, isRemoved: true });
  ruleSets = ruleSets.filter(({ id }) => id !== name);
  return () => addRuleFile(text, file);
}

// The rules of a game as other programs read them.
export const recordedRules = async (spec) =>
  ownName(spec) ? (await get("recorded", { rules: spec })).rules : spec;

// The name of such rules here; unknown ones stay as they are.
export async function playedRules(recorded) {
  const { name, active } = Object(recorded),
    text = JSON.stringify(recorded);
  for (const { id } of ruleSets.filter((each) => ownName(each.id) && each.name === name)) {
    const spec = [id, active ?? []].flat().join("+");
    if (JSON.stringify(await recordedRules(spec).catch(() => null)) === text) return spec;
  }
  return recorded;
}

// The language changes when all rules are known in it, those included that were loaded meanwhile: none is ever missing.
export async function loadRuleSets(code) {
  const found = await get("rules", { lang: code }),
    named = new Map(found.map((each) => [each.id, each])),
    missing = () => [...known.keys()].find((spec) => !named.has(spec));
  for (let spec = missing(); spec !== undefined; spec = missing())
    named.set(spec, await described(spec, code));
  language = code;
  ruleSets = found;
  for (const [spec, each] of named) known.set(spec, each);
}

// Asks again which games are solved, and what the others cost.
export async function loadStates() {
  const found = await get("rules", { lang: language }),
    isThere = ({ id }) => found.some((each) => each.id === id);
  for (const { id, solved, approximate, cost, reason } of found) {
    if (ownName(id)) await loadRules(id); // another page may have added it
    Object.assign(known.get(id) ?? {}, { solved, approximate, cost, reason });
  }
  if (!ruleSets.every(isThere)) ruleSets = ruleSets.filter(isThere); // or removed it
}
