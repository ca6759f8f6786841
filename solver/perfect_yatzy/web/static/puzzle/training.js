// Training: advice hidden until the player has chosen, a warning before a loss, the score of this session, practice of
// old mistakes, and puzzles.
import { confirmLoss, noteChoice, lastVerdict } from "../table/confirm.js";
import { button, byId, element, figures, onClick } from "../words/dom.js";
import { answerMistake, drillCounts, forgetMistakes, nextMistake } from "../store/drill.js";
import { showExercise } from "./exercise.js";
import { GRADES, gradeChip, gradeCount, gradesHint } from "../words/grades.js";
import { _, formatNumber, language, ngettext } from "../words/i18n.js";
import { askPuzzle, DIFFICULTIES, nextNumber } from "./puzzle.js";
import { showRoom, visitPosition } from "../table/room.js";
import { onDraw, redraw, state } from "../store/state.js";
import {
  isAdviceHidden,
  resetSession,
  sessionCounts,
  setSettings,
  THRESHOLDS,
  threshold,
} from "../store/training-settings.js";
import { gradeOfChoice, verdictView } from "../table/verdict.js";
import { whySentence } from "../table/why.js";

export { confirmLoss, isAdviceHidden };

const DAY_MS = 86_400_000,
  MINUTE_MS = 60_000;
let builtFor = "",
  difficulty = "medium";
const askedMistakes = new Set(); // keys of those practised since the page was loaded

function build() {
  if (builtFor === language) return;
  builtFor = language;
  const options = (id, all, nameOf) =>
    byId(id).replaceChildren(...all.map((value) => element("option", { value }, nameOf(value))));
  options("threshold", THRESHOLDS, (value) =>
    value
      ? ngettext("{count} point", "{count} points", value, {
          count: formatNumber(value, value % 1 ? 1 : 0),
        })
      : _("never"),
  );
  options("difficulty", DIFFICULTIES, difficultyName);
  byId("difficulty").value = difficulty;
}

const difficultyName = (each) => ({ easy: _("easy"), medium: _("medium"), hard: _("hard") })[each];

export function drawTraining() {
  build();
  byId("hide-advice").checked = isAdviceHidden();
  byId("threshold").value = String(threshold()); // the warning itself can switch it off
  drawLastChoice();
  drawSession();
  drawDrill();
}

// The grade of the last choice on the table, shown once it is made.
function drawLastChoice() {
  const shown = isAdviceHidden() && lastVerdict;
  if (!shown) {
    byId("last-choice").replaceChildren();
    return;
  }
  const { option, best, second, rules } = lastVerdict;
  const other = gradeOfChoice(option, best) === "best" ? second : option;
  byId("last-choice").replaceChildren(
    element("h3", {}, _("Your last choice")),
    ...verdictView(option, best, rules, other && whySentence(best, other, rules)),
  );
}

function drawSession() {
  const { count, lost, grades } = sessionCounts();
  byId("session").hidden = !count;
  if (!count) return;
  byId("session").replaceChildren(
    element("h3", {}, _("This session")),
    figures([
      [_("choices"), formatNumber(count)],
      [_("lost on average"), formatNumber(lost / count, 2)],
      [_("lost in all"), formatNumber(lost, 1)],
    ]),
    element(
      "p",
      { class: "grades" },
      ...GRADES.filter((grade) => grades[grade]).flatMap((grade) => [
        gradeChip(grade, gradeCount(grade, grades[grade])),
        " ",
      ]),
      button(
        _("Start again from zero"),
        () => {
          resetSession();
          drawTraining();
        },
        { class: "quiet" },
      ),
    ),
    element("p", { class: "hint" }, gradesHint()),
  );
}

function drawDrill() {
  const { all, due, next } = drillCounts();
  byId("drill-counts").textContent = !all
    ? _(
        "Errors of your games and of training are collected here and asked again until you have solved them.",
      )
    : due
      ? ngettext("{due} of {count} error is due.", "{due} of {count} errors are due.", all, {
          due: formatNumber(due),
          count: formatNumber(all),
        })
      : ngettext("{count} error waits; {when}.", "{count} errors wait; {when}.", all, {
          count: formatNumber(all),
          when: whenText(next - Date.now()),
        });
  byId("drill-start").hidden = byId("drill-forget").hidden = !all;
}

