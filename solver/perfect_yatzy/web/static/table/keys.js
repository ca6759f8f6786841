// Keys: digits enter dice, Enter does what the primary button does; arrow keys move within a row of buttons.
import { byId } from "../words/dom.js";
import {
  addDie,
  changing,
  chooseToChange,
  clearDice,
  forgetChoice,
  removeDie,
} from "../store/game.js";
import { currentRoom } from "./room.js";
import { isCardFull, isReady, redo, rules, state, undo } from "../store/state.js";

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

// Makes a group of buttons one stop of the Tab key.
export function roving(group) {
  const buttons = [...group.querySelectorAll("button")];
  const current =
    buttons.find((each) => each === document.activeElement) ||
    buttons.find((each) => each.tabIndex === 0) ||
    buttons[0];
  for (const each of buttons) each.tabIndex = each === current ? 0 : -1;
  if (group.dataset.roving) return;
  group.dataset.roving = "yes";
  group.addEventListener("keydown", (event) => {
    const all = [...group.querySelectorAll("button")],
      at = all.indexOf(event.target);
    const to =
      event.key === "Home"
        ? 0
        : event.key === "End"
          ? all.length - 1
          : at + (STEPS[event.key] || 0);
    if (at < 0 || to === at || !all[to]) return;
    event.preventDefault();
    for (const each of all) each.tabIndex = each === all[to] ? 0 : -1;
    all[to].focus();
  });
}

// What has the focus may disappear: then the focus goes to the dice, not to the beginning of the page.
let focused = null;
document.addEventListener("focusin", (event) => {
  focused = event.target;
});
document.addEventListener("close", () => queueMicrotask(keepFocus), true); // of a dialog
export function keepFocus() {
  const isLost = document.activeElement === document.body || document.activeElement === focused;
  if (
    !focused ||
    !isLost ||
    document.querySelector("dialog[open]") ||
    (focused.isConnected && focused.checkVisibility())
  )
    return;
  byId("dice-title").focus({ preventScroll: true });
}

const isTextField = (target) =>
  /SELECT|TEXTAREA/.test(target.tagName) ||
  target.isContentEditable ||
  (target.tagName === "INPUT" &&
    !["radio", "checkbox", "file", "button", "range"].includes(target.type));

document.addEventListener("keydown", (event) => {
  if (
    !isReady() ||
    currentRoom() !== "play" ||
    event.altKey ||
    document.querySelector("dialog[open]")
  )
    return;
  const isDigit = /^[1-9]$/.test(event.key) && !event.ctrlKey && !event.metaKey;
  if (isTextField(event.target) && !(event.target.id === "left" && isDigit)) return;
  const key = event.key.toLowerCase();
  if ((event.ctrlKey || event.metaKey) && (key === "z" || key === "y")) {
    event.preventDefault();
    if (event.shiftKey || key === "y") redo();
    else undo();
  } else if (event.ctrlKey || event.metaKey) return;
  else if (isDigit && Number(event.key) <= rules().faces) {
    event.preventDefault();
    addDie(Number(event.key));
    if (document.activeElement === document.body || document.activeElement?.closest("#rooms"))
      byId("dice-title").focus({ preventScroll: true }); // Tab goes on from the dice
  } else if (event.key === "Backspace") removeDie();
  else if (event.key === "Escape" && byId("menu").hidden) {
    if (changing() !== null) chooseToChange(changing());
    else if (state.chosen) forgetChoice();
    else clearDice();
  } else if (
    event.key === "Enter" &&
    !event.target.closest("button, a, summary, input, select, [tabindex='0']")
  ) {
    event.preventDefault(); // the action may move the focus to a button, which the same key would press
    if (!isCardFull() && !byId("go").hidden) byId("go").click();
  }
});
