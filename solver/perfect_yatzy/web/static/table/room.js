// The rooms of the page: play, puzzles, reviews, statistics. One is shown at a time; the game on the table waits.
import { change, me, onDraw, showLink, showNotice, showPosition, state } from "../store/state.js";
import { language } from "../words/i18n.js";
import { button, byId, element } from "../words/dom.js";

const rooms = [...byId("rooms").children];
export const currentRoom = () => document.body.dataset.room;

// Shows a room from its top, or from an element in it. The way back of the browser leads to the room before.
export function showRoom(name, target = null) {
  if (name !== currentRoom()) history.pushState({ room: name }, "", location.href);
  drawRoom(name, target);
}

history.replaceState({ room: currentRoom() }, "", location.href);
window.addEventListener("popstate", ({ state: entry }) => {
  if (!entry?.room) return; // a link was followed
  drawRoom(entry.room);
  showLink(); // the game stays as it is
  showNotice("");
});

function drawRoom(name, target = null) {
  document.body.dataset.room = name;
  for (const tab of rooms) {
    if (tab.dataset.room === name) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  document.dispatchEvent(new CustomEvent("room", { detail: name }));
  if (target) target.scrollIntoView();
  else window.scrollTo(0, 0);
}

for (const tab of rooms)
  tab.addEventListener("click", () => {
    showRoom(tab.dataset.room);
    showNotice("");
  }); // it was about the room before

// --- a position of a review or of an exercise on the table: a line above the dice says what was chosen there and leads back ---

let visit = null; // { origin, key, words, back, onBack }: the state before, the position, what the line says

const positionKey = () =>
  JSON.stringify([state.rules, me().card, [...state.dice].sort(), state.left]);

// `fields` are those of `showPosition`. `words` makes the elements that say what was chosen there, `back` the text of the
// button that leads back; `onBack` goes there.
export async function visitPosition(fields, notice, { words, back, onBack }) {
  const origin = state.visits && visit ? visit.origin : JSON.stringify({ ...state, visits: false });
  visit = null;
  const typed = JSON.parse(origin).typed;
  if (!(await showPosition({ ...fields, typed, visits: true }, notice))) return; // another one was asked for meanwhile
  visit = { origin, key: positionKey(), words, back, onBack };
  drawVisit();
  showRoom("play");
  byId("advice-title").focus({ preventScroll: true });
}

function leave() {
  const { origin, onBack } = visit;
  change((s) => Object.assign(s, JSON.parse(origin)));
  onBack();
}

function drawVisit() {
  if (!byId("visit")) byId("dice-title").after(element("div", { id: "visit" }));
  const line = byId("visit"),
    isShown = Boolean(state.visits && visit),
    isSame = isShown && positionKey() === visit.key;
  const key = `${isShown} ${isSame} ${language} ${isShown && visit.key}`;
  line.hidden = !isShown;
  if (line.dataset.key === key) return;
  line.dataset.key = key;
  line.replaceChildren(
    ...(isShown
      ? [button(visit.back(), leave, { id: "visit-back" }), " ", ...(isSame ? visit.words() : [])]
      : []),
  );
}

onDraw(drawVisit);
