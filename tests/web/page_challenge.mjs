// A challenge: the dice of a link, its result, and what the end compares; what the end of any game shows.
import { byId, equal, game, isTrue, load, openPage, s, state, test, web } from "../support/page_modules.mjs";

test("a link of a challenge is read and written", ["yatzy"], async () => {
  const { challengeOfLink, linkOfChallenge } = await load("table/challenge");
  const played = { text: "k7wm2pxa", rules: "yatzy+bonus-35", name: "Änn & Bo", score: 269, lost: 7 };
  equal(challengeOfLink(linkOfChallenge(played).replace(/^[^#]*/, "")), played);
  const nobody = { name: "", score: null, lost: null };
  equal(challengeOfLink("#challenge=abc"), { text: "abc", rules: "yatzy", ...nobody });
  equal(challengeOfLink("#challenge=abc&rules=maxi&score=26x&lost=1"), { text: "abc", rules: "maxi", ...nobody });
  equal(challengeOfLink("#challenge=abc&score=261"), { text: "abc", rules: "yatzy", ...nobody }); // half a result is none
  equal([challengeOfLink("#rules=yatzy&dice=12345"), challengeOfLink("#challenge="), challengeOfLink("")], [null, null, null]);
  equal(challengeOfLink(`#challenge=${"x".repeat(199)}`).text.length, 100);
  equal(challengeOfLink(`#challenge=a&by=${"x".repeat(99)}`).name.length, 30);
  equal(challengeOfLink(`#challenge=a&choices=${"x".repeat(1001)}`).choices.length, 1000);
  equal(challengeOfLink(linkOfChallenge({ ...played, choices: "0hA3.D50+100." }).replace(/^[^#]*/, "")).choices, "0hA3.D50+100.");
});

test("dice of a challenge are those of its text, whatever is undone, and other dice are found out", ["yatzy"], async ([yatzy]) => {
  const { newChallenge, isOfSameDice } = await load("table/challenge"), { fixedDice } = await load("engine/fixed-dice");
  newChallenge();
  const { sameDice } = s(), faces = (turn, roll) => fixedDice(`perfect-yatzy challenge ${sameDice} turn ${turn}`, roll, 5, 6);
  isTrue(/^[a-z2-9]{8}$/.test(sameDice), sameDice);
  for (let turn = 1; turn <= 3; turn++) {
    game.firstRoll();
    equal(s().dice, faces(turn, 1));
    const held = s().dice.slice(0, turn);
    for (let time = 0; time < 2; time++) {
      if (time) state.undo();
      game.holdAndRoll(held);
      equal(s().dice, [...held.toSorted(), ...faces(turn, 2).slice(turn)]);
    }
    game.takeCategory({ category: yatzy.categories[turn].id, points: 0 });
  }
  const record = game.gameRecord();
  equal(record.same_dice, sameDice);
  isTrue(isOfSameDice(record, sameDice, yatzy));
  isTrue(!isOfSameDice(record, sameDice + "x", yatzy));
  record.turns[1].rolls[0] = record.turns[1].rolls[0].map((face) => 7 - face);
  isTrue(!isOfSameDice(record, sameDice, yatzy));
  state.change((t) => state.startGame(t));
  equal([s().sameDice, s().challenge], ["", null]);
});

const end = () => web.text("end").replaceAll("\u00a0", " ");

test("a friend takes a challenge, and the end compares scores and points lost", ["yatzy"], async ([{ categories }]) => {
  web.answers.expect = () => ({ expected_final_score: 248.4 });
  location.hash = "#challenge=k7wm2pxa&rules=yatzy&by=Anna&score=269&lost=7.0";
  await openPage();
  equal(web.text("challenge-title"), "Anna scored 269. Your turn, the same dice.");
  equal([s().sameDice, web.text("notice")], ["", ""]); // nothing has begun
  byId("challenge-take").click();
  await web.pass(50);
  equal([s().sameDice, s().challenge], ["k7wm2pxa", { name: "Anna", score: 269, lost: 7 }]);
  let result, lost;
  web.answers.review = () => ({ player: "You", finished: true, start: 248.4, result, luck: 0, points_lost: lost, grades: { best: 1 }, rolls: [], decisions: [] });
  const play = async (score, errors) => {
    [result, lost] = [score, errors];
    state.change((t) => Object.assign(t, { turns: [], players: [state.newPlayer()], date: `2026-11-20T12:00:0${(score + errors * 10) % 10}Z` }));
    for (const { id } of categories) {
      game.firstRoll();
      game.takeCategory({ category: id, points: 0 });
    }
    await web.pass(50);
    return end();
  };
  for (const [score, errors, sentence] of [
    [261, 3.1, "Anna scored more. You chose better."], [300, 9, "You scored more. Anna chose better."],
    [269, 7.01, "Both scored the same. Both chose equally well."],
  ]) {
    const said = await play(score, errors);
    isTrue(said.includes(sentence) && said.includes("Anna2697.0") && said.includes("have different luck"), said);
  }
  let copied = "";
  Object.assign(navigator, { clipboard: { writeText: async (text) => { copied = text; } } });
  byId("challenge-send").click();
  await web.pass(10);
  const choices = categories.map((_box, i) => `${String.fromCharCode(65 + i)}0.`).join("");
  equal(copied, `http://localhost/#challenge=k7wm2pxa&rules=yatzy&score=269&lost=7.0&choices=${choices}`);
  equal([web.text("go"), byId("go").dataset.kind], ["Revenge", "new-game"]);
  byId("go").click();
  await web.pass(50);
  isTrue(/^[a-z2-9]{8}$/.test(s().sameDice) && s().sameDice !== "k7wm2pxa", s().sameDice);
  equal([s().challenge, s().turns, s().players.length, web.text("notice").startsWith("A new game. At the end you can send its dice")], [null, [], 1, true]);
  state.undo();
  equal(s().sameDice, "k7wm2pxa");
});

test("choices of a challenge are compared turn by turn", ["yatzy", "yahtzee"], async ([yatzy, yahtzee]) => {
  const { choicesText, turnsOfChoices } = await load("table/challenge-choices"), { newChallenge, sameDice } = await load("table/challenge");
  const play = () => {
    for (const [i, { id }] of yatzy.categories.entries()) {
      game.firstRoll();
      for (let roll = 0; roll < i % 3; roll++) game.holdAndRoll(s().dice.slice(0, (i + roll) % 5));
      game.takeCategory({ category: id, points: 0 });
    }
  };
  newChallenge();
  play();
  const text = s().sameDice, { turns } = game.gameRecord(), choices = choicesText(turns, yatzy);
  equal(turnsOfChoices(choices, (turn, roll) => sameDice(text, turn, roll, yatzy), yatzy), turns);
  isTrue(choices.length < 100, choices);
  const bonus = { player: 0, rolls: [[6, 6, 6, 6, 6]], holds: [], category: "sixes", points: 30, bonus_points: 100 };
  equal(choicesText([bonus], yahtzee), "F30+100.");
  equal(turnsOfChoices("F30+100.", () => [6, 6, 6, 6, 6], yahtzee), [bonus]);
  equal(turnsOfChoices("<script>", () => [], yahtzee), []);

  web.answers.expect = () => ({ expected_final_score: 248.4 });
  const reviewed = [];
  web.answers.review = ({ game: { players, turns: played } }) => {
    reviewed.push([players[0], played]);
    const decisions = [{ turn: 2, loss: players[0] === "Anna" ? 1.26 : 0.01, grade: "mistake" }, { turn: 2, loss: 0.5, grade: "mistake" }].map((each) => ({
      ...each, roll: 1, rolls_left: 2, dice: [1, 2, 3, 4, 5], done: { hold: [], category: null }, best: { hold: [5], category: null },
    })); // prettier-ignore
    return { player: players[0], finished: true, start: 248.4, result: 0, luck: 0, points_lost: 2, grades: { best: 1 }, rolls: [], decisions };
  };
  for (const [theirs, isWhole] of [[choices, true], ["A0.B0.", false], [undefined, null]]) {
    location.hash = `#challenge=${text}&rules=yatzy&by=Anna&score=0&lost=7.0${theirs ? `&choices=${theirs}` : ""}`;
    await openPage();
    byId("challenge-take").click();
    await web.pass(50);
    play();
    await web.pass(50);
    equal(Boolean(byId("compare-choices")), isWhole !== null);
    if (isWhole === null) continue;
    byId("compare-choices").click();
    await web.pass(50);
    equal(reviewed.at(-1), ["Anna", isWhole ? turns : turns.slice(0, 2).map((turn) => ({ ...turn, rolls: turn.rolls.slice(0, 1), holds: [] }))]);
    if (!isWhole) {
      isTrue(end().includes("The choices in the link are not those of a whole game."), end());
      continue;
    }
    const rows = byId("compared").querySelectorAll("tr").map((row) => row.textContent.replaceAll("\u00a0", " "));
    equal([rows.length, rows[0], rows[1], rows[2]], [16, "TurnYouAnna", "1Ones, 0 Ones, 0 ", "2Twos, 0 −0.5Twos, 0 −1.8"]);
  }
});

test("the end shows the score of the person, the sum, and the largest error to try again", ["yatzy"], async ([{ categories }]) => {
  await openPage();
  const percentiles = { 5: 180, 25: 220, 50: 250, 75: 280, 95: 310 }, chances = Array(200).fill(0.005);
  web.answers.expect = ({ spread }) => ({ expected_final_score: 248.4, ...(spread === false ? {} : { distribution: { lowest: 150, chances, percentiles } }) });
  const decision = (turn, loss, grade) => ({
    turn, roll: 1, rolls_left: 2, dice: [2, 3, 3, 5, 5], loss, grade, done: { hold: [3, 5, 5], category: null }, best: { hold: [3, 3], category: null },
  }); // prettier-ignore
  web.answers.review = ({ player }) => ({
    player: ["Ann", "Skilled"][player], finished: true, start: 248.4, result: 190 + player, luck: -50, points_lost: 8.4 - player, grades: { mistake: 2 }, rolls: [],
    decisions: [decision(1, 0.9, "mistake"), decision(2, 1.4, "mistake")],
  }); // prettier-ignore
  const turns = categories.flatMap(({ id }) => [0, 1].map((player) => ({ player, rolls: [[2, 3, 3, 5, 5]], holds: [], category: id, points: id === "chance" ? 190 + player : 0 })));
  const player = (name, computer, i) => Object.assign(state.newPlayer(name, { computer }), { card: Object.fromEntries(categories.map(({ id }) => [id, id === "chance" ? 190 + i : 0])) });
  state.change((t) => Object.assign(t, { turns, players: [player("Ann", undefined, 0), player("Skilled", "3", 1)], player: 1, date: "2026-11-28T12:00:00Z" }));
  await web.pass(100);
  const score = () => Number(byId("result").querySelector("b").textContent);
  const counted = [score()];
  for (let time = 0; time < 20; time++) {
    await web.pass(50);
    counted.push(score());
  }
  equal(counted, counted.toSorted((a, b) => a - b));
  isTrue(counted[0] < 100 && counted.at(-1) === 190 && counted.at(-3) === 190, counted);
  const result = byId("result").textContent.replaceAll("\u00a0", " ");
  isTrue(result.startsWith("190Skilled beat you: 191 to 190."), result); // Ann's score, who has lost
  isTrue(result.endsWith("20 % of games by perfect play end lower."), result); // 40 of 200 equal chances
  equal(byId("end").querySelectorAll("dd").map((each) => each.textContent), ["248.4", "−50.0", "−8.4", "190", "248.4", "−50.0", "−7.4", "191"]);
  equal(byId("end").querySelectorAll(".largest").length, 1); // a computer has nothing to learn
  const largest = byId("end").querySelector(".largest"), dice = largest.querySelector(".dice-row");
  equal([dice.getAttribute("aria-label"), dice.querySelectorAll(".held").length], ["2 3 3 5 5", 3]);
  isTrue(/Turn 2, roll 1.*Played: keep 3 5 5/.test(largest.textContent.replaceAll("\u00a0", " ")), largest.textContent);
  isTrue(!largest.textContent.includes("3\u00a03\u00a0"), "the best choice is not said");
  web.answers.score = () => ({ categories: [{ category: "chance", points: 18, expected_final_score: 200 }] });
  web.answers.hold = () => ({ holds: [{ hold: [3, 3], category: null, expected_final_score: 250 }, { hold: [3, 5, 5], category: null, expected_final_score: 248.6 }] });
  largest.querySelector("button").click();
  await web.pass(100);
  equal([document.body.dataset.room, byId("exercise").querySelector("h4").textContent], ["puzzle", "An error that lost 1.4 points"]);
  equal(byId("exercise").querySelectorAll(".die").length, 5);
  state.undo();
  equal(byId("result").children.length, 0);
  const { matchMedia } = window;
  window.matchMedia = (query) => ({ ...matchMedia(query), matches: query === "(prefers-reduced-motion: reduce)" });
  await openPage();
  state.redo();
  await web.pass(1);
  equal(score(), 190); // nothing moves
  window.matchMedia = matchMedia;
  byId("rooms").children[0].click();
  equal([web.text("go"), s().turns.length], ["Play again", 30]);
  byId("go").click();
  await web.pass(50);
  equal([s().players.map(({ name, computer, card }) => [name, computer ?? "", card]), s().player, s().turns], [[["Ann", "", {}], ["Skilled", "3", {}]], 0, []]);
});

test("two players have their names above the columns, and both see both ways to the bonus", ["yatzy"], async () => {
  await openPage();
  const cardOf = (card) => (name, computer) => Object.assign(state.newPlayer(name, { computer }), { card });
  const first = cardOf({ ones: 2, twos: 6, sixes: 24 }), second = cardOf({ threes: 6, fives: 20, sixes: 24, fours: 16 });
  const heads = () => byId("card").querySelectorAll(".heads").map((row) => row.querySelectorAll(".points").map(({ textContent, className }) => [textContent, className.includes("own")]));
  const sums = () => byId("bonus-0").querySelectorAll(".points").map(({ textContent, className }) => [textContent, className.match(/good|bad/)?.[0], className.includes("own")]);
  equal([heads().length, sums(), byId("upper").textContent], [0, [], "Upper 0 of 63"]);
  state.change((t) => Object.assign(t, { players: [first("Alexandra"), second("")] }));
  equal(heads(), [[["Alexandra", true], ["2", false]], [["Alexandra", true], ["2", false]]]);
  equal(sums(), [["32", "good", true], ["66", "good", false]]);
  isTrue(byId("bonus-0").textContent.startsWith("Upper, of 63 32 66"));
  const bars = () => byId("bonus-0").querySelectorAll(".track span").map((bar) => bar.style.cssText);
  equal([bars(), web.text("bonus")], [["width: 51%", "width: 100%"], "5 ahead"]);
  byId("who").children[1].click();
  equal([heads()[0], bars(), web.text("bonus")], [[["Alexandra", false], ["2", true]], ["width: 100%", "width: 51%"], "bonus 50"]);
  byId("who").children[0].click();
  state.change((t) => Object.assign(t, { players: [first(""), second("Skilled", "5")] }));
  equal(heads()[1], [["You", true], ["S", false]]);
  equal(web.text("turn-line").startsWith("Turn 4 of 15"), true);
  byId("edit-card").click();
  equal([heads().length, web.text("upper")], [0, "Upper 32 of 63"]); // one card is edited
});
