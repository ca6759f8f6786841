// The rules dialog: variants as choices, answers that arrive late or not at all, and errors where one looks.
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
  await web.pass(50);
  state.redraw(); // an answer about something else draws the page
  equal([chosen(), s().rules], [["threshold-42"], "yatzy"]);
  tap(input("bonus-35"));
  await web.pass(50);
  equal(s().rules, "yatzy+bonus-35+threshold-42");
  await letGo("yatzy+threshold-42");
  equal([s().rules, chosen()], ["yatzy+bonus-35+threshold-42", ["bonus-35", "threshold-42"]]);
});

test("another game is not replaced by a variant that arrives late", ["yatzy", "balut", "yatzy+threshold-42"], async () => {
  await openPage();
  const letGo = holdBack("yatzy+threshold-42");
  tap(input("threshold-42"));
  byId("rules").choose("balut");
  await web.pass(50);
  equal(s().rules, "balut");
  await letGo("yatzy+threshold-42");
  equal([s().rules, byId("rules").value, byId("game-name").textContent], ["balut", "balut", "Balut"]);
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
    await web.pass(500);
  }
  byId("rules").choose("balut");
  for (const spec of specs.toReversed()) {
    await letGo(spec);
    equal([s().rules, web.text("game-name"), chosen(), byId("card").textContent.includes("Upper")], ["balut", "Balut", [], false]);
  }
});

test("one edition of Kniffel after another replaces it, and nothing is refused", ["yatzy", "kniffel", "kniffel+travel-edition", "kniffel+no-extra"], async () => {
  await openPage();
  byId("open-rules").click();
  byId("rules").choose("kniffel");
  await web.pass(50);
  for (const id of ["travel-edition", "no-extra"]) {
    tap(input(id));
    await web.pass(50);
    equal([s().rules, chosen(), web.text("rules-error"), web.text("notice")], [`kniffel+${id}`, [id], "", ""]);
  }
  byId("rules-done").click();
  equal([byId("rules-dialog").open, web.text("game-name"), web.text("notice")], [false, "Kniffel +1", ""]);
});

test("of a variant and a link the one asked for last stays", ["yatzy", "crag", "yatzy+threshold-42", "yatzy+bonus-35"], async () => {
  await openPage();
  const letGo = holdBack("yatzy+threshold-42", "yatzy+bonus-35");
  tap(input("threshold-42"));
  await web.pass(50);
  location.hash = "#rules=crag&dice=555&rolls_left=1";
  await web.tell("hashchange");
  await letGo("yatzy+threshold-42");
  equal([s().rules, s().dice, byId("rules").value], ["crag", [5, 5, 5], "crag"]);
  const shown = state.showPosition({ rules: "yatzy+bonus-35", card: {}, dice: [1, 2], left: 2 }, "");
  byId("rules").choose("yatzy");
  await letGo("yatzy+bonus-35");
  equal([await shown, s().rules], [false, "yatzy"]);
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
    byId("rules").choose(spec);
    await web.pass(50);
    const groupOf = (id) => input(id).closest("[role=radiogroup]");
    for (const one of switches)
      for (const other of switches)
        if (one !== other) equal(Boolean(groupOf(one.id)) && groupOf(one.id) === groupOf(other.id), one.excludes.includes(other.id), `${one.id} ${other.id}`);
  }
  tap(input("no-extra"));
  await web.pass(50);
  tap(input("bonus-100"));
  await web.pass(50);
  equal([s().rules, chosen()], ["kniffel+bonus-100", ["bonus-100"]]);
  const usual = input("bonus-100").closest("[role=radiogroup]").querySelector("input");
  tap(usual);
  await web.pass(50);
  equal([s().rules, chosen(), usual.checked], ["kniffel", [], true]);
  byId("rules").choose("yatzy");
  await web.pass(50);
  const plain = web.text("summary");
  tap(input("threshold-75"));
  await web.pass(50);
  equal(web.text("summary"), `Without variants: ${plain}`);
});

test("the dialog says why rules could not be loaded, and what is chosen stays true", ["yatzy", "balut"], async () => {
  await openPage();
  const answer = web.answers.rules, refuse = () => Response.json({ error: "nobody knows them", code: "invalid" }, { status: 422 });
  web.answers.rules = (wanted) => (wanted.get("rules")?.includes("+") ? refuse() : answer(wanted));
  byId("open-rules").click();
  tap(input("bonus-35"));
  await web.pass(50);
  equal([web.text("rules-error"), web.text("notice"), chosen(), s().rules], ["Nobody knows them.", "", [], "yatzy"]);
  byId("rules").choose("balut");
  await web.pass(50);
  equal([web.text("rules-error"), s().rules], ["", "balut"]);
  byId("rules-dialog").close();
  roll(1);
  byId("rules").choose("yatzy");
  await web.pass(50);
  tap(input("bonus-35"));
  await web.pass(50);
  isTrue(web.text("notice").includes("Nobody knows them."));
});
