// A review on the page: its figures, the course of the game, one decision at a time, and the list of all decisions.
import { placeText, signedText } from "../table/actions.js";
import { button, byId, element, figures, setEnabled } from "../words/dom.js";
import { addMistakes } from "../store/drill.js";
import { GRADES, gradeChip, gradeCount, gradesHint, isMistake, TIE } from "../words/grades.js";
import { _, formatNumber, ngettext } from "../words/i18n.js";
import { courseChart } from "./review-chart.js";
import { choiceLine, decisionList, decisionSentence, decisionView } from "./review-decision.js";
import { cardBefore, mistakesOf } from "../store/memory.js";
import { showRoom, visitPosition } from "../table/room.js";
import { cardView } from "../puzzle/position-card.js";
import { drawTraining } from "../puzzle/training.js";
import { ruleSet } from "../store/rulesets.js";
import { winners } from "../table/view.js";

const KEYS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
let shown = null; // { record, found: one review for each player, source, isSample, player, index, turns, chart, list, onlyMistakes }

export const reviewedRecord = () => shown?.record;
export const isSampleShown = () => Boolean(shown?.isSample);

// `source` is a function that says where the game is from.
export function showReview(record, found, source, isSample = false) {
  shown = { record, found, source, isSample, onlyMistakes: false };
  const player = winners(found.map((each) => each.result))[0];
  drawAtStart(player);
  goToReview();
}

export const playFirstButton = () =>
  button(_("Play the first game"), () => showRoom("play"), { class: "primary play-first" });

// What the room is for, while there is nothing to review.
export function showBeforeFirst() {
  shown = null;
  byId("review-body").replaceChildren(
    element(
      "div",
      { class: "felt-panel" },
      element("h3", {}, _("What did each choice cost?")),
      element("p", { class: "lead" }, _("After a game you see it here, and what was best.")),
      playFirstButton(),
    ),
  );
}

// What one looks for is below the heading of the panel.
function goToReview() {
  showRoom("review", byId("review-body"));
  byId("review-name").focus({ preventScroll: true });
}

export function redrawReview() {
  if (shown) draw(shown.player, shown.index);
}

// A review opens where most was lost; one without errors at its luckiest roll, and says so.
function drawAtStart(player) {
  const { decisions: all, rolls } = shown.found[player],
    indexOfMost = (values) => values.indexOf(Math.max(...values)),
    worst = indexOfMost(all.map(({ loss }) => loss));
  if (!all.length || all[worst].loss > TIE) {
    draw(player, worst);
    return;
  }
  const luckOf = ({ turn, roll }) =>
    rolls.find((one) => one.turn === turn && one.roll === roll).roll_luck;
  draw(player, indexOfMost(all.map(luckOf)), _("No errors. This was your luckiest roll."));
}

const current = () => shown.found[shown.player];

function draw(player, index, note = "") {
  const { record, found } = shown,
    each = found[player];
  Object.assign(shown, {
    player,
    index,
    turns: record.turns.filter((turn) => turn.player === player),
  });
  const hasDecisions = each.decisions.length > 0,
    body = byId("review-body");
  body.replaceChildren(
    ...(found.length > 1 ? [playerButtons()] : []),
    ...summary(each),
    ...(hasDecisions ? decisions(each) : []),
  );
  if (!hasDecisions) return;
  shown.chart = courseChart(body.querySelector(".course-box"), each, (at) => {
    show(at);
    byId("step-on").focus({ preventScroll: true }); // so that the keys go on from here
  });
  body.querySelector(".course-box").prepend(shown.chart);
  shown.list = decisionList(each, shown.turns, record.rules, (at) => {
    show(at);
    byId("decision").scrollIntoView({ block: "nearest" }); // a phone shows it above a long list
  });
  body.querySelector(".list-head").after(shown.list);
  filterList();
  show(Math.min(index, each.decisions.length - 1), note);
}

function playerButtons() {
  const choose = (player) => {
    drawAtStart(player);
    byId("review-body").querySelectorAll(".players button")[player].focus();
  };
  return element(
    "div",
    { class: "bar players", role: "group", "aria-label": _("Players") },
    ...shown.found.map((each, player) =>
      button(each.player, () => choose(player), {
        "aria-pressed": String(player === shown.player),
      }),
    ),
  );
}

