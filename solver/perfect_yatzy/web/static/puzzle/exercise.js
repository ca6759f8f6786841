// A position to solve: the scorecard and the dice of a puzzle or of an old mistake. The player chooses dice to hold or a
// box; then the page says what the choice loses, and a wrong one can be tried again. The game on the table is not touched.
import { keptDice } from "../table/actions.js";
import { ask } from "../store/ask.js";
import { button, diceText, dieFace, element, setEnabled } from "../words/dom.js";
import { gradeChip } from "../words/grades.js";
import { _, formatNumber, ngettext } from "../words/i18n.js";
import { loadRules } from "../store/rulesets.js";
import {
  gradeOfChoice,
  lossOf,
  lossSentence,
  optionsTable,
  verdictView,
} from "../table/verdict.js";
import { reasonOfChoice } from "../table/why.js";
import { cardView } from "./position-card.js";

// All options of a position, best first, each with its loss against the best.
export async function optionsOf(position) {
  const body = { ...position, explain: true },
    [score, hold] = await Promise.all([
      ask("score", body),
      position.rolls_left ? ask("hold", body) : null,
    ]);
  const holds = hold ? hold.holds.filter((entry) => !entry.category) : []; // to hold all dice is to take a box
  const options = [...score.categories, ...holds].sort(
    (a, b) => b.expected_final_score - a.expected_final_score,
  );
  return options.map((option) => ({ ...option, loss: lossOf(option, options[0]) }));
}

// Digits hold dice; they and Enter do not play on the table, which is out of sight.
export function digitsHoldDice(event, faces, held, dice) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^[1-9]$|^Enter$|^Backspace$/.test(event.key)) event.stopPropagation();
  const places = [...faces.keys()].filter((i) => faces[i] === Number(event.key)),
    loose = places.find((i) => !held[i]);
  if (places.length) dice[loose ?? places[0]].click();
}

