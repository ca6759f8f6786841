// The dice on the table: which are held, which the advice keeps, the buttons to enter real dice, the roll of this turn.
import {
  button,
  byId,
  diceRow,
  diceText,
  dieFace,
  element,
  moveFocusOut,
  setEnabled,
} from "../words/dom.js";
import {
  addDie,
  advisedBox,
  canBeTwo,
  canChange,
  canRemoveDie,
  changing,
  chooseToChange,
  isTurnStart,
  marksOf,
  provideAdvice,
  readAsTwo,
  removeDie,
  setGuessedHold,
  toggleHeld,
} from "../store/game.js";
import { _, formatNumber, language } from "../words/i18n.js";
import { mode } from "../store/mode.js";
import { roving } from "./keys.js";
import {
  change,
  hasAllDice,
  isCardFull,
  maxRerolls,
  me,
  onDraw,
  rules,
  state,
} from "../store/state.js";

const DICE_IN_A_ROW = 7; // dice that a finger meets on a phone
const MAX_ROLLS_LISTED = 12; // saved rolls can be many; more of them are chosen one at a time
let advised = null; // the dice that the advice keeps; null while there is none
provideAdvice({ markedHold: () => (hasAllDice() ? advised : null) });

// Marks the dice that the advice keeps.
export function showAdvised(hold) {
  advised = hold;
  drawTable();
  drawFaces();
}

// Elements are changed in place, so that the one with the focus is never replaced.
function drawTable() {
  const table = byId("dice");
  while (table.querySelectorAll("button").length > state.dice.length) {
    const last = [...table.querySelectorAll("button")].pop();
    if (last === document.activeElement)
      (last.previousElementSibling || byId("dice-title")).focus(); // where Enter plays
    last.remove();
  }
  for (const slot of table.querySelectorAll(".slot")) slot.remove();
  while (table.children.length < state.dice.length) {
    const at = table.children.length;
    table.append(
      button("", () => (canChange(at) ? chooseToChange(at) : toggleHeld(at)), { class: "die" }),
    );
  }
  const keeps = advised && hasAllDice() ? marksOf(state.dice, advised) : [];
  state.dice.forEach((face, i) => drawDie(table.children[i], face, i, Boolean(keeps[i])));
  for (let i = state.dice.length; i < rules().dice; i++)
    table.append(element("span", { class: "slot", "aria-hidden": "true" }));
  table.hidden = isCardFull();
  const isInTwoRows = rules().dice > DICE_IN_A_ROW;
  table.style.setProperty("--dice", isInTwoRows ? Math.ceil(rules().dice / 2) : rules().dice);
  table.classList.toggle("two-rows", isInTwoRows);
  roving(table);
}

const rollKey = () => `${state.turns.length} ${state.player} ${state.rolls.length}`;

function drawDie(die, face, i, isAdvised) {
  const isHeld = Boolean(state.held[i]);
  const isKept = isHeld || (isAdvised && !state.chosen);
  const word = isKept ? _("keep") : isAdvised ? _("best") : "";
  die.classList.toggle("held", isHeld);
  die.classList.toggle("advised", isAdvised && !state.chosen);
  die.classList.toggle("hinted", isAdvised && state.chosen && !isHeld);
  die.setAttribute("aria-pressed", String(isKept));
  const fields = { number: i + 1, face, word };
  die.setAttribute(
    "aria-label",
    word ? _("Die {number} shows {face}, {word}", fields) : _("Die {number} shows {face}", fields),
  );
  die.classList.toggle("changing", changing() === i);
  setEnabled(die, (hasAllDice() && state.left > 0) || canChange(i));
  const isRolled =
    !state.typed &&
    hasAllDice() &&
    rollKey() !== die.dataset.roll &&
    !(state.holds.length && i < (state.holds.at(-1) || []).length);
  die.classList.toggle(
    "rolled",
    isRolled || (die.dataset.roll === rollKey() && die.classList.contains("rolled")),
  );
  die.dataset.roll = rollKey();
  if (die.dataset.face !== String(face)) {
    die.replaceChildren(dieFace(face), element("small", { "aria-hidden": "true" }));
    die.dataset.face = face;
  }
  die.lastChild.textContent = word;
}

