// The gallery of games: states and costs, variants as choices, answers that arrive late or not at all, errors where one looks.
import { byId, equal, isTrue, load, openPage, roll, s, state, test, web } from "../support/page_modules.mjs";

const input = (id) => byId("switches").querySelectorAll("input").find(({ value }) => value === id);
const chosen = () => byId("switches").querySelectorAll("input:checked").map(({ value }) => value).filter(Boolean);

// What a tap does in a browser: of the radio buttons of one name one is checked.
function tap(control, isChecked = true) {
  const name = control.getAttribute("name"), isRadio = control.getAttribute("type") === "radio";
  if (isRadio) for (const other of byId("switches").querySelectorAll("input")) if (other.getAttribute("name") === name) other.checked = false;
  control.checked = isChecked;
  control.dispatchEvent({ type: "change" });
}

const games = () => byId("rules").querySelectorAll("input").filter((each) => each.getAttribute("name") === "game");
const cardOf = (id) => games().find(({ value }) => value === id).closest(".game");
const gallery = () => byId("rules-dialog").open;
function pick(id) {
  if (!gallery()) byId("open-rules").click();
  for (const each of games()) each.checked = each.value === id;
  games().find(({ checked }) => checked).dispatchEvent({ type: "change" });
}
// Plays what is chosen, by default another game.
async function play(id) {
  if (id) pick(id);
  byId("rules-play").click();
  await web.pass(50);
}

// From now on the answers to questions about rules wait until they are let go, in any order.
function holdBack(...ids) {
  const answer = web.answers.rules, waiting = new Map();
  web.answers.rules = async (wanted) => {
    const id = wanted.get("rules"), found = answer(wanted);
    if (ids.includes(id)) await new Promise((resolve) => { waiting.set(id, resolve); });
    return found;
  };
  return async (id) => {
    await web.pass(50);
    waiting.get(id)();
    await web.pass(50);
  };
}

test("of rules chosen quickly the last ones stay, and all ticks count", ["yatzy", "balut", "yatzy+threshold-42", "yatzy+bonus-35+threshold-42"], async () => {
  await openPage();
  const letGo = holdBack("yatzy+threshold-42");
  byId("open-rules").click();
  tap(input("threshold-42"));
  await play();
  state.redraw(); // an answer about something else draws the page
  equal([chosen(), s().rules, gallery()], [["threshold-42"], "yatzy", true]);
  tap(input("bonus-35"));
  await play();
  equal([s().rules, gallery()], ["yatzy+bonus-35+threshold-42", false]);
  await letGo("yatzy+threshold-42");
  byId("open-rules").click();
  equal([s().rules, chosen()], ["yatzy+bonus-35+threshold-42", ["bonus-35", "threshold-42"]]);
});

test("another game is not replaced by a variant that arrives late", ["yatzy", "balut", "yatzy+threshold-42"], async () => {
  await openPage();
  const letGo = holdBack("yatzy+threshold-42");
  byId("open-rules").click();
  tap(input("threshold-42"));
  await play();
  await play("balut");
  equal(s().rules, "balut");
  await letGo("yatzy+threshold-42");
  byId("open-rules").click();
  equal([s().rules, games().filter(({ checked }) => checked).map(({ value }) => value), web.text("game-name")], ["balut", ["balut"], "Balut"]);
});

const TICKED = ["five-is-full-house", "four-is-two-pairs", "bonus-35", "threshold-42", "threshold-75", "threshold-84"];

test("after six variants ticked one after the other another game stays, whatever arrives last", ["yatzy", "balut", "yatzy+five-is-full-house", "yatzy+five-is-full-house+four-is-two-pairs", "yatzy+five-is-full-house+four-is-two-pairs+bonus-35", "yatzy+five-is-full-house+four-is-two-pairs+bonus-35+threshold-42", "yatzy+five-is-full-house+four-is-two-pairs+bonus-35+threshold-75", "yatzy+five-is-full-house+four-is-two-pairs+bonus-35+threshold-84"], async () => {
  await openPage();
  const specs = [];
  for (const count of [1, 2, 3]) specs.push(["yatzy", ...TICKED.slice(0, count)].join("+"));
  for (const threshold of TICKED.slice(3)) specs.push(`${specs[2]}+${threshold}`);
  const letGo = holdBack(...specs);
  byId("open-rules").click();
  for (const id of TICKED) {
    tap(input(id));
    await play();
    await web.pass(500);
  }
  await play("balut");
  for (const spec of specs.toReversed()) {
    await letGo(spec);
    equal([s().rules, web.text("game-name"), chosen(), byId("card").textContent.includes("Upper")], ["balut", "Balut", [], false]);
  }
});