function whenText(wait) {
  const minutes = Math.max(1, Math.ceil(wait / MINUTE_MS)),
    days = Math.round(wait / DAY_MS);
  if (wait < DAY_MS / 2)
    return ngettext(
      "the next one is due in {count} minute",
      "the next one is due in {count} minutes",
      minutes,
      { count: formatNumber(minutes) },
    );
  return ngettext(
    "the next one is due in {count} day",
    "the next one is due in {count} days",
    days,
    { count: formatNumber(days) },
  );
}

function forget() {
  forgetMistakes();
  byId("exercise").replaceChildren();
  drawTraining();
  byId("training-title").focus();
}

const toTable = (position) =>
  button(_("Show this position"), async () => {
    const { bonus_points: bonusPoints, rolls_left: left, ...fields } = position,
      title = byId("exercise").querySelector("h4");
    await visitPosition(
      { ...fields, bonusPoints, left },
      _("This is the position of the exercise; Undo goes back."),
      {
        words: () => [title.textContent],
        back: () => _("Back to the exercise"),
        onBack: () => {
          showRoom("puzzle", byId("exercise"));
          title.focus({ preventScroll: true });
        },
      },
    );
  });

// Shows an exercise below the buttons of its group; `onGrade` is told the grade of the first answer.
function exerciseBelow(id, load, { onGrade, ...options }) {
  const box = byId("exercise");
  byId(id).after(box);
  return showExercise(box, load, {
    ...options,
    onAnswer: (...answer) => {
      const grade = noteChoice(...answer);
      onGrade?.(grade);
      drawTraining();
    },
  });
}

async function puzzle() {
  const rules = state.rules,
    level = difficulty,
    number = nextNumber();
  await exerciseBelow("puzzle-bar", () => askPuzzle(rules, level, number), {
    title: _("Puzzle, {difficulty}", { difficulty: difficultyName(level) }),
    buttons: (position) => [
      button(_("Another puzzle"), puzzle, { class: "primary" }),
      toTable(position),
    ],
  });
}

// The mistake that is due first; if none is due, the next one early. A note says so, or that it was asked before.
async function drill() {
  const due = nextMistake(),
    mistake = due || nextMistake(true);
  if (!mistake) return; // the button is hidden
  const isAgain = askedMistakes.has(mistake.key);
  askedMistakes.add(mistake.key);
  await exerciseBelow("drill-bar", () => mistake.position, {
    note: isAgain
      ? _("You have had this one before.")
      : due
        ? ""
        : _("None is due now; this one is asked early."),
    title: errorTitle(mistake.loss),
    onGrade: (grade) => answerMistake(mistake.key, grade === "best" || grade === "tied"),
    buttons: () => [
      ...(nextMistake(true) ? [button(_("Next error"), drill, { class: "primary" })] : []),
      toTable(mistake.position),
    ],
  });
}

const errorTitle = (loss) =>
  ngettext("An error that lost {loss} point", "An error that lost {loss} points", loss, {
    loss: formatNumber(loss, 1),
  });

// One error of a game, asked again at once.
export function askAgain({ position, loss }) {
  showRoom("puzzle");
  return exerciseBelow("drill-bar", () => position, {
    title: errorTitle(loss),
    buttons: () => [toTable(position)],
  });
}

byId("hide-advice").addEventListener("change", (event) => {
  setSettings({ isHidden: event.target.checked });
  redraw();
});
byId("threshold").addEventListener("change", (event) =>
  setSettings({ threshold: Number(event.target.value) }),
);
byId("difficulty").addEventListener("change", (event) => {
  difficulty = event.target.value;
  drawTraining();
});
onClick("puzzle-more", () => puzzle());
onClick("drill-start", () => drill());
onClick("drill-forget", forget);
onDraw(drawTraining);
