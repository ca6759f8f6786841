// The view model: what the page shows and offers, over every combination of state and answer, without a document.
import { byId, equal, isTrue, load, openPage, state, test, testInRing2, web } from "../support/page_modules.mjs";

// Positions of one or two players with every phase of a turn, every way to mark dice, and every answer that can come.
function* cases(rules, ids) {
  const n = rules.dice, full = Object.fromEntries(ids.map((id) => [id, 5])), late = { ...full };
  delete late[ids.at(-1)];
  const faces = [3, 3, 4, 5, 6, 6].slice(0, n), all = (value) => faces.map(() => value), first = faces.map((_die, i) => i < 2);
  const boxOf = (category, loss) => ({ category, points: 10, expected_final_score: 200 - loss, chance: 0.5 - loss / 100, loss });
  const holdOf = (hold, loss, category = null) => ({ hold, category, points: 10, expected_final_score: 200 - loss, chance: 0.5 - loss / 100, loss });
  const tables = [[{}], [late], [full], [late, late], [full, late], [late, full], [full, full]];
  for (const cards of tables) for (let player = 0; player < cards.length; player++)
  for (const dice of [[], faces.slice(0, 2), faces]) for (const rolls of [[], [faces]])
  for (const left of [0, 1, rules.rolls - 1 + (rules.saved_rolls ? 3 : 0)]) for (const [held, chosen] of [[all(false), false], [first, true], [all(true), true], [all(false), true]])
  for (const typed of [false, true]) for (const isHidden of [false, true])
  for (const kind of ["none", "failure", "unsolved", "hold", "stop", "score", "instead"]) for (const aim of [undefined, { goal: 250 }]) {
    const players = cards.map((card) => ({ name: "", card, saved: 0, bonusPoints: 0 }));
    const position = { ...state.emptyState(), rules: rules.id, players, player, dice, rolls, left, chosen, typed, held: held.slice(0, dice.length) };
    const open = ids.filter((id) => !(id in players[player].card)), boxes = open.map((id, i) => boxOf(id, i));
    const known = { answer: null, boxes: null, failure: null, isHidden, isUnsolved: kind === "unsolved", scores: cards.map((card) => Object.keys(card).length), cost: null };
    if (kind === "failure" || kind === "instead") known.failure = { message: "away", isExpected: kind === "instead" };
    if (kind === "unsolved") known.cost = { what: "table" };
    const isFull = !open.length || dice.length < n;
    const holds = left && !isFull && [holdOf([3, 3], 0), holdOf([...faces], 1, open[0]), holdOf([], 3)];
    if (!isFull && kind === "stop" && left) known.answer = { choosesHold: true, aim, entries: [holdOf([...faces], 0, open[0]), holdOf([3, 3], 2)] };
    if (!isFull && ["hold", "instead"].includes(kind) && left) known.answer = { choosesHold: true, aim, entries: holds, instead: kind === "instead" };
    if (!isFull && kind === "score" && !left) known.answer = { choosesHold: false, aim, entries: boxes };
    if (known.answer || kind === "failure" || kind === "unsolved") known.boxes = boxes;
    yield [position, known];
  }
}