test("one edition of Kniffel after another replaces it, and nothing is refused", ["yatzy", "kniffel", "kniffel+travel-edition", "kniffel+no-extra"], async () => {
  await openPage();
  await play("kniffel");
  for (const id of ["travel-edition", "no-extra"]) {
    byId("open-rules").click();
    tap(input(id));
    await play();
    equal([s().rules, chosen(), web.text("rules-error"), web.text("notice")], [`kniffel+${id}`, [id], "", ""]);
  }
  equal([gallery(), web.text("game-name"), web.text("notice")], [false, "Kniffel +1", ""]);
});

test("of a variant and a link the one asked for last stays", ["yatzy", "crag", "yatzy+threshold-42", "yatzy+bonus-35"], async () => {
  await openPage();
  const letGo = holdBack("yatzy+threshold-42", "yatzy+bonus-35");
  byId("open-rules").click();
  tap(input("threshold-42"));
  await play();
  location.hash = "#rules=crag&dice=555&rolls_left=1";
  await web.tell("hashchange");
  await letGo("yatzy+threshold-42");
  equal([s().rules, s().dice, web.text("game-name")], ["crag", [5, 5, 5], "Crag"]);
  const shown = state.showPosition({ rules: "yatzy+bonus-35", card: {}, dice: [1, 2], left: 2 }, "");
  await play("yatzy");
  await letGo("yatzy+bonus-35");
  equal([await shown, s().rules], [false, "yatzy"]);
});

test("rules that were cancelled on their way are not played", ["yatzy", "yatzy+threshold-42"], async () => {
  await openPage();
  const letGo = holdBack("yatzy+threshold-42");
  byId("open-rules").click();
  tap(input("threshold-42"));
  await play();
  byId("rules-dialog").close();
  await letGo("yatzy+threshold-42");
  equal([s().rules, web.text("rules-error"), web.text("notice")], ["yatzy", "", ""]);
  byId("open-rules").click();
  equal(chosen(), []);
});

test("rules loaded while the language changes are in the new one, and none is missing", ["yatzy", "crag", "yatzy+bonus-35"], async () => {
  const rulesets = await load("store/rulesets"), letGo = holdBack("yatzy+bonus-35");
  const loaded = rulesets.loadRules("yatzy+bonus-35");
  await web.pass(50);
  await rulesets.loadRuleSets("sv");
  await letGo("yatzy+bonus-35");
  await letGo("yatzy+bonus-35"); // asked for again
  equal((await loaded).categories[0].name, "sv Ones");
  const change = rulesets.loadRuleSets("de");
  await web.pass(50);
  equal(rulesets.ruleSet("yatzy+bonus-35").categories[0].name, "sv Ones"); // until all are there
  await letGo("yatzy+bonus-35");
  await change;
  equal(["yatzy", "yatzy+bonus-35"].map((spec) => rulesets.categoryOf(spec, "ones").name), ["de Ones", "de Ones"]);
});

test("variants that exclude one another are one choice", ["yatzy", "kniffel", "yatzy+threshold-75", "kniffel+no-extra", "kniffel+bonus-100"], async (known) => {
  await openPage();
  for (const spec of ["yatzy", "kniffel"]) {
    const { switches } = known.find(({ id }) => id === spec);
    pick(spec);
    const groupOf = (id) => input(id).closest("[role=radiogroup]");
    for (const one of switches)
      for (const other of switches)
        if (one !== other) equal(Boolean(groupOf(one.id)) && groupOf(one.id) === groupOf(other.id), one.excludes.includes(other.id), `${one.id} ${other.id}`);
  }
  tap(input("no-extra"));
  tap(input("bonus-100"));
  equal(chosen(), ["bonus-100"]);
  await play();
  equal(s().rules, "kniffel+bonus-100");
  byId("open-rules").click();
  const usual = input("bonus-100").closest("[role=radiogroup]").querySelector("input");
  tap(usual);
  equal([chosen(), usual.checked], [[], true]);
  await play();
  equal(s().rules, "kniffel");
  pick("yatzy");
  const plain = web.text("summary");
  tap(input("threshold-75"));
  equal(web.text("summary"), `Without variants: ${plain}`);
  // Sentences that differ by a number are one, with the numbers beside it.
  const numbers = input("threshold-75").closest("[role=radiogroup]");
  equal(numbers.getAttribute("aria-label"), "The upper bonus is paid from … points");
  equal(numbers.querySelectorAll("label").map(({ textContent }) => textContent), ["as usual", "42", "75", "84"]);
});

