// The advice: asks for it, draws what the view model says, and carries out its actions.
import { aloneText, actionLabel, optionTitle, valueText } from "./advice-text.js";
import { askAgain, askFor, isUnsolved, known, onFound } from "./asking.js";
import { setCardView } from "./card.js";
import { showAdvised } from "./dice.js";
import {
  button,
  byId,
  diceRow,
  diceText,
  element,
  onClick,
  say,
  setEnabled,
  showFieldError,
} from "../words/dom.js";
import {
  firstRoll,
  forgetChoice,
  holdAndRoll,
  isTurnStart,
  markHold,
  passTurn,
  provideAdvice,
  takeCategory,
  takenTexts,
} from "../store/game.js";
import { gradesHint } from "../words/grades.js";
import { _, formatNumber, ngettext } from "../words/i18n.js";
import { optionName } from "./actions.js";
import { mode } from "../store/mode.js";
import { keepFocus } from "./keys.js";
import { optionRow } from "./options.js";
import { drawMap, hideMap } from "./outcomes.js";
import { forgetSolve, solveBox, workText } from "./solve.js";
import {
  change,
  hasAllDice,
  isCardFull,
  maxRerolls,
  me,
  objective,
  onDraw,
  position,
  redraw,
  rules,
  startGame,
  state,
  totals,
} from "../store/state.js";
import { isAdviceHidden } from "../store/training-settings.js";
import { newChallenge } from "./challenge.js";
import { confirmLoss } from "./confirm.js";
import { drawTurns } from "./turns.js";
import { sameDice, view } from "./view.js";

const narrow = matchMedia("(max-width: 55.99rem)"); // there the list is closed at first: the card comes next
const flat = matchMedia("(min-width: 40rem) and (max-height: 30rem)"); // a phone on its side
const LONG_TITLE = 14; // letters: a longer headline is set smaller
let shown = null,
  showsAll = false,
  showsList = false,
  comparedFor = ""; // the position in which the list shows boxes
let saidHold = "",
  saidFor = null,
  saidProblem = "";

const cardAndDice = () => JSON.stringify([state.rules, me().card, state.dice]);

function update() {
  if (comparedFor !== cardAndDice()) comparedFor = "";
  const isAsked = hasAllDice() && !isCardFull();
  const asked = { ...position(), dice: state.dice, rolls_left: state.left };
  if (askFor(asked, objective(), isAsked, isTurnStart() && Boolean(mode()))) {
    showsAll = false;
    forgetSolve();
    showFieldError("opponents", "");
  }
  draw();
}

function draw() {
  const { failure } = known,
    cost = failure ? failure.error.cost : isUnsolved() ? rules().cost : null;
  const expected = failure && (cost || ["too-large", "not-available"].includes(failure.error.code));
  shown = view(
    state,
    {
      ...known,
      failure: failure && {
        message: cost ? workText(cost) : failure.error.message,
        isExpected: Boolean(expected),
      },
      cost,
      isHidden: isAdviceHidden(),
      isUnsolved: isUnsolved(),
      scores: state.players.map((player) => totals(player).all),
    },
    {
      isNarrow: narrow.matches,
      isTyping: mode() === "real",
      showsAll,
      showsList,
      comparesBoxes: Boolean(comparedFor),
    },
  );
  const { phase } = shown,
    isWaiting = phase === "waiting";
  document.body.classList.toggle("no-roll", isTurnStart());
  document.body.classList.toggle(
    "first",
    !state.turns.length && state.players.every((player) => !Object.keys(player.card).length),
  );
  byId("advice").classList.toggle("hidden-advice", phase === "own");
  byId("ranking").setAttribute("aria-busy", String(isWaiting));
  document.body.dataset.phase = phase;
  drawHeadline();
  drawTurns(phase === "start" && !cost);
  drawWork(failure, cost);
  showAdvised(shown.advised);
  drawList();
  if (shown.map && shown.list.isOpen) drawMap(shown.map);
  else hideMap();
  setCardView(shown);
  drawButtons();
  announce();
  keepFocus();
}

onFound(draw);

function drawHeadline() {
  const { headline, phase, text, hasError, answer, loading } = shown;
  byId("answer").className = headline
    ? answer?.aim
      ? "hero chance"
      : "hero"
    : loading
      ? "hero"
      : phase === "over" || phase === "next"
        ? "final"
        : hasError
          ? "error"
          : "";
  byId("answer").replaceChildren(
    ...(headline
      ? [
          element(
            "span",
            {},
            element(
              "strong",
              { class: headline.title.length > LONG_TITLE ? "long" : null },
              headline.title,
            ),
            element("small", {}, headline.then),
          ),
          " ",
          element(
            "span",
            { class: "value" },
            element("b", {}, headline.value),
            " ",
            element("small", {}, headline.name),
          ),
        ]
      : loading
        ? [element("span", {}, element("strong", {}, text), element("small", {}, loading.then))]
        : [text]),
  );
  byId("instead-of").textContent = answer?.instead
    ? _("For the average: {reason}", {
        reason: known.failure.error.cost
          ? workText(known.failure.error.cost)
          : known.failure.error.message,
      })
    : "";
  byId("gap").textContent =
    headline?.gap ?? loading?.gap ?? (phase === "alone" ? aloneText(state.left) : "");
  byId("why").textContent = headline?.reason.text || loading?.meanwhile || "";
  drawBars(headline?.reason.bars || loading?.bars || []);
  if (shown.held !== saidHold) say((saidHold = shown.held));
}