// The result as a sum: start + luck - errors.
export const reviewFigures = (each) =>
  figures(
    [
      [_("perfect average"), formatNumber(each.start, 1)],
      [_("luck"), signedText(each.luck), "luck"],
      [_("errors"), signedText(-each.points_lost), each.points_lost < 0.05 ? null : "lost"],
      [
        each.finished ? _("final score") : _("average now"),
        formatNumber(each.result, each.finished ? 0 : 1),
      ],
    ],
    { class: "figures parts" },
  );

function summary(each) {
  const count = shown.turns.length;
  const fields = {
    name: each.player,
    points: formatNumber(each.result),
    mean: formatNumber(each.result, 1),
    count: formatNumber(count),
  };
  const title = each.finished
    ? ngettext("{name}: {points} point", "{name}: {points} points", each.result, fields)
    : ngettext(
        "{name}: {mean} points on average, after {count} turn",
        "{name}: {mean} points on average, after {count} turns",
        count,
        fields,
      );
  const grades = GRADES.filter((grade) => each.grades[grade]).map((grade) =>
    gradeChip(grade, gradeCount(grade, each.grades[grade])),
  );
  return [
    element(
      "div",
      { class: "felt-panel" },
      element(
        "div",
        { class: "review-head" },
        element("h3", { id: "review-name", tabindex: -1 }, title),
        " ",
        element("span", { id: "review-source", class: "hint" }, shown.source()),
      ),
      reviewFigures(each),
      shown.isSample ? playFirstButton() : "",
    ),
    element(
      "p",
      { class: "grades" },
      ...(grades.length ? grades.flatMap((chip) => [chip, " "]) : [_("No decisions yet.")]),
    ),
    element("p", { class: "hint grades-hint" }, gradesHint()),
    ...(each.approximate
      ? [
          element(
            "p",
            { class: "hint" },
            _("Approximate: {text}.", { text: each.approximate.text }),
          ),
        ]
      : []),
  ];
}

function decisions(each) {
  const mistakes = each.decisions.filter((one) => isMistake(one.grade)).length;
  const step = (id, label, title, listener) =>
    button(label, onward(listener), { id, title, "aria-label": title });
  const course = [
    element("p", { id: "step-place" }),
    element("div", { id: "decision" }),
    element("p", { id: "decision-status", class: "unseen", role: "status" }),
    element(
      "div",
      { class: "course-box" },
      element(
        "p",
        { class: "legend" },
        element("span", { class: "key expected" }),
        _("as played"),
        " ",
        element("span", { class: "key without-errors" }),
        _("without errors"),
        " ",
        element("span", { class: "key errors" }),
        _("lost by errors"),
      ),
    ),
    element(
      "p",
      { class: "hint keys" },
      _(
        "Keys: ← and → step through the decisions, Home and End go to the ends, M goes to the next error.",
      ),
    ),
  ];
  const stepper = element(
    "div",
    { class: "stepper", role: "group", "aria-label": _("Step through the decisions") },
    step("step-first", "«", _("First decision"), () => show(0)),
    step("step-back", "‹", _("Decision before"), () => show(shown.index - 1)),
    step("step-on", "›", _("Next decision"), () => show(shown.index + 1)),
    step("step-last", "»", _("Last decision"), () => show(Infinity)),
    ...(mistakes
      ? [button(_("Next error"), onward(nextMistake), { id: "step-mistake", class: "primary" })]
      : []),
  );
  const listHead = element(
    "div",
    { class: "bar list-head" },
    element("h4", {}, _("All decisions")),
    ...(mistakes
      ? [
          element(
            "label",
            {},
            element("input", {
              type: "checkbox",
              id: "only-mistakes",
              checked: shown.onlyMistakes,
              on: {
                change: (event) => {
                  shown.onlyMistakes = event.target.checked;
                  filterList();
                },
              },
            }),
            " ",
            _("errors only"),
          ),
        ]
      : []),
  );
  const practice =
    mistakes && !shown.isSample
      ? [
          button(
            ngettext("Practise this error", "Practise these {count} errors", mistakes, {
              count: formatNumber(mistakes),
            }),
            practise,
            { id: "practise" },
          ),
        ]
      : [];
  return [
    element(
      "div",
      { class: "review-columns" },
      element("div", { class: "course-column" }, ...course),
      element(
        "div",
        { class: "list-box" },
        element("div", { id: "review-card" }),
        listHead,
        ...practice,
      ),
    ),
    stepper,
  ];
}