async function checkViews(sets) {
  const { view } = await load("table/view"), { actionLabel } = await load("table/advice-text"), { optionName } = await load("table/actions");
  for (const rules of sets) {
    state.change((t) => state.startGame(t, rules.id));
    const ids = rules.categories.map(({ id }) => id), n = rules.dice, faults = [], phases = new Set();
    let count = 0;
    for (const [position, known] of cases(rules, ids)) {
      const before = JSON.stringify([position, known]);
      const found = view(position, known, { isNarrow: count % 2 === 0, comparesBoxes: count % 3 === 0 }), { primary, secondary, phase } = found;
      const held = position.dice.filter((_die, i) => position.held[i]);
      const { card } = position.players[position.player], isOver = position.players.every((each) => Object.keys(each.card).length === ids.length);
      const check = (isRight, what) => { if (!isRight && faults.length < 5) faults.push([what, phase, primary, position, known]); };
      count += 1;
      phases.add(phase);
      if (primary) check(actionLabel(primary, position.typed).length > 3, "an action without a name");
      if (primary?.kind === "roll") {
        check(position.left > 0 && primary.hold.length < n && primary.count === n - primary.hold.length, "a roll that rolls nothing");
        check(position.chosen ? String(primary.hold) === String(held) : phase === "advice" && found.answer.entries[0].loss === 0 && !found.answer.entries[0].category, "a roll that nobody chose and that is not the best");
      } else if (primary?.kind === "take") {
        check(phase === "advice" && known.boxes.includes(primary.entry) && !(primary.entry.category in card), "a box that cannot be taken");
        check(position.chosen && held.length === n || position.chosen && !position.left || found.answer.entries[0].category === primary.entry.category, "a box that is not the best");
      } else if (primary) {
        const isRight = { "first-roll": !position.dice.length && !position.rolls.length && !isOver, "new-game": isOver, "next-player": !isOver && Object.keys(card).length === ids.length };
        check(isRight[primary.kind], "an action of another phase");
      } else check(["entering", "waiting", "own", "alone"].includes(phase), "nothing to do");
      check(secondary.every((id) => ({ "roll-all": position.left > 0 && ["own", "alone"].includes(phase), "best-again": phase === "advice" && position.chosen }[id])), "a further action that does nothing");
      if (known.answer && !known.isHidden && !isOver) check(found.headline?.title && found.headline.value && found.list.entries.length, "an answer that is not shown");
      check(!found.list || found.list.entries[0].loss < 1e-6, "a list that does not begin with the best");
      const marked = known.answer?.entries.find((each) => found.held && String(each.hold) === String(held) && !each.category);
      if (marked && marked.loss > 0) check([found.headline.gap, found.headline.reason.text].some((text) => text.endsWith(`than ${optionName(found.answer.entries[0])}.`)) && found.headline.reason.bars.length === 2, "other dice without what they lose");
      if (!found.headline) check(found.advised === null && found.bestBox === "" && found.list === null && found.map === null && (found.text || phase === "start" || phase === "entering"), "hidden advice that shows, or no word");
      if (isOver) check(phase === "over" && known.scores[found.player] === Math.max(...known.scores) && !found.boxes, "the card of the wrong player");
      else check(found.player === position.player, "the card of another player");
      if (phase === "alone") check(position.left === 0 || primary || secondary.length || found.boxes, "a player left alone without an action");
      check(before === JSON.stringify([position, known]), "a view that changes the state");
    }
    equal(faults, [], rules.id);
    equal([...phases].sort(), ["advice", "alone", "entering", "next", "over", "own", "start", "waiting"], rules.id);
    isTrue(count > 5000, rules.id);
  }
}

test("every view offers what can be done and nothing else", ["yatzy"], checkViews);

testInRing2("every view of further games offers what can be done and nothing else", ["maxi", "yatzy-forced", "crag"], checkViews);

// Where a chance cannot be had, the average is asked for.
test("the questions for an aim", [], async () => {
  const { questionsFor } = await load("table/asking"), dice = [3, 3, 4, 5, 6];
  for (const [aim, ...asked] of [
    [{}], [{ goal: 250 }, { goal: 250 }], [{ opponents: "251", ties: "loss" }, { opponents: "251", ties: "loss" }],
    [{ opponents: ["ones=3"], ties: "half" }, { versus: "ones=3", ties: "half" }, { opponents: ["ones=3"], ties: "half" }],
    [{ opponents: ["ones=3", "empty"], ties: "loss" }, { opponents: ["ones=3", "empty"], ties: "loss" }],
  ]) equal(questionsFor({ dice }, aim), [...asked, {}].map((each) => ({ dice, ...each })));
});

// --- what is drawn of the advice ---

