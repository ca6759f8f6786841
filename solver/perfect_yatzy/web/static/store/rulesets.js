// The rule sets that the page offers, with the names of their boxes in the chosen language.
import { get } from "./ask.js";

export let ruleSets = []; // those of the menu
export let language = "en"; // of the names
const known = new Map(); // by id with switches

export const ruleSet = (spec) => known.get(spec);
export const categoryOf = (spec, id) =>
  known.get(spec).categories.find((category) => category.id === id);

export async function loadRules(spec) {
  if (!known.has(spec)) known.set(spec, (await get("rules", { rules: spec, lang: language }))[0]);
  return known.get(spec);
}

export async function loadRuleSets(code) {
  const loaded = [...known.keys()],
    found = await get("rules", { lang: code });
  language = code;
  ruleSets = found;
  known.clear();
  for (const each of found) known.set(each.id, each);
  for (const spec of loaded) await loadRules(spec);
}
