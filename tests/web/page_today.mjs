// The puzzle of the day: its dice, its turn of three decisions, the grades at the end, the line to share, its link.
import { byId, equal, isTrue, load, openPage, readCases, test, web } from "../support/page_modules.mjs";

test("the dice of a text are those of its SHA-256", [], async () => {
  const { fixedDice } = await load("engine/fixed-dice");
  for (const [text, roll, faces, dice] of readCases()) equal(await fixedDice(text, roll, dice.length, faces), dice, `${text} ${roll}`);
});

test("the faces of fixed dice are even", [], async () => {
  const { fixedDice } = await load("engine/fixed-dice"), counts = Array(6).fill(0);
  for (let day = 1; day <= 600; day++) for (const face of await fixedDice(`perfect-yatzy puzzle ${day}`, 2, 5, 6)) counts[face - 1] += 1;
  const chiSquare = counts.reduce((sum, count) => sum + (count - 500) ** 2 / 500, 0);
  isTrue(chiSquare < 20.5, counts); // exceeded by one fair series of 1,000, with five degrees of freedom
});

test("a die keeps its face until it is rolled again, and all dice kept lead to the box", [], async () => {
  const { decisionsOf } = await load("puzzle/day"), rolls = [[1, 4, 5, 5, 6], [2, 2, 3, 3, 3], [6, 6, 6, 1, 1]];
  const kept = (marks) => ({ kept: [...marks].map((mark) => mark === "x") });
  const told = (...choices) => decisionsOf({ rolls }, choices).map(({ dice, rollsLeft, isBox }) => `${dice.join("")} ${rollsLeft}${isBox ? " box" : ""}`);
  equal(told(), ["14556 2"]);
  equal(told(kept("..xx.")), ["14556 2", "22553 1"]);
  equal(told(kept("..xx."), kept("x.xx.")), ["14556 2", "22553 1", "26551 0 box"]);
  equal(told(kept("....."), kept(".....")), ["14556 2", "22333 1", "66611 0 box"]);
  equal(told(kept("xxxxx")), ["14556 2", "14556 2 box"]);
  equal(told(kept("..xx."), kept("xxxxx"), { category: "ones" }), ["14556 2", "22553 1", "22553 1 box"]);
});