// `load` finds the position; `onAnswer(option, best, position)` is called once, for the first answer; `buttons(position)` are shown
// with the solution; `note` says why it is asked now.
export async function showExercise(container, load, { title, note, onAnswer, buttons }) {
  const heading = element("h4", { tabindex: -1 }, title),
    status = element("p", { class: "hint", role: "status" }, _("Working …"));
  container.replaceChildren(heading, status); // nothing is replaced later: the focus stays
  heading.focus({ preventScroll: true });
  container.scrollIntoView();
  let position, rules, options;
  try {
    position = await load();
    rules = await loadRules(position.rules);
    options = await optionsOf(position);
  } catch (error) {
    status.replaceChildren(element("span", { class: "error" }, error.message));
    container.append(
      button(_("Try again"), () =>
        showExercise(container, load, { title, note, onAnswer, buttons }),
      ),
    );
    return;
  }
  if (!heading.isConnected) return; // another one was asked meanwhile
  const held = position.dice.map(() => false),
    spec = position.rules,
    [best] = options;
  let isAnswered = false,
    isCounted = false;
  const verdict = element("div", { class: "answer", role: "status" });
  const dice = element(
    "div",
    { class: "exercise-dice", role: "group", "aria-label": _("Dice; press one to keep it") },
    ...position.dice.map((_face, i) =>
      button(
        "",
        () => {
          held[i] = !held[i];
          drawHeld();
        },
        { class: "die" },
      ),
    ),
  );
  const roll = button("", () => answer(heldOption()), { id: "exercise-roll" });
  const boxes = cardView(rules, position, options, (option) => answer(option));
  const heldFaces = () => position.dice.filter((_face, i) => held[i]).sort((a, b) => a - b);
  const heldOption = () =>
    options.find(
      (option) =>
        option.hold && diceText([...option.hold].sort((a, b) => a - b)) === diceText(heldFaces()),
    );

  function drawHeld() {
    position.dice.forEach((face, i) => {
      const die = dice.children[i];
      die.setAttribute("aria-pressed", String(held[i]));
      die.setAttribute("aria-label", _("Die {number} shows {face}", { number: i + 1, face }));
      die.replaceChildren(dieFace(face), element("small", {}, held[i] ? _("keep") : ""));
    });
    const count = held.filter((each) => !each).length,
      fields = { dice: diceText(heldFaces()), count: formatNumber(count) };
    roll.textContent = !count
      ? _("All dice kept: take a box")
      : count === held.length
        ? _("Roll all dice again")
        : ngettext(
            "Keep {dice}, roll {count} die",
            "Keep {dice}, roll {count} dice",
            count,
            fields,
          );
    setEnabled(roll, count > 0);
    roll.className = count && count < held.length ? "primary" : ""; // before any mark nothing is suggested
  }

  function answer(option) {
    if (!option || isAnswered) return;
    const grade = gradeOfChoice(option, best),
      isRight = grade === "best" || grade === "tied";
    isAnswered = true;
    for (const each of [...dice.children, roll, ...boxes.querySelectorAll("button")])
      setEnabled(each, false);
    if (isRight) solve(option);
    else
      judge(
        option,
        grade,
        [
          element(
            "p",
            { class: "verdict" },
            gradeChip(grade),
            " ",
            lossSentence(option, best, spec),
          ),
        ],
        [
          button(_("Try again"), again, { class: "primary" }),
          button(_("Show the best choice"), () => solve(option)),
        ],
      );
    if (!isCounted) onAnswer(option, best, position);
    isCounted = true;
  }

  function judge(option, grade, parts, following) {
    verdict.className = `answer ${grade}`; // a mistake is not green
    verdict.replaceChildren(...parts, element("div", { class: "bar" }, ...following));
    verdict.querySelector(".bar button").focus({ preventScroll: true });
    verdict.scrollIntoView({ block: "nearest" });
  }

  // Another choice, with the best one still unknown.
  function again() {
    isAnswered = false;
    held.fill(false);
    for (const each of boxes.querySelectorAll("button")) setEnabled(each, true);
    for (const die of dice.children) setEnabled(die, position.rolls_left > 0);
    drawHeld();
    (position.rolls_left ? dice : boxes).querySelector("button").focus();
    verdict.replaceChildren();
  }

  function solve(option) {
    const grade = gradeOfChoice(option, best),
      other = grade === "best" ? options[1] : option;
    keptDice(position.dice, best)?.forEach((isKept, i) => {
      dice.children[i].querySelector("small").textContent = isKept ? _("best") : "";
      dice.children[i].classList.toggle("advised", isKept);
    });
    boxes.querySelector(`[data-box="${best.hold ? "" : best.category}"]`)?.classList.add("best");
    judge(
      option,
      grade,
      [
        ...verdictView(option, best, spec, other && reasonOfChoice(options, other, spec)),
        element(
          "details",
          {},
          element("summary", {}, _("All about this choice")),
          optionsTable(options, option, spec),
        ),
      ],
      buttons(position),
    );
  }

  container.onkeydown = (event) => digitsHoldDice(event, position.dice, held, [...dice.children]);

  drawHeld();
  const rolls = rules.rolls + (rules.saved_rolls ? position.saved || 0 : 0);
  const fields = {
    rules: rules.name,
    roll: formatNumber(rolls - position.rolls_left),
    rolls: formatNumber(rolls),
  };
  status.replaceChildren(
    ...(note ? [element("span", { class: "note" }, note), " "] : []),
    position.rolls_left
      ? _(
          "{rules}, roll {roll} of {rolls}: which dice do you keep, or which box do you take?",
          fields,
        )
      : _("{rules}, no roll left: which box do you take?", fields),
    " ",
    element("span", { class: "unseen" }, _("Dice {dice}.", { dice: position.dice.join(" ") })),
  );
  container.append(dice, ...(position.rolls_left ? [roll] : []), verdict, boxes);
  if (!position.rolls_left) for (const die of dice.children) setEnabled(die, false);
  container.scrollIntoView(); // before, the page may have been too short for it
}
