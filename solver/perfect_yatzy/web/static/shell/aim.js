// What is maximised: the average, the chance of a goal, or that to win.
import { byId, isWholeNumber, onClick, showFieldError } from "../words/dom.js";
import { _ } from "../words/i18n.js";
import { change, onDraw, redraw, state } from "../store/state.js";

// Text entered for an objective stays when another one is chosen.
function drawObjective() {
  const isTable = state.players.length > 1;
  byId("objective").value = state.objective;
  byId("goal-line").hidden = state.objective !== "goal";
  byId("win-lines").hidden = state.objective !== "win";
  byId("opponents-line").hidden = byId("opponents-hint").hidden = isTable;
  byId("opponents-table").hidden = !isTable;
  if (!byId("goal-error").textContent) byId("goal").value = state.goal;
  byId("opponents").value = state.opponents;
  byId("ties").value = state.ties;
}

// What is missing for what is maximised: the id of its field, or an empty text.
const missingField = () =>
  state.objective === "goal" && !state.goal
    ? "goal"
    : state.objective === "win" && state.players.length < 2 && !state.opponents
      ? "opponents"
      : "";

// Closes the dialog unless something is missing: that is said at its field.
function closeAim() {
  if (state.objective === "goal") setGoal();
  if (state.objective === "win") setOpponents();
  const isWrong = Boolean(byId("goal-error").textContent),
    missing = isWrong ? "goal" : missingField();
  if (!missing) {
    byId("aim-dialog").close();
    return;
  }
  if (!isWrong)
    showFieldError(
      missing,
      missing === "goal"
        ? _("Enter the points to reach, or choose another aim.")
        : _("Enter what the opponents have, or add them as players."),
    );
  byId(missing).focus();
}

// Closed with something missing, by Escape: the page plays for the average again, and says so.
function dropUnfinishedAim() {
  showFieldError("goal", "");
  if (missingField())
    change((s) => {
      s.objective = "mean";
    }, _("The aim was not complete: the advice is for the best average."));
  else redraw();
}

function setOpponents() {
  const opponents = byId("opponents").value.trim();
  if (opponents !== state.opponents)
    change((s) => {
      s.opponents = opponents;
    });
}

function setGoal() {
  const text = byId("goal").value.trim(),
    isWrong = text !== "" && !isWholeNumber(text);
  showFieldError(
    "goal",
    isWrong ? _("A goal must be a whole number from 0 to 99999, not “{text}”.", { text }) : "",
  );
  if (!isWrong && text !== state.goal)
    change((s) => {
      s.goal = text;
    });
}

const onChange = (id, listener) => byId(id).addEventListener("change", listener);
onChange("objective", (event) => {
  showFieldError("goal", "");
  change((s) => {
    s.objective = event.target.value;
  });
});
onChange("goal", setGoal);
byId("goal").addEventListener("input", () => showFieldError("goal", ""));
onChange("opponents", setOpponents);
onChange("ties", (event) =>
  change((s) => {
    s.ties = event.target.value;
  }),
);
for (const id of ["goal", "opponents"])
  byId(id).addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      closeAim();
    }
  });
for (const id of ["aim", "open-aim"])
  onClick(id, () => {
    byId("aim-dialog").showModal();
    byId("objective").focus();
  });
onClick("aim-done", closeAim);
byId("aim-dialog").addEventListener("close", dropUnfinishedAim);
onClick("opponents-players", () => {
  byId("open-players").click();
});
onDraw(drawObjective);
