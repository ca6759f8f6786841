// The rooms of the page: play, puzzles, reviews, statistics. One is shown at a time; the game on the table waits.
import { byId } from "./dom.js";

const rooms = [...byId("rooms").children];
export const currentRoom = () => document.body.dataset.room;

// Shows a room from its top, or from an element in it.
export function showRoom(name, target = null) {
  document.body.dataset.room = name;
  for (const tab of rooms) {
    if (tab.dataset.room === name) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  document.dispatchEvent(new CustomEvent("room", { detail: name }));
  if (target) target.scrollIntoView();
  else window.scrollTo(0, 0);
}

for (const tab of rooms) tab.addEventListener("click", () => showRoom(tab.dataset.room));