// Two bars of the quantity that the reason names.
function drawBars(bars) {
  byId("bars").replaceChildren(
    ...bars.flatMap(({ of, share, text }, i) => [
      element(
        "span",
        { class: "bar-of" },
        of.hold?.length && !of.category
          ? diceRow(of.hold)
          : of.hold || of.category
            ? optionName(of)
            : of,
      ),
      element(
        "span",
        { class: "bar-track", "aria-hidden": "true" },
        element("span", {
          class: i ? "" : "first-bar",
          style: `width: ${(100 * share).toFixed(0)}%`,
        }),
      ),
      element("b", {}, text),
    ]),
  );
}

// Offers the work that an answer needs, or to ask once more. Rules without a table are solved before the dice are entered,
// if the player wants it.
function drawWork(failure, cost) {
  const isOffered = failure
    ? !shown.answer || shown.answer.instead
    : Boolean(cost) && shown.phase !== "over";
  const key = isOffered
    ? `${state.rules} ${failure ? JSON.stringify([failure.body, failure.error.message]) : ""}`
    : "";
  byId("long-work").hidden = !isOffered;
  if (byId("long-work").dataset.key === key) return;
  byId("long-work").dataset.key = key;
  if (failure?.error.field === "opponents") showFieldError("opponents", failure.error.message);
  const question = failure
    ? [failure.body.rolls_left > 0 ? "hold" : "score", failure.body]
    : ["expect", { ...position(), spread: false }];
  byId("long-work").replaceChildren(
    ...(!isOffered
      ? []
      : cost
        ? [solveBox(cost, ...question, repeat)]
        : failure.error.retryable
          ? [button(_("Try again"), repeat, { id: "retry" })]
          : []),
  );
}

// Other sections ask again, too.
function repeat() {
  askAgain();
  delete byId("long-work").dataset.key;
  redraw();
}

function drawList() {
  const { list, answer } = shown;
  byId("ranking").hidden = !list?.isOpen;
  if (!list) {
    byId("ranking").replaceChildren();
    return;
  }
  const rows = list.entries.map((entry, i) =>
    optionRow(entry, {
      isFirst: i === 0,
      aim: answer.aim,
      value: valueText(answer, entry),
      onChoose: () => (entry.category ? playCategory(entry.category) : markHold(entry.hold)),
      isHeld:
        state.chosen &&
        answer.choosesHold &&
        !entry.category &&
        sameDice(
          entry.hold,
          state.dice.filter((_die, at) => state.held[at]),
        ),
    }),
  );
  const notes = [];
  if (answer.approximate) notes.push(_("Approximate: {text}.", { text: answer.approximate.text }));
  if (!answer.aim) notes.push(gradesHint());
  if (list.compares && rules().saved_rolls)
    notes.push(
      ngettext(
        "The {count} roll left will be saved.",
        "The {count} rolls left will be saved.",
        state.left,
        { count: formatNumber(state.left) },
      ),
    );
  const at = [...byId("ranking").querySelectorAll("button")].indexOf(document.activeElement);
  byId("ranking").replaceChildren(
    element("ol", { "aria-label": _("Ranking"), class: "options" }, ...rows),
    ...notes.map((text) => element("p", { class: "hint" }, text)),
  );
  if (at >= 0) (byId("ranking").querySelectorAll("button")[at] || byId("go")).focus();
}

function drawButtons() {
  const { primary, secondary, phase, list } = shown,
    go = byId("go");
  go.textContent = primary
    ? actionLabel(primary, state.typed)
    : phase === "waiting"
      ? _("Working …")
      : "";
  go.dataset.kind = primary?.kind || "";
  // Real dice: what they show is typed next, nothing is rolled here.
  const isTyping = mode() === "real" && (!primary || ["roll", "first-roll"].includes(primary.kind));
  go.hidden = (!primary && phase !== "waiting") || isTyping || !mode();
  setEnabled(go, Boolean(primary));
  for (const id of ["roll-all", "best-again"]) byId(id).hidden = !secondary.includes(id);
  byId("instead").hidden = !list?.offersBoxes;
  byId("more").hidden = !list?.offersMore;
  byId("hide-list").hidden = !list?.offersLess;
  byId("all-choices").hidden = !list;
  byId("more").setAttribute("aria-expanded", String(Boolean(list?.isOpen && showsAll)));
  if (!list) return;
  byId("instead").textContent = list.compares ? _("Back to the holds") : _("Compare the boxes");
  byId("more").textContent = !list.isOpen
    ? _("Other choices")
    : showsAll
      ? _("Show fewer")
      : _("Show all {count}", { count: formatNumber(list.count) });
}