const HOLDS = [{ hold: [3, 3], category: null, expected_final_score: 200, loss: 0 }, { hold: [5, 6], category: null, expected_final_score: 198, loss: 2 }];
const BOXES = [{ category: "threes", points: 6, expected_final_score: 190, loss: 0 }, { category: "chance", points: 21, expected_final_score: 185, loss: 5 }];
const chances = (options) => options.map((option, i) => ({ ...option, chance: 0.5 - i / 10 }));
const COST = { what: "objective", seconds: 30, disk_bytes: 2e6 }, refusal = (fields, status = 500) => Response.json({ error: "it is away", ...fields }, { status });
const needsWork = () => Response.json({ error: "it takes long", code: "confirmation-required", cost: COST });
const FAILED = "It is away.", NO_TABLE = "Advice for these rules has to be computed once, for every card there can be.", NO_CHANCE = "The chance from this card on has to be computed first.";
const HALF_A_MINUTE = "Solve now (about 30 seconds, 2 MB on the disk of this computer, once)", FIVE_MINUTES = "Solve now (about 5 minutes, 2.0 GB on the disk of this computer, once)";
const ADVICE = { // what the server answers and where the game stands; the answer as it is drawn, its options and notes, the work that is offered
  "before a roll": [{}, { dice: [] }, "Your turnroll the dice 200.00 average final score", 0, 0],
  "dice that are missing": [{}, { dice: [3, 3] }, "3 more dice.", 0, 0],
  "a hold": [{}, {}, "Keep 3 3then roll three dice 200.00 average final score", 2, 1],
  "a box": [{}, { left: 0 }, "Threes, 6 190.00 average final score", 2, 1],
  "an approximate strategy": [{ hold: { holds: HOLDS, approximate: { text: "at least 240" } } }, { dice: [3, 3, 5, 6, 6] }, "Keep 3 3then roll three dice 200.00 average final score", 2, 2],
  "a goal": [
    { hold: { aim: { goal: 250 }, holds: chances(HOLDS) }, score: { aim: { goal: 250 }, categories: chances(BOXES) } }, { goal: "250" },
    "Keep 3 3then roll three dice 50.00 % chance of 250 or more", 2, 0,
  ],
  "a goal that has to be computed, and the average": [
    { hold: ({ goal }) => (goal ? needsWork() : { holds: HOLDS }) }, { goal: "251" },
    `Keep 3 3then roll three dice 200.00 average final score For the average: ${NO_CHANCE}`, 2, 1, [HALF_A_MINUTE],
  ],
  "an average that has to be computed": [{ hold: needsWork }, { dice: [1, 2, 3, 4, 5] }, NO_CHANCE, 0, 0, [HALF_A_MINUTE]],
  "a server that fails": [{ hold: () => refusal({ retryable: true }) }, { dice: [1, 1, 3, 4, 5] }, FAILED, 0, 0, ["Try again"]],
  "a server that refuses": [{ hold: () => refusal({ code: "invalid-card" }, 422) }, { dice: [1, 1, 1, 4, 5] }, FAILED, 0, 0, []],
  "no table, before a roll": [{}, { rules: "yatzy-saved", dice: [] }, NO_TABLE, 0, 0, [FIVE_MINUTES]],
  "no table": [{}, { rules: "yatzy-saved" }, NO_TABLE, 0, 0, [FIVE_MINUTES]],
};

test("every kind of advice is drawn, and the work that it needs is offered", ["yatzy", "yatzy-saved"], async (known) => {
  Object.assign(known[1], { solved: false, cost: { what: "table", seconds: 300, disk_bytes: 2e9 } });
  await openPage();
  const show = async (answers, { rules = "yatzy", dice = [3, 3, 4, 5, 6], left = 2, goal = "" }) => {
    Object.assign(web.answers, { expect: { expected_final_score: 200 }, hold: { holds: HOLDS }, score: { categories: BOXES }, points: { categories: BOXES } }, answers);
    state.change((t) => {
      state.startGame(t, rules);
      Object.assign(t, { dice, held: dice.map(() => false), left, goal, objective: goal ? "goal" : "mean" });
    });
    await web.pass(9000);
    const text = [web.text("answer").trim(), web.text("instead-of")].filter(Boolean).join(" ").replaceAll("\u00a0", " "), count = (tag) => byId("ranking").querySelectorAll(tag).length;
    return [text, count("li"), count("p"), ...(byId("long-work").hidden ? [] : [byId("long-work").querySelectorAll("button").map(({ textContent }) => textContent)])];
  };
  const kinds = Object.entries(ADVICE);
  for (const [kind, [answers, position, ...expected]] of [...kinds, ...kinds.toReversed()]) equal(await show(answers, position), expected, kind);
});
