// Every list of the page past its limit: what is kept, what is forgotten, and that it is so for a page opened later.
import { readFileSync, readdirSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { byId, equal, forgetModules, isTrue, load, openPage, s, state, test, web } from "../support/page_modules.mjs";

const STATIC = process.argv[2], TESTS = dirname(fileURLToPath(import.meta.url));
const numbers = (count, first = 0) => Array.from({ length: count }, (_each, i) => first + i);
const storedUnder = (key) => JSON.parse(localStorage.getItem(key));

// --- the steps of a game, and the games ---

test("five hundred steps of a game can be undone, also later", ["yatzy"], async () => {
  const stepKeys = () => numbers(localStorage.length).map((i) => localStorage.key(i)).filter((key) => key.match(/^perfect-yatzy-5:.*:\d+$/));
  for (const goal of numbers(600)) state.change((t) => { t.goal = String(goal); });
  const { openGame } = await load("store/storage");
  const opened = async () => {
    await web.pass(0);
    const { steps, first, at } = await openGame(location.hash), goalOf = (text) => JSON.parse(text).goal;
    equal(stepKeys().length, steps.length);
    return [steps.length, first, goalOf(steps[0]), goalOf(steps[at]), goalOf(steps.at(-1))];
  };
  equal(await opened(), [501, 100, "99", "599", "599"]); // all but the first hundred of 601
  for (const _step of numbers(300)) state.undo();
  equal(await opened(), [501, 100, "99", "299", "599"]);
  state.change((t) => { t.goal = "7"; });
  equal(await opened(), [202, 100, "99", "7", "7"]);
});

// --- what is kept over many games ---

const finished = (lost) => ({ finished: true, decisions: [], result: 200, start: 248, luck: 0, points_lost: lost });
const recordOf = (number) => ({ schema: 2, date: `2026-01-01T00:00:00Z ${number}`, rules: "yatzy", players: ["Ann"], turns: [] });

test("every finished game is kept", ["yatzy"], async () => {
  const { games, remember } = await load("store/memory"), kept = async () => (await games()).map(({ record }) => record.date.slice(11, 23));
  const dateOf = (number) => `2026-01-01T${new Date(1000 * number).toISOString().slice(11)}`, dated = (number) => ({ ...recordOf(0), date: dateOf(number) });
  localStorage.setItem("perfect-yatzy-games-1", JSON.stringify(numbers(499).map((number) => ({ record: dated(number), players: [] }))));
  for (const number of [499, 500, 501]) isTrue(await remember(dated(number), [finished(0)]));
  equal(await kept(), numbers(502).map((number) => dateOf(number).slice(11, 23)));
  isTrue(!(await remember(dated(7), [finished(1)]))); // of a known one the new review is kept
  equal([(await games()).length, (await games())[7].players[0].lost], [502, 1]);
});

test("two hundred mistakes are kept, the largest", [], async () => {
  const positionOf = (number) => ({ rules: "yatzy", card: {}, dice: [1, 2], rolls_left: number }), add = async (...losses) => {
    forgetModules();
    (await load("store/drill")).addMistakes(losses.map((loss) => ({ position: positionOf(loss), loss })), 1000);
    return storedUnder("perfect-yatzy-drill-1").map(({ loss }) => loss).sort((a, b) => a - b);
  };
  equal((await add(...numbers(200, 10))).length, 200);
  equal(await add(5), numbers(200, 10)); // smaller than all that are kept
  equal(await add(500), [...numbers(199, 11), 500]);
  equal(await add(3, 600, 4), [...numbers(198, 12), 500, 600]);
});

test("the fifty largest losses of each player are explained", ["yatzy"], async () => {
  const asked = [], { reviewGame } = await load("store/memory");
  web.answers.review = (body) => { asked.push([body.player, body.why]); return {}; };
  await reviewGame({ ...recordOf(1), players: ["Ann", "Bo"] });
  equal(asked, [[0, 50], [1, 50]]);
});

// --- what is listed ---

test("the last eight sentences can be heard", [], async () => {
  const { say } = await load("words/dom"), said = () => byId("said").children.map(({ textContent }) => textContent);
  byId("said").replaceChildren();
  for (const number of numbers(8, 1)) say(`${number}`);
  equal(said(), ["1", "2", "3", "4", "5", "6", "7", "8"]);
  say("9", "10");
  equal(said(), ["3", "4", "5", "6", "7", "8", "9", "10"]);
});

test("a die of more than six faces shows a number", [], async () => {
  const { dieFace } = await load("words/dom"), drawn = (face) => ["circle", "text"].map((tag) => dieFace(face).querySelectorAll(tag).length);
  equal(numbers(8, 1).map(drawn), [[1, 0], [2, 0], [3, 0], [4, 0], [5, 0], [6, 0], [0, 1], [0, 1]]);
});

test("a refusal names at most eight numbers of points", ["yatzy"], async () => {
  await openPage();
  byId("edit-card").click();
  byId("box-yatzy").choose("7");
  equal(web.text("card-error"), "Yatzy cannot hold 7; it can hold 0, 50.");
  byId("box-yatzy").choose("50");
  byId("box-chance").choose("4");
  equal(web.text("card-error"), "Chance cannot hold 4; it can hold 0 or 5 to 30.");
  const { summarized } = await load("words/i18n"), evens = numbers(9).map((number) => 2 * number);
  equal(summarized(evens.slice(0, 8)), "0, 2, 4, 6, 8, 10, 12, 14");
  equal(summarized(evens), "0 or 2 to 16 in steps of 2");
  equal(summarized([0, ...numbers(8, 5)]), "0 or 5 to 12");
  equal(summarized([...evens, 17]), "0, 2, 4, 6, ... up to 17");
  equal(summarized([0, 1, ...evens.slice(1)]), "0, 1, 2, 4, ... up to 16");
});

test("an error of the engine is a sentence that names what is possible", [], async () => {
  const { Game } = await load("engine/game"), { Card } = await load("engine/card"), { errorFields } = await load("engine/worker");
  const joker = { index: 0, bonus: 100, bonus_requires_points: true }, boxes = numbers(11).map(() => ({ points: [0, 50], first_roll_bonus: 0 }));
  let hear;
  globalThis.startedEngine = {
    addEventListener: (kind, run) => { if (kind === "message") hear = run; },
    postMessage({ id, body: { filled, bonus } }) {
      const game = Object.assign(Object.create(Game.prototype), { joker, categories: boxes });
      try {
        new Card(game, new Map(numbers(filled).map((c) => [c, 50])), 0, bonus).check();
      } catch (error) {
        hear({ data: { id, error: errorFields(error) } });
      }
    },
  };
  const { ask } = await load("engine/client"), said = [];
  for (const [filled, bonus] of [[0, 1], [3, 1], [11, 1]]) said.push(await ask("expect", { filled, bonus }).catch(({ message }) => message));
  equal(said, [
    "The bonus points cannot be 1: this card cannot have any.", "The bonus points cannot be 1: this card can have 0, 100, 200.",
    "The bonus points cannot be 1: this card can have 0 or 100 to 1000 in steps of 100.",
  ]);
});

test("a message becomes a sentence of its language", [], async () => {
  const { sentence, setLanguage } = await load("words/i18n");
  equal(["the points are 5", "Why?", "No.", ""].map(sentence), ["The points are 5.", "Why?", "No.", ""]);
  await setLanguage("ja");
  equal(["5点です", "5点です。"].map(sentence), ["5点です。", "5点です。"]);
});

test("twelve rolls of a turn are listed", ["yatzy", "yatzy-saved"], async () => {
  await openPage();
  for (const [saved, listed] of [[0, [2, 1, 0]], [9, numbers(12).toReversed()], [10, numbers(12, 1).toReversed()], [20, numbers(12, 11).toReversed()]]) {
    state.change((t) => { state.startGame(t, "yatzy-saved"); Object.assign(t.players[0], { saved }); t.left = 2 + saved; });
    equal(byId("left").children.map(({ value }) => Number(value)), listed, saved);
  }
});

test("six options are listed until all are", ["yatzy"], async () => {
  const { view } = await load("table/view");
  for (const [count, shown, offersMore] of [[5, 5, false], [6, 6, false], [7, 6, true], [20, 6, true]]) {
    const entries = numbers(count).map((loss) => ({ hold: [1 + (loss % 6)], category: null, loss, expected_final_score: 200 - loss }));
    const position = { ...state.emptyState(), dice: [1, 2, 3, 4, 5], held: Array(5).fill(false) };
    const listOf = (screen) => view(position, { answer: { choosesHold: true, entries }, boxes: [], scores: [0] }, screen).list;
    equal([listOf({}).entries.length, listOf({}).offersMore, listOf({ showsAll: true }).entries.length], [shown, offersMore, count]);
  }
});

test("five categories of a decision are compared", ["yatzy"], async () => {
  const { decisionView } = await load("review/review-decision"), ids = state.rules().categories.map(({ id }) => id);
  for (const [count, listed] of [[1, 0], [5, 5], [6, 5], [15, 5]]) {
    const outlook = { turn_points: 1, later_points: 2, bonus_chance: 0.5, categories: ids.slice(0, count).map((id, i) => [id, 1 / (i + 2), 5]) };
    const each = { turn: 1, roll: 1, dice: [1, 2, 3, 4, 5], rolls_left: 1, grade: "mistake", loss: 1, done: { hold: [1], outlook }, best: { hold: [2], outlook } };
    const rows = decisionView(each, 0, "yatzy", () => {}).flatMap((part) => part.querySelectorAll("tr")).map((row) => row.textContent);
    equal(rows.filter((text) => text.startsWith("Ends in")).length, listed, count);
  }
});

test("eight players have names of thirty letters", ["yatzy"], async () => {
  await openPage();
  byId("open-players").click();
  const names = () => byId("names").children.length;
  for (const count of numbers(7, 1)) {
    equal([names(), byId("add-player").hidden], [count, false]);
    byId("add-player").click();
  }
  equal([names(), byId("add-player").hidden], [8, true]);
  equal(byId("names").querySelector("input").getAttribute("maxlength"), "30");
  byId("names").querySelectorAll("button")[3].click();
  equal([names(), byId("add-player").hidden], [7, false]);
});

test("the form of the players follows every change of its rows", ["yatzy"], async () => {
  await openPage();
  state.change((t) => { t.players[0].card = { ones: 3 }; });
  byId("open-players").click();
  const rows = () => [...byId("names").children], kinds = () => rows().map((row) => row.dataset.computer ?? "");
  const all = [...byId("computer-list").querySelectorAll("b")].map((each) => each.textContent);
  isTrue(all.length > 1);
  const check = (about) => {
    const count = rows().length, seated = kinds().filter(Boolean).length, isSame = count === 1 && !seated && rows()[0].dataset.seat === "0";
    equal(byId("add-player").hidden, count === 8, about);
    equal(byId("computer-list").querySelectorAll("b").length, count === 8 ? 0 : all.length - seated, about);
    equal([byId("players-hint").hidden, byId("players-play").textContent], isSame ? [true, "Play"] : [false, "End this game and begin a new one"], about);
    rows().forEach((row, at) => {
      const [input, up, remove] = row.children, number = at + 1;
      equal([up.hidden, remove.hidden], [at === 0, count === 1], about);
      equal([input, up, remove].map((each) => each.getAttribute("aria-label")), [`Name of player ${number}`, `Move player ${number} up`, `Remove player ${number}`], about);
    });
  };
  check("as it opens");
  for (const _name of all) { byId("computer-list").querySelector("button").click(); check("a computer more"); }
  byId("add-player").click(); check("a person more");
  rows().at(-1).children[1].click(); check("a person one place up");
  while (rows().length > 1) { rows().at(-1).children[2].click(); check("one less"); }
  for (let i = 1; i < 8; i++) { byId("add-player").click(); check("persons"); }
});

test("the latest five games make the average", ["yatzy"], async () => {
  await openPage();
  const games = [0, 0, 10, 20, 30, 40, 50].map((lost, i) => {
    const player = { name: "Ann", result: 200, start: 248, luck: 0, lost, holds: lost, boxes: 0, bonus: false, faces: {} };
    return { record: recordOf(i), players: [player] };
  });
  for (const [count, last] of [[1, null], [2, "0.0"], [4, "7.5"], [5, "12.0"], [6, "20.0"], [7, "30.0"]]) {
    localStorage.setItem("perfect-yatzy-games-1", JSON.stringify(games.slice(0, count)));
    for (const room of [0, 3]) byId("rooms").children[room].click();
    await web.pass(10);
    const chart = document.querySelector("#statistics svg"), text = web.text("statistics");
    equal([Boolean(chart), text.includes("Upper bonus in 0\u00a0% of games.")], [count > 1, count > 1]); // one game has no course
    if (!chart) continue;
    equal(chart.getAttribute("aria-label"), `Points lost per game: 0.0 at first, ${last} in the latest games`);
    const height = Number(chart.getAttribute("viewBox").split(" ")[3]), lowest = Math.max(...chart.querySelectorAll("text").map((label) => Number(label.getAttribute("y"))));
    isTrue(lowest + 3 < height, "the 0 is cut off");
  }
});

// --- links ---

test("of a wrong link three sentences are said, and little of it is cited", ["yatzy", "yatzy-saved", "yahtzee"], async () => {
  const long = "x".repeat(5000), parts = numbers(800).map((number) => `field${number}=1`);
  const WRONG = [
    `rules=${long}`, `card=${long}`, `card=ones=${long}`, `dice=${long}`, `ties=${long}`, `goal=${long}`, `turn=${long}`, `unknown=${long}`,
    `rules=yatzy-saved&saved=${long}`, `rules=yahtzee&bonus_points=${long}`, `left=${long}`, `player=${long}&player=Ann: ${long}=3`, long, `${long}=1`, parts.join("&"),
  ]; // prettier-ignore
  for (const link of WRONG) {
    location.hash = `#${link}`;
    await openPage();
    const said = web.text("notice"), about = `${link.slice(0, 30)}: ${said}`;
    isTrue(said.startsWith("A part of the link was ignored. ") && said.length < 300, about);
    isTrue(!said.includes("x".repeat(21)), about);
    equal([s().dice, said.includes("field3")], [[], false], about);
    state.undo();
  }
  location.hash = `#${parts.join("&")}`;
  await openPage();
  equal(web.text("notice").match(/is not a field/g).length, 3);
  byId("open-paste").click();
  byId("paste-text").value = `http://localhost/#${parts.join("&")}&card=${long}`;
  byId("paste-form").dispatchEvent({ type: "submit" });
  await web.pass(50);
  isTrue(web.text("paste-error").startsWith("Nothing was pasted yet. ") && web.text("paste-error").length < 200, web.text("paste-error"));
});

// --- the pages of a large table ---

test("the pages of a large table used last stay, 32 megabytes of them", [], async () => {
  const pageBytes = 8 << 20, perPage = pageBytes / 8, asked = []; // four of them are 32 MB
  const pages = numbers(6).map((number) => new Uint8Array(new Float64Array(perPage).fill(number).buffer));
  const digest = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const digests = Buffer.concat(await Promise.all(pages.map(async (page) => (await digest(page)).subarray(0, 8)))), { fetch } = globalThis;
  globalThis.fetch = async (url, { headers }) => {
    if (String(url).endsWith("digests")) return new Response(digests);
    const page = Number(headers.range.match(/=(\d+)-/)[1]) / pageBytes;
    asked.push(page);
    return new Response(pages[page], { status: 206 });
  };
  const { loadTable, openTable } = await load("engine/table"), sha256 = Buffer.from(await digest(digests)).toString("hex");
  const entry = { coding: "pages", bytes: 8, page_bytes: pageBytes, part_bytes: 6 * pageBytes, count: 6 * perPage, digest_bytes: 8, parts: ["values"] };
  const opened = { ...entry, digests: { file: "digests", sha256 } }, table = openTable("http://site/", null, opened, await loadTable("http://site/", opened));
  for (const [page, wasThere] of [[0], [1], [2], [3], [0, true], [4], [0, true], [3, true], [1], [4, true], [2]]) {
    await table.load([page * perPage + 5]);
    equal([table.at(page * perPage + 5), asked.splice(0)], [page, wasThere ? [] : [page]], page);
  }
  globalThis.fetch = fetch;
});

// --- all of them ---

const LIMITS = { // and the test that goes past each
  "store/state MAX_HISTORY": "five hundred steps of a game can be undone, also later",
  "store/memory MAX_EXPLAINED": "the fifty largest losses of each player are explained",
  "store/drill MAX_KEPT": "two hundred mistakes are kept, the largest",
  "puzzle/day MAX_KEPT": "four hundred puzzles of the day are kept, the latest",
  "puzzle/today SHOWN_DAYS": "three choices go on, and are graded at the end",
  "words/dom MAX_KEPT": "the last eight sentences can be heard",
  "words/dom MAX_PIPS": "a die of more than six faces shows a number",
  "table/dice MAX_ROLLS_LISTED": "twelve rolls of a turn are listed",
  "table/view SHOWN_ROWS": "six options are listed until all are",
  "review/review-decision LISTED_CATEGORIES": "five categories of a decision are compared",
  "table/players MAX_PLAYERS": "eight players have names of thirty letters",
  "table/challenge MAX_TEXT": "a link of a challenge is read and written",
  "table/challenge MAX_CHOICES": "a link of a challenge is read and written",
  "statistics/statistics SMOOTHED": "the latest five games make the average",
  "words/i18n MAX_LISTED": "a refusal names at most eight numbers of points",
  "store/ask MAX_CACHED": "answers are kept, and asked for once more after a failure",
  "store/game MAX_GUESSES": "the hold before a roll is guessed from the dice",
  "store/link MAX_SAVED": "links and texts are read and written",
  "store/link MAX_POINTS": "links and texts are read and written",
  "store/link MAX_FAULTS": "of a wrong link three sentences are said, and little of it is cited",
  "store/link MAX_CITED": "of a wrong link three sentences are said, and little of it is cited",
  "store/link MAX_SEATS": "a link carries all players",
  "store/link MAX_NAME": "a link carries all players",
  "store/server MAX_WAITS": "a server that works is waited for, and one that hangs is not",
  "engine/answers EXPLAINED": "test_small_games_of_every_mechanic",
  "engine/site MAX_RESULTS": "test_the_latest_eight_results_are_kept",
  "engine/table MAX_BYTES": "the pages of a large table used last stay, 32 megabytes of them",
  "engine/goals MAX_OPERATIONS": "test_wrong_questions",
  "engine/goals MAX_STATES": "test_wrong_questions",
  "engine/outlook MAX_STATES": "test_stored_distributions_and_deviations_of_yatzy",
  "engine/outlook MAX_CARDS_PAGED": "test_pages_give_the_same_answers",
};
const NO_LISTS = ["words/i18n MAX_WAIT_MS", "engine/answers MAX_UNCERTAIN", "engine/answers MAX_UNCERTAIN_SUM"]; // a time and chances
const LIMIT = /\b((?:MAX|LISTED|SHOWN)_[A-Z]+(?:_[A-Z]+)*|SMOOTHED|EXPLAINED) = /g;

test("every limit of a list has a test", [], () => {
  const found = [];
  for (const name of readdirSync(STATIC, { recursive: true }).filter((each) => each.endsWith(".js"))) {
    const constants = readFileSync(`${STATIC}/${name}`, "utf8").matchAll(LIMIT);
    for (const [, constant] of constants) found.push(`${name.slice(0, -3)} ${constant}`);
  }
  equal(found.filter((place) => !NO_LISTS.includes(place)).toSorted(), Object.keys(LIMITS).toSorted());
  const files = readdirSync(TESTS).filter((name) => name.match(/^(page_.*\.mjs|test_engine\.py)$/));
  const tests = files.map((name) => readFileSync(`${TESTS}/${name}`, "utf8")).join("\n");
  for (const name of Object.values(LIMITS)) isTrue(tests.includes(`("${name}", [`) || tests.includes(`def ${name}(`), name);
});