test("the dialog says why rules could not be loaded, and what is chosen stays in sight", ["yatzy", "balut"], async () => {
  await openPage();
  const answer = web.answers.rules, refuse = () => Response.json({ error: "nobody knows them", code: "invalid" }, { status: 422 });
  web.answers.rules = (wanted) => (wanted.get("rules")?.includes("+") ? refuse() : answer(wanted));
  byId("open-rules").click();
  tap(input("bonus-35"));
  await play();
  equal([web.text("rules-error"), web.text("notice"), chosen(), s().rules, gallery()], ["Nobody knows them.", "", ["bonus-35"], "yatzy", true]);
  pick("balut");
  equal(web.text("rules-error"), "");
  await play();
  equal([web.text("rules-error"), s().rules, gallery()], ["", "balut", false]);
});

test("the gallery shows what each game is, whether it is solved, and what that costs", ["yatzy", "maxi", "crag", "kniffel", "giant", "yatzy+bonus-35"], async (known) => {
  await openPage();
  const states = {
    yatzy: { solved: true },
    maxi: { solved: false, cost: { what: "table", seconds: 120, disk_bytes: 2.85e9, memory_bytes: 1 } },
    giant: { solved: false, cost: null, reason: "too large: yatzy solve giant --approximate" },
  };
  const answer = web.answers.rules, withStates = (more) => {
    web.answers.rules = (wanted) => answer(wanted).map((each) => ({ ...each, solved: true, ...states[each.id], ...more[each.id] }));
  };
  withStates({});
  byId("open-rules").click();
  equal(gallery(), true); // before any answer
  await web.pass(50);
  const row = (id) => cardOf(id).querySelectorAll("b, small").map(({ textContent }) => textContent);
  equal(games().map(({ value }) => value), known.filter(({ active }) => !active.length).map(({ id }) => id));
  equal(row("yatzy"), ["Yatzy", "playing", "15 boxes · 3 rolls · average 248.4"]);
  equal(row("maxi"), ["Maxi Yatzy", "2 minutes, 2.9 GB", "20 boxes · saved rolls"]);
  equal(row("crag"), ["Crag", "ready", "13 boxes · 2 rolls · average 149.8"]);
  equal(row("giant"), ["Giant Yatzy", "by command", "47 boxes · 3 rolls"]);
  pick("giant");
  equal([web.text("game-reason"), web.text("rules-play")], ["Too large: yatzy solve giant --approximate.", "Play without advice"]);
  byId("rules-dialog").close();
  withStates({ giant: { solved: true, cost: undefined, reason: undefined, approximate: true } }); // somebody has made its strategy
  byId("open-rules").click();
  await web.pass(50);
  equal(row("giant").slice(0, 2), ["Giant Yatzy", "approximate"]);
  pick("giant");
  equal([web.text("game-reason"), web.text("rules-play")], ["", "Play Giant Yatzy"]);
  equal(s().rules, "yatzy"); // until it is played
});

test("games are found by their names and what is said of them", ["yatzy", "maxi", "crag", "yacht"], async () => {
  await openPage();
  byId("open-rules").click();
  const find = (text) => {
    byId("find-game").value = text;
    byId("find-game").dispatchEvent({ type: "input" });
    return games().filter((each) => !each.closest(".game").hidden).map(({ value }) => value);
  };
  equal([find("MAXI"), web.text("games-found")], [["maxi"], "1 game"]);
  equal(find("saved"), ["maxi"]);
  equal([find(" 19"), web.text("games-found")], [["crag", "yacht"], "2 games"]);
  byId("find-game").dispatchEvent({ type: "keydown", key: "Enter" });
  equal([document.activeElement.value, s().rules, gallery()], ["crag", "yatzy", true]);
  equal([find("nothing"), web.text("games-found")], [[], "0 games"]);
  byId("rules-dialog").close();
  byId("open-rules").click();
  equal(web.text("games-found"), "4 games");
});