// Says what is new: the turn, or the roll with its advice.
function announce() {
  const { phase, headline, text } = shown,
    isAlone = phase === "alone";
  const key = JSON.stringify([
    state.turns.length,
    state.player,
    state.rules,
    state.rolls.length,
    state.left,
    state.dice,
    phase,
    isAlone && text,
  ]);
  if (phase === "waiting" || key === saidFor) return;
  const isFirst = saidFor === null;
  saidFor = key;
  if (isFirst && !state.dice.length) return; // the page is read anyway
  if (phase === "start") {
    say(byId("turn-line").textContent);
    return;
  }
  if (["entering", "over", "next", "computer"].includes(phase)) {
    say(text);
    return;
  }
  const max = maxRerolls(),
    fields = {
      roll: formatNumber(max - state.left + 1),
      rolls: formatNumber(max + 1),
      dice: diceText(state.dice),
    };
  const problem = isAlone ? text : "",
    advice = isAlone ? byId("gap").textContent : text;
  const best = headline && shown.answer.entries[0];
  say(
    _("Roll {roll} of {rolls}: {dice}.", fields),
    problem === saidProblem ? "" : problem,
    byId("instead-of").textContent,
    best
      ? _("{advice}: {value}, {what}.", {
          advice: state.chosen
            ? optionTitle(best)
            : [headline.title, headline.then].filter(Boolean).join(", "),
          value: headline.value,
          what: headline.name,
        })
      : advice,
  );
  saidProblem = problem;
}

// --- the actions ---

const ACTIONS = {
  "first-roll": firstRoll,
  roll: ({ hold }) => playHold(hold),
  take: ({ entry }) => playCategory(entry.category),
  // The same players, and after a challenge new dice that the friend can get, too.
  "new-game": () =>
    state.challenge
      ? newChallenge()
      : change((s) => startGame(s), _("A new game; Undo brings the old one back.")),
  "next-player": passTurn,
};

// Keeps dice and rolls the others on the page, after a question if that gives much away.
async function playHold(hold) {
  const key = cardAndDice(),
    { answer } = known,
    entry = answer?.choosesHold && answer.entries.find((each) => sameDice(each.hold, hold));
  if (entry && !(await confirmLoss(entry, answer.entries[0], answer.entries[1]))) return;
  if (key !== cardAndDice()) return; // something else has happened meanwhile
  holdAndRoll(hold);
}

// Takes a box with the rerolls left: the answer to `score` has its points, including a bonus for the first roll.
export async function playCategory(category) {
  const { answer, boxes } = known,
    key = cardAndDice();
  const entry = boxes?.find((each) => each.category === category);
  if (!entry || (answer && !(await confirmLoss(entry, answer.entries[0], answer.entries[1]))))
    return;
  if (key !== cardAndDice()) return;
  say(...takenTexts(entry));
  takeCategory(entry);
  // At the end the focus is on no button: one Enter too many does nothing.
  byId(isCardFull() ? "advice-title" : byId("go").hidden ? "dice-title" : "go").focus({
    preventScroll: true,
  });
  byId("table").scrollIntoView({ block: "nearest" });
}

provideAdvice({
  holds: () =>
    known.answer
      ? known.answer.entries
          .filter((entry) => !entry.category)
          .map(({ hold, loss }) => ({ hold, loss }))
      : null,
  box: () =>
    shown?.phase === "advice" && shown.primary.kind === "take" ? shown.primary.entry : null,
});

onClick("go", () => {
  if (shown?.primary) ACTIONS[shown.primary.kind](shown.primary);
});
onClick("roll-all", () => playHold([]));
onClick("best-again", () => {
  forgetChoice();
  byId("go").focus();
});
onClick("more", () => {
  if (shown.list.isOpen) showsAll = !showsAll;
  else showsList = true;
  const had = shown.list.entries.length;
  draw();
  if (showsAll) byId("ranking").querySelectorAll("button")[had]?.focus();
});
// The list stands below the card on a phone: it is opened and shown.
onClick("all-choices", () => {
  showsList = showsAll = true;
  draw();
  byId("options").scrollIntoView({ block: "start" });
  byId("ranking").querySelector("button")?.focus({ preventScroll: true });
});
onClick("hide-list", () => {
  showsList = showsAll = false;
  draw();
  byId("more").focus();
});
onClick("instead", () => {
  comparedFor = comparedFor ? "" : cardAndDice();
  showsAll = false;
  draw();
  byId("instead").focus();
});
document.addEventListener("box-taken", (event) => playCategory(event.detail));
document.addEventListener("work-done", repeat);
// One large action: under the advice, on a phone where the thumb is; so the rooms, if there is room.
function place() {
  const buttons = document.querySelector(".bar-buttons");
  for (const id of ["entry", "undo", "go"])
    (narrow.matches ? buttons : byId("strip")).append(byId(id));
  (narrow.matches && !flat.matches ? byId("go") : byId("turn-line")).after(byId("rooms"));
}
for (const each of [narrow, flat])
  each.addEventListener("change", () => {
    place();
    redraw();
  });
place();
onDraw(update);
