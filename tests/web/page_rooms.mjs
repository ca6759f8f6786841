// The ways through the page: back from room to room, and a link that carries the whole table.
import { byId, equal, isTrue, load, openPage, roll, s, state, test, web } from "../support/page_modules.mjs";

const room = () => document.body.dataset.room;
const enter = (name) => byId("rooms").children.find(({ dataset }) => dataset.room === name).click();

test("the way back leads from room to room, and the game stays", ["yatzy", "crag"], async () => {
  await openPage();
  roll(1, 2);
  const length = history.entries.length;
  enter("puzzle");
  enter("puzzle"); // no entry of its own
  roll(3);
  enter("statistics");
  equal([room(), history.entries.length - length], ["statistics", 2]);
  await history.back();
  equal([room(), s().dice], ["puzzle", [1, 2, 3]]);
  await history.back(); // its address is of two dice
  await web.pass(50);
  equal([room(), s().dice, location.hash], ["play", [1, 2, 3], "#rules=yatzy&dice=123&rolls_left=2"]);
  equal([...byId("rooms").children].map((each) => each.getAttribute("aria-current")), ["page", null, null, null]);
  roll(4);
  equal(location.hash, "#rules=yatzy&dice=1234&rolls_left=2");
  history.entries.push({ state: null, hash: "#rules=crag&dice=555&rolls_left=1" }); // a link of the page is followed
  location.hash = history.entries.at(-1).hash;
  await web.tell("popstate", { state: null });
  await web.tell("hashchange");
  await web.pass(50);
  equal([s().rules, s().dice], ["crag", [5, 5, 5]]);
  state.undo();
  equal([s().rules, s().dice], ["yatzy", [1, 2, 3, 4]]);
});

test("a link carries all players", ["yatzy", "yatzy-saved", "yahtzee"], async () => {
  const { fromLink, toLink } = await load("store/link");
  await openPage();
  const seats = [["Ann: the first", { ones: 3 }], ["", {}], ["Bo", { sixes: 24, twos: 0 }]];
  for (const [spec, saved, bonusPoints] of [["yatzy", 0, 0], ["yatzy-saved", 2, 0], ["yahtzee", 0, 100]])
    for (const player of [0, 1, 2]) {
      state.change((t) => {
        state.startGame(t, spec);
        t.players = seats.map(([name, card]) => ({ ...state.newPlayer(name), card: spec === "yahtzee" ? {} : { ...card }, saved, bonusPoints }));
        Object.assign(t, { player, dice: [1, 2, 3], left: 1, objective: "win", ties: "half" });
      });
      const { players } = structuredClone(s()), link = location.hash;
      equal((await fromLink(link))[1], []);
      await openPage(); // the game before
      state.change((t) => state.startGame(Object.assign(t, { players: [state.newPlayer()] }), "yatzy"));
      location.hash = link;
      await web.tell("hashchange");
      await web.pass(50);
      const { rules, dice, left, objective, ties, opponents } = s();
      equal([rules, s().players, s().player, dice, left, objective, ties, opponents], [spec, players, player, [1, 2, 3], 1, "win", "half", ""]);
      equal(state.objective().opponents.length, 2);
    }
  const namesOf = async (link) => {
    const [{ players, player }, faults] = await fromLink(link);
    return [players.map(({ name }) => name), player, faults];
  };
  equal(await namesOf("#rules=yatzy"), [[], 0, []]);
  equal(await namesOf("#player=Ann&player=Bo&turn=2"), [["Ann", "Bo"], 1, []]);
  for (const turn of ["0", "3", "x", "9"]) equal(await namesOf(`#player=Ann&player=Bo&turn=${turn}`), [["Ann", "Bo"], 0, [`There is no player “${turn}”.`]]);
  equal((await namesOf(`#player=${"n".repeat(31)}:`))[0], ["n".repeat(30)]);
  const nine = "ABCDEFGHI".split("");
  equal(await namesOf(`#${nine.map((name) => `player=${name}:`).join("&")}`), [nine.slice(0, 8), 0, ["There are at most 8 players."]]);
  equal((await fromLink("#player=Ann&player=Bo: ones=99 extra=x"))[1], ["Ones cannot hold “99”.", "The bonus points cannot be “x”."]);
  equal(toLink({ rules: "yatzy", card: {}, dice: [], left: 2 }), "#rules=yatzy&rolls_left=2");
});

// Whoever goes to the review after a game sees it: nothing has to be tapped first.
test("the review of a finished game opens with its room", ["yatzy"], async ([{ categories }]) => {
  web.answers.review = ({ game, player }) => ({
    player: game.players[player], finished: true, start: game.date.includes("-28") ? 248.4 : 231.5, result: 5, luck: 0, points_lost: 0, grades: {}, rolls: [], decisions: [],
  }); // prettier-ignore
  await openPage();
  const open = async (name) => {
    enter(name);
    await web.pass(100);
    return ["248.4", "231.5"].filter((start) => byId("review-body").textContent.includes(start));
  };
  equal(await open("review"), []); // nothing is played yet
  const turns = categories.map(({ id }) => ({ player: 0, rolls: [[2, 3, 3, 5, 5]], holds: [], category: id, points: 0 }));
  const finish = (date) =>
    state.change((t) => Object.assign(t, { turns, date, players: [Object.assign(state.newPlayer(), { card: Object.fromEntries(categories.map(({ id }) => [id, 0])) })] }));
  finish("2026-11-28T12:00:00Z");
  equal(await open("play"), []);
  equal([await open("review"), byId("review-own").hidden], [["248.4"], true]);
  finish("2026-11-29T12:00:00Z");
  equal([await open("play"), await open("review")], [["248.4"], ["231.5"]]);
  const { openReview } = await load("review/review"), { gameRecord } = await load("store/game"), record = { ...gameRecord(), date: "2026-11-28T13:00:00Z" };
  await open("statistics");
  finish("2026-11-30T12:00:00Z");
  openReview(record); // another game, of the list
  await web.pass(100);
  equal([await open("play"), await open("review"), byId("review-own").hidden], [["248.4"], ["248.4"], false]); // it stays
});