// The stepper is in reach wherever one reads: what it leads to comes into view.
const onward = (goThere) => () => {
  goThere();
  byId("step-place").scrollIntoView({ block: "nearest" });
};

function filterList() {
  shown.list.classList.toggle("only-mistakes", shown.onlyMistakes);
  shown.list.mark(shown.index);
  for (const turn of shown.list.children)
    turn.classList.toggle("flawless", !turn.querySelector(".mistake, .blunder"));
}

// Shows a decision everywhere: its dice, the mark in the chart and in the list. `note` says how one got there.
function show(index, note = "") {
  const { decisions: all, rolls } = current(),
    { record, player } = shown;
  shown.index = Math.max(0, Math.min(all.length - 1, index));
  const each = all[shown.index],
    roll = rolls.find((one) => one.turn === each.turn && one.roll === each.roll);
  byId("step-place").textContent = _("{place} ({number} of {count})", {
    place: placeText(each.turn, each.roll),
    number: formatNumber(shown.index + 1),
    count: formatNumber(all.length),
  });
  byId("decision").replaceChildren(
    ...(note ? [element("p", { class: "hint note" }, note)] : []),
    ...decisionView(each, roll.roll_luck, record.rules, () => open(record, player, each)),
  );
  byId("review-card").replaceChildren(...cardAt(record, player, each));
  byId("decision-status").textContent = [note, decisionSentence(each, record.rules)]
    .filter(Boolean)
    .join(" ");
  for (const id of ["step-first", "step-back"]) setEnabled(byId(id), shown.index > 0);
  for (const id of ["step-on", "step-last"]) setEnabled(byId(id), shown.index < all.length - 1);
  shown.chart.mark(shown.index);
  shown.list.mark(shown.index);
}

// The card before the turn of a decision.
function cardAt(record, player, { turn }) {
  const rules = ruleSet(record.rules),
    { bonusPoints, ...before } = cardBefore(record, player, turn);
  return [
    element("h4", {}, _("The card before turn {turn}", { turn: formatNumber(turn) })),
    cardView(rules, { ...before, rules: record.rules, bonus_points: bonusPoints }, []),
  ];
}

// The next mistake or blunder; after the last one the first, which is said.
function nextMistake() {
  const all = current().decisions,
    isOne = (each) => isMistake(each.grade);
  const next = all.findIndex((each, i) => i > shown.index && isOne(each)),
    first = all.findIndex(isOne);
  if (next >= 0) show(next);
  else
    show(
      first,
      first === shown.index ? _("This is the only error.") : _("Back to the first error."),
    );
}

// Keys work anywhere in the panel but in its fields.
export function onReviewKey(event) {
  if (!shown || !current().decisions.length || event.ctrlKey || event.metaKey || event.altKey)
    return;
  if (/^(SELECT|INPUT)$/.test(event.target.tagName)) return;
  if (event.key === "Enter" && event.target.tabIndex < 0) event.stopPropagation(); // Enter plays on the table, which is out of sight here
  if (event.key in KEYS)
    show(Number.isFinite(KEYS[event.key]) ? shown.index + KEYS[event.key] : KEYS[event.key]);
  else if (
    event.key.toLowerCase() === "m" &&
    current().decisions.some((each) => isMistake(each.grade))
  )
    nextMistake();
  else return;
  event.preventDefault();
}

function practise() {
  addMistakes(mistakesOf(shown.record, current(), shown.player));
  drawTraining();
  showRoom("puzzle");
  byId("drill-start").click();
}

// Opens the position on the table; the game under review stays here.
async function open(record, player, each) {
  const fields = {
    rules: record.rules,
    ...cardBefore(record, player, each.turn),
    dice: each.dice,
    left: each.rolls_left,
  };
  await visitPosition(
    fields,
    _("This is {place} of the game under review; Undo goes back.", {
      place: placeText(each.turn, each.roll),
    }),
    {
      words: () => choiceLine(each, record.rules),
      back: () => _("Back to the review"),
      onBack: goToReview,
    },
  );
}
