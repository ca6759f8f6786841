// The rule sets of a static site, opened when they are first asked for.
import { EngineError, N_ } from "./errors.js";
import { dataFile, dataJson, siteFile } from "./files.js";
import { Game } from "./game.js";
import { loadTable, openTable } from "./table.js";

const MAX_RESULTS = 8; // distributions and goals kept for each rule set

// A game with its table. What few questions need is loaded when it is needed.
class OpenedGame {
  constructor(base, entry, game, table) {
    Object.assign(this, { base, entry, game, table, kept: new Map(), results: new Map() });
    this.loaded = new Set(); // names of further tables
  }

  once(name, make) {
    if (!this.kept.has(name)) {
      const made = make();
      made.catch(() => this.kept.delete(name));
      this.kept.set(name, made);
    }
    return this.kept.get(name);
  }

  // The result of long work, the latest few; not the null of work that took too long.
  async remember(kind, key, make) {
    const name = `${kind} ${key}`,
      result = this.results.get(name) ?? (await make());
    if (result !== null) this.results.set(name, result);
    if (this.results.size > MAX_RESULTS) this.results.delete(this.results.keys().next().value);
    return result;
  }

  // A function from places to values of another table of these rules; null if the site has none.
  async valuesOf(name, places) {
    const entry = this.entry[name];
    if (!entry) return null;
    const table = await this.once(name, async () =>
      openTable(this.base, this.game, entry, await loadTable(this.base, entry)),
    );
    this.loaded.add(name);
    await table.load(places);
    return (place) => table.at(place);
  }

  deviationAt(places) {
    return this.valuesOf("deviations", places);
  }

  bonusAt(places) {
    return this.valuesOf("bonus", places);
  }

  // The same if the table is here; else null, and it is fetched for later questions.
  bonusAsLoaded(places) {
    const isLoaded = this.loaded.has("bonus"),
      found = this.bonusAt(places);
    found.catch(() => {});
    return isLoaded ? found : null;
  }

  // The distribution from the empty card on, and the puzzles: null if the site has none.
  async distribution() {
    return (
      this.entry.distribution &&
      this.once("distribution", () => dataJson(this.base, this.entry.distribution))
    );
  }

  async puzzles() {
    return (
      this.entry.puzzles && this.once("puzzles", () => dataJson(this.base, this.entry.puzzles))
    );
  }
}

export class Site {
  constructor(base) {
    Object.assign(this, { base, opened: new Map(), files: new Map(), scored: new Map() });
    this.onLoaded = () => {}; // takes the number of bytes of a table so far, and of all
  }

  // What the site has: site.json.
  description() {
    this.described ??= siteFile(this.base).catch((error) => {
      this.described = undefined;
      throw error;
    });
    return this.described;
  }

  // The entry of a rule set by its name with switches, in any order; by default the first one.
  async entry(spec) {
    const { rules } = await this.description(),
      sorted = (name) => String(name).split("+").sort().join();
    if (spec === undefined) return rules[0];
    const found = rules.find((each) => sorted(each.id) === sorted(spec));
    if (!found)
      throw new EngineError(
        "unknown-rules",
        N_("The rules “{rules}” are not part of this site."),
        { rules: spec },
        "rules",
      );
    return found;
  }

  // The rules as arrays, as GET /api/scoring gives them: with them boxes are counted without the table.
  async scoring(spec) {
    const entry = await this.entry(spec);
    if (!this.scored.has(entry.id)) {
      const made = dataJson(this.base, entry.data);
      made.catch(() => this.scored.delete(entry.id));
      this.scored.set(entry.id, made);
    }
    return this.scored.get(entry.id);
  }

  async open(spec) {
    const entry = await this.entry(spec);
    if (!this.opened.has(entry.id)) {
      const made = (async () => {
        const { values } = entry,
          { size } = values;
        const [scoring, bytes] = await Promise.all([
          this.scoring(entry.id),
          loadTable(this.base, values, size && ((loaded) => this.onLoaded(loaded, size))),
        ]);
        const game = new Game(scoring);
        return new OpenedGame(this.base, entry, game, openTable(this.base, game, values, bytes));
      })();
      made.catch(() => this.opened.delete(entry.id));
      this.opened.set(entry.id, made);
    }
    return this.opened.get(entry.id);
  }

  // The rule sets as GET /api/rules describes them, or the one that is asked for.
  async rules({ rules, lang = "en" } = {}) {
    const { descriptions, languages } = await this.description(),
      file = descriptions[lang] ?? descriptions[Object.keys(languages)[0]];
    if (!this.files.has(file.file)) this.files.set(file.file, await dataJson(this.base, file));
    const all = this.files.get(file.file);
    if (rules === undefined) {
      // a variant only if the site does not have the game itself
      return all.filter(
        (each) =>
          !each.active.length ||
          !all.some(({ base, active }) => base === each.base && !active.length),
      );
    }
    const { id } = await this.entry(rules);
    return all.filter((each) => each.id === id);
  }

  // Fetches what this rule set needs without a network later; only its small files.
  async keep(spec) {
    const opened = await this.open(spec),
      { descriptions } = await this.description();
    const files = [
      ...Object.values(descriptions),
      opened.entry.distribution,
      opened.entry.puzzles,
      opened.entry.deviations,
      opened.entry.bonus,
    ];
    for (const entry of files) if (entry?.file) await dataFile(this.base, entry);
  }
}
