// Before a choice is carried out: a question if it loses more than the player wants to give away. With hidden advice
// every choice is graded, counted, and kept for practice if it is a mistake.
import { button, element } from "../words/dom.js";
import { addMistakes } from "../store/drill.js";
import { sorted } from "../store/game.js";
import { isMistake } from "../words/grades.js";
import { _ } from "../words/i18n.js";
import { position, state } from "../store/state.js";
import { countChoice, isAdviceHidden, setSettings, threshold } from "../store/training-settings.js";
import { gradeOfChoice, lossOf, lossSentence, verdictView } from "./verdict.js";
import { whySentence } from "./why.js";

export let lastVerdict = null; // { option, best, rules, second } of the last choice with hidden advice

// Asks whether to carry out a choice. `option` and `best` are entries of the answers to `hold` or `score`; `second` is the
// option to explain the best one against, if the choice is the best. Resolves to whether to go on.
export async function confirmLoss(option, best, second) {
  const loss = lossOf(option, best);
  if (threshold() && loss >= threshold() && !(await asked(option, best))) return false;
  if (isAdviceHidden()) {
    noteChoice(
      option,
      best,
      structuredClone({ ...position(), dice: sorted(state.dice), rolls_left: state.left }),
    );
    lastVerdict = { option, best, second, rules: state.rules };
  }
  return true;
}

// Counts a choice in a position, and keeps a mistake for practice; returns its grade.
export function noteChoice(option, best, position) {
  const loss = lossOf(option, best),
    grade = gradeOfChoice(option, best),
    isMean = best.chance === undefined;
  countChoice(grade, isMean ? loss : 0);
  if (isMean && isMistake(grade)) addMistakes([{ position, loss }]);
  return grade;
}

// A dialog that says what is lost; the safe answer has the focus.
function asked(option, best) {
  return new Promise((resolve) => {
    const before = document.activeElement;
    const close = (answer) => {
      dialog.returnValue = answer ? "yes" : "";
      dialog.close(dialog.returnValue);
    };
    const why = isAdviceHidden() ? "" : whySentence(best, option, state.rules);
    const sentences = isAdviceHidden()
      ? // The best choice stays hidden: the player may try again.
        [element("p", { class: "verdict" }, lossSentence(option, best, state.rules))]
      : verdictView(option, best, state.rules, why);
    const dialog = element(
      "dialog",
      { id: "loss-dialog", "aria-labelledby": "loss-title" },
      element("h2", { id: "loss-title" }, _("Are you sure?")),
      ...sentences,
      element(
        "div",
        { class: "bar" },
        button(_("Choose again"), () => close(false), { class: "primary", autofocus: true }),
        button(_("Do it anyway"), () => close(true)),
        button(
          _("Do it, and do not warn again"),
          () => {
            setSettings({ threshold: 0 });
            close(true);
          },
          { class: "quiet" },
        ),
      ),
    );
    dialog.addEventListener("close", () => {
      const isYes = dialog.returnValue === "yes";
      dialog.remove();
      if (!isYes && before?.isConnected) before.focus();
      resolve(isYes);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
