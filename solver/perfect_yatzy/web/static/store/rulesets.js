// The rule sets that the page offers, with the names of their boxes in the chosen language.
import { ask, get } from "./ask.js";
import { keepRuleFile, ownName } from "./own-rules.js";

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
  if (base === spec && !ruleSets.some(({ id }) => id === spec))
    ruleSets = [...ruleSets, known.get(spec)];
  return known.get(spec);
}

// Adds a rule file, and returns the name under which its rules are played from now on.
export async function addRuleFile(text, name) {
  const [{ id }] = await ask("rules", { text, name });
  await keepRuleFile(id, text);
  await loadRules(id);
  return id;
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
  for (const { id, solved, approximate, cost, reason } of await get("rules", { lang: language })) {
    if (ownName(id)) await loadRules(id); // another page may have added it
    Object.assign(known.get(id) ?? {}, { solved, approximate, cost, reason });
  }
}