function drawFaces() {
  const faces = byId("faces"),
    builtFor = `${rules().faces} ${language}`;
  if (faces.dataset.builtFor !== builtFor) {
    const buttons = Array.from({ length: rules().faces }, (_face, i) =>
      button(dieFace(i + 1), () => addDie(i + 1), {
        class: "face",
        "aria-label": _("Add a {face}", { face: i + 1 }),
      }),
    );
    faces.replaceChildren(
      ...buttons,
      button("⌫", removeDie, {
        id: "remove-die",
        class: "face",
        "aria-label": _("Remove the last die"),
      }),
    );
    faces.dataset.builtFor = builtFor;
  }
  setEnabled(byId("remove-die"), canRemoveDie());
  if (isCardFull()) moveFocusOut(byId("entry"), byId("advice-title"));
  byId("entry").hidden = isCardFull() || mode() !== "real";
  byId("faces-hint").textContent =
    changing() !== null
      ? _("Tap or type what this die shows.")
      : isTurnStart()
        ? _("Real dice? Tap or type what they show.")
        : !hasAllDice()
          ? _("Tap or type the dice you have rolled.")
          : advisedBox() && state.left
            ? _("Rolled on? First tap the dice you have kept.")
            : Object.keys(me().card).length
              ? "" // known by then
              : state.left
                ? _("Rolled on? Tap or type the dice you have rolled.")
                : canChange()
                  ? _("Tap a die to change it.")
                  : "";
  roving(faces);
}

// Which roll of the turn is on the table; it can be chosen for a position that was not played here.
function drawRoll() {
  const choices = byId("left"),
    max = maxRerolls(),
    builtFor = `${max} ${language}`;
  if (choices.dataset.builtFor !== builtFor) {
    const rolls = Array.from({ length: max + 1 }, (_roll, i) => max - i).slice(0, MAX_ROLLS_LISTED);
    choices.replaceChildren(
      ...rolls.map((left) =>
        element(
          "option",
          { value: left },
          _("Roll {roll} of {rolls}", {
            roll: formatNumber(max - left + 1),
            rolls: formatNumber(max + 1),
          }),
        ),
      ),
    );
    choices.dataset.builtFor = builtFor;
  }
  choices.value = String(state.left);
}

// What was held before a roll that the player has entered, and other holds that fit.
function drawGuess() {
  const box = byId("guess"),
    held = state.holds.at(-1),
    isTwo = canBeTwo(),
    guess = state.guess || (isTwo ? { choices: [held] } : null),
    key = JSON.stringify([guess, isTwo, held, language]);
  if (box.dataset.key === key) return;
  box.dataset.key = key;
  box.hidden = !guess;
  if (!guess) {
    box.replaceChildren();
    return;
  }
  box.classList.toggle("unclear", Boolean(guess.isUnclear));
  box.replaceChildren(
    element(
      "span",
      {},
      guess.isUnclear
        ? _("Which dice did you keep before this roll?")
        : _("Kept before this roll:"),
    ),
    ...guess.choices.map((hold) =>
      button(hold.length ? diceRow(hold) : _("none"), () => setGuessedHold(hold), {
        "aria-pressed": String(String(hold) === String(held)),
        "aria-label": hold.length ? diceText(hold) : _("none"),
        class: "guess",
      }),
    ),
    ...(isTwo ? [button(_("two rolls"), readAsTwo, { class: "guess" })] : []),
  );
}

byId("left").addEventListener("change", (event) =>
  change((s) => {
    s.left = Number(event.target.value);
  }),
);

onDraw(() => {
  if (!hasAllDice()) advised = null;
  drawTable();
  drawFaces();
  drawRoll();
  drawGuess();
});