test("a day has a number, a link and an end", [], async () => {
  const { dayOfLink, linkOfDay, numberOf, untilTomorrow } = await load("puzzle/day");
  web.setClock("2026-11-28T12:00:00Z");
  equal(numberOf(739_948), 332); // 28 November is day 332 of 2026
  const of = (hash) => { const found = dayOfLink(hash); return found && [numberOf(found.day), found.rules]; };
  equal(of("#day=331&rules=yahtzee"), [331, "yahtzee"]);
  equal(of("#day=331&rules=yatzy+bonus-35"), [331, "yatzy+bonus-35"]);
  equal([of("#day=332"), of("#day=333"), of("#day=999999")], Array(3).fill([332, null])); // nobody sees a puzzle early
  equal([of("#day=0"), of("#day=-4"), of("#day=x"), of("#day=")], Array(4).fill([332, null]));
  equal([of(""), of("#rules=yatzy&dice=12345")], [null, null]);
  equal(of(linkOfDay(739_947, "yahtzee").replace(/^[^#]*/, "")), [331, "yahtzee"]);
  process.env.TZ = "Europe/Stockholm";
  equal(untilTomorrow(new Date("2026-11-28T15:48:00Z")), "Next puzzle in 7 h 12 min"); // 16:48 there
  equal(untilTomorrow(new Date("2026-11-28T22:59:30Z")), "Next puzzle in 0 h 1 min");
  equal(untilTomorrow(new Date("2026-10-24T22:00:00Z")), "Next puzzle in 25 h 0 min"); // summer time ends
  delete process.env.TZ;
});

// The days of the list have its puzzles in order, those before and after it repeat it; further puzzles of a day are those of later days.
test("each day and each number has its puzzle of the list of a site", [], async () => {
  const { answer } = await load("engine/worker"), FIRST = 739_940, STRIDE = 37;
  for (const length of [1, 2, 3, 30]) {
    const lists = Object.fromEntries(["easy", "medium", "hard"].map((difficulty, more) => [difficulty, Array.from({ length: length + more }, (_none, i) => ({ dice: [i] }))]));
    const site = { open: async () => ({ game: { key: "yatzy" }, puzzles: async () => ({ first_day: FIRST, ...lists }) }) };
    for (const [difficulty, { length: size }] of Object.entries(lists))
      for (let day = -2 * size; day < 3 * size; day++)
        for (const number of [0, 1, 2, 999]) {
          let place = day + STRIDE * number;
          while (place < 0) place += size;
          while (place >= size) place -= size;
          const seed = 1000 * (FIRST + day) + number, found = await answer(site, "puzzle", { rules: "yatzy", seed, difficulty });
          equal([found.seed, found.difficulty, found.dice], [seed, difficulty, [place]], `${size} ${day} ${number}`);
        }
  }
});

test("the line to share has squares and no dice", ["yatzy"], async () => {
  const { shareLine, noteChoiceOfDay, noteResult, resultOf } = await load("puzzle/day"), { streak } = await load("puzzle/puzzle");
  web.setClock("2026-11-28T12:00:00Z");
  const puzzle = { day: 739_948, rules: "yatzy" };
  const line = (losses, grades) => shareLine(puzzle, { losses, grades });
  equal(line([0.4, 0, 0], ["mistake", "best", "tied"]), "Yatzy 332 🟨🟩🟩 −0.4");
  equal(line([0, 0], ["best", "best"]), "Yatzy 332 🟩🟩 0.0");
  equal(line([0.1, 2.25, 0], ["inaccuracy", "blunder", "best"]), "Yatzy 332 🟨🟥🟩 −2.4");
  noteChoiceOfDay(puzzle, { category: "ones" });
  equal([resultOf(puzzle).choices, resultOf({ ...puzzle, day: 739_947 }).choices, resultOf({ ...puzzle, rules: "maxi" }).choices], [[{ category: "ones" }], [], []]);
  noteResult({ ...puzzle, day: 739_947 }, [0], ["best"]);
  equal(streak(), 0); // a puzzle of another day
  noteResult(puzzle, [0], ["best"]);
  equal([streak(), resultOf(puzzle)], [1, { choices: [{ category: "ones" }], losses: [0], grades: ["best"] }]);
});

test("four hundred puzzles of the day are kept, the latest", [], async () => {
  const { noteChoiceOfDay, resultOf } = await load("puzzle/day"), of = (day) => resultOf({ rules: "yatzy", day }).choices.length;
  for (let day = 1; day <= 401; day++) noteChoiceOfDay({ rules: "yatzy", day }, { category: "ones" });
  equal([of(1), of(2), of(401)], [0, 1, 1]);
});

// --- the room ---

const HOLDS = [[], [5, 5], [5, 5, 6]];
const answers = () => {
  web.answers.puzzle = () => ({ card: { fives: 15, chance: 23 }, dice: [1, 4, 5, 5, 6], rolls_left: 0 });
  web.answers.hold = ({ dice }) => ({
    holds: HOLDS.map((hold, i) => ({ hold: hold.every((face) => dice.includes(face)) ? hold : [dice[0]], expected_final_score: 240 + i })),
  });
  web.answers.score = () => ({
    categories: [["one-pair", 10, 236], ["ones", 1, 235.7]].map(([category, points, value]) => ({ category, points, expected_final_score: value })),
  });
  web.answers.expect = () => ({ expected_final_score: 248.4 });
  web.answers.outcomes = () => ({ outcomes: [] });
};
const room = async () => {
  (await load("table/room")).showRoom("puzzle");
  await web.pass(5);
};
const press = async (find) => {
  const found = [...byId("today").querySelectorAll("button")].find((each) => (find.id ? each.id === find.id : each.textContent.replaceAll("\u00a0", " ").includes(find)));
  isTrue(found, `${find.id || find} in ${web.text("today")}`);
  found.click();
  await web.pass(5);
};
const openToday = async () => {
  answers();
  web.setClock("2026-11-28T12:00:00Z");
  await openPage();
  answers();
  await room();
};
const dice = () => [...byId("today").querySelectorAll(".exercise-dice .die")];
const today = () => web.text("today").replaceAll("\u00a0", " ");

test("three choices go on, and are graded at the end", ["yatzy"], async () => {
  await openToday();
  isTrue(today().includes("Yatzy No. 332") && today().includes("What do you keep?"), today());
  equal([dice().length, byId("today").querySelectorAll(".day-cell").length], [5, 14]);
  isTrue(byId("day-keep").getAttribute("aria-disabled") === "true");
  for (const i of [2, 3]) dice()[i].click();
  await press("Keep 5 5");
  isTrue(!/mistake|best|inaccuracy/.test(today()), today()); // no grade yet
  await press({ id: "day-roll-all" });
  isTrue(today().includes("Which box?") && !/mistake|best/.test(today()), today());
  await press("Ones");
  isTrue(today().includes("You lost 3.3 points."), today()); // 1 of the first hold, 2 of the second, 0.3 of the box
  isTrue(/mistake, −1.00.*blunder, −2.00.*inaccuracy, −0.30/.test(today()), today());
  isTrue(today().includes("0 of 3") && today().includes("1 day in a row") && today().includes("Next puzzle in 1"), today());
  let copied = "";
  Object.assign(navigator, { clipboard: { writeText: async (text) => { copied = text; } } });
  await press("Copy result");
  equal(copied, "Yatzy 332 🟨🟥🟨 −3.3\nhttp://localhost/#day=332&rules=yatzy");
});

test("the button of a puzzle names the dice that are kept, in ascending order", ["yatzy"], async () => {
  await openToday();
  const isHeld = (die) => die.getAttribute("aria-pressed") === "true", face = (die) => /shows (\d)/.exec(die.getAttribute("aria-label"))[1];
  const check = () => {
    for (let marks = 1; marks < 31; marks++) {
      dice().forEach((die, i) => { if (isHeld(die) !== Boolean((marks >> i) & 1)) die.click(); });
      const kept = dice().filter(isHeld).map(face).toSorted();
      equal(web.text("day-keep").replaceAll("\u00a0", " "), `Keep ${kept.join(" ")}`);
    }
  };
  check();
  await press("Keep 4 5 5 6");
  check(); // a die that is rolled again keeps its place
  isTrue(dice().map(face).join("") !== dice().map(face).toSorted().join(""), "dice that are not in order");
});

test("a turn goes on where it stood, and a choice counts once", ["yatzy"], async () => {
  await openToday();
  for (const die of dice()) die.click();
  await press("Keep all dice");
  isTrue(today().includes("Which box?"), today());
  await openPage();
  answers();
  await room();
  isTrue(today().includes("Which box?"), today());
  await press("One Pair");
  equal([today().includes("6.0 points"), today().includes("0 of 2")], [true, false]); // 6 lost by keeping all, none by the box
  isTrue(today().includes("1 of 2"), today());
});

test("a link of a day opens its puzzle and leaves the game on the table", ["yatzy"], async () => {
  answers();
  web.setClock("2026-11-28T12:00:00Z");
  location.hash = "#day=330&rules=yatzy";
  await openPage();
  await web.pass(5);
  equal(document.body.dataset.room, "puzzle");
  isTrue(today().includes("Yatzy No. 330"), today());
  isTrue(!web.text("notice").includes("ignored"), web.text("notice"));
  await press({ id: "to-today" });
  isTrue(today().includes("Yatzy No. 332"), today());
});

// --- the games ---

test("games are listed by date with a level, and each opens its review", ["yatzy"], async () => {
  await openPage();
  const turn = (category) => ({ player: 0, rolls: [[1, 1, 1, 1, 1]], holds: [], category, points: 0 });
  const kept = [["2026-11-02", 210], ["2026-11-20", 250], ["2026-11-09", 230]].map(([day, result]) => ({
    record: { schema: 2, rules: "yatzy", players: ["Ann"], date: `${day}T12:00:00Z`, turns: [turn("ones")] },
    players: [{ name: "Ann", result, start: 250, luck: 3, lost: 5, holds: 5, boxes: 0, bonus: false, faces: {} }],
  }));
  const level = async (lost) => {
    localStorage.setItem("perfect-yatzy-games-1", JSON.stringify(kept.map((game) => ({ ...game, players: [{ ...game.players[0], lost }] }))));
    for (const room of [0, 3]) byId("rooms").children[room].click();
    await web.pass(10);
    return web.text("level");
  };
  // Of 250 points: a novice gives away 25, a casual player 15, a sensible one 6, a strong one 3.
  for (const [lost, text] of [[41, "below Novice"], [25, "as Novice"], [20, "between Novice and Casual"], [2, "between Strong and Perfect"], [0, "as Perfect"]])
    isTrue((await level(lost)).includes(text), `${lost} ${web.text("level")}`);
  const rows = [...byId("statistics").querySelectorAll(".game-row")];
  equal(rows.map((row) => row.querySelector(".game-result").textContent), ["250", "230", "210"]);
  const asked = [];
  web.answers.review = ({ game }) => {
    asked.push(game.date);
    const decision = (turnNumber, loss) => ({ turn: turnNumber, roll: 1, dice: [1, 1, 1, 1, 1], rolls_left: 2, done: { hold: [1] }, best: { hold: [] }, loss, grade: loss ? "mistake" : "best" });
    const losses = game.date.includes("-20") ? [0, 1.2, 0.5] : [0, 0, 0];
    return {
      player: "Ann", finished: true, start: 250, result: 250, luck: 3, points_lost: 1.7, grades: { best: 1, mistake: 2 },
      rolls: losses.map((_loss, i) => ({ turn: i + 1, roll: 1, roll_luck: [1, 2, 5][i] })),
      decisions: losses.map((loss, i) => decision(i + 1, loss)),
    };
  };
  kept.forEach(({ record }) => { record.turns = ["ones", "twos", "threes"].map(turn); });
  await level(2);
  for (const [at, place, note] of [[0, "Turn 2, roll 1", ""], [1, "Turn 3, roll 1", "No errors. This was your luckiest roll."]]) {
    byId("statistics").querySelectorAll(".game-row")[at].click();
    await web.pass(100);
    equal(document.body.dataset.room, "review");
    isTrue(web.text("step-place").startsWith(place), web.text("step-place"));
    equal(document.querySelector("#decision .note")?.textContent ?? "", note);
    isTrue(web.text("review-card").includes(`The card before turn ${place[5]}`), web.text("review-card"));
    equal(byId("review-card").querySelectorAll(".filled").length, Number(place[5]) - 1);
  }
  equal(asked.map((date) => date.slice(8, 10)), ["20", "09"]);
});
