// The rooms of the page: the way back of the browser leads from room to room, and the game stays.
import { byId, equal, openPage, roll, s, state, test, web } from "../support/page_modules.mjs";

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
