// The room of the day: a whole turn from a position that is the same for everybody, in three decisions. All of them are made
// before they are graded; then the page shows what was lost, why, and a line to share.
import { actionText, actionTitle, keptDice, signedText } from "../table/actions.js";
import { currentRoom, showRoom } from "../table/room.js";
import { gradeOfChoice, lossOf } from "../table/verdict.js";
import { reasonOfChoice } from "../table/why.js";
import { usualRules } from "../store/link.js";
import { ruleSet } from "../store/rulesets.js";
import { onDraw, rules, showNotice, state, totals } from "../store/state.js";
import { button, byId, copyText, diceRow, diceText, dieFace, element } from "../words/dom.js";
import { gradeChip, gradeName, pointsText, TIE } from "../words/grades.js";
import { _, formatNumber, language, ngettext } from "../words/i18n.js";
import {
  askDay,
  dayOfLink,
  dayText,
  decisionsOf,
  linkOfDay,
  lostIn,
  noteChoiceOfDay,
  noteResult,
  numberOf,
  resultOf,
  shareLine,
  squareOf,
  untilTomorrow,
} from "./day.js";
import { digitsHoldDice, optionsOf } from "./exercise.js";
import { cardView } from "./position-card.js";
import { streak, today } from "./puzzle.js";

const SHOWN_DAYS = 14,
  COUNTDOWN_MS = 20_000;
let linked = null, // { day, rules } of a link
  drawnFor = "",
  shown = null; // { day, rules, puzzle }

const wanted = () => {
  const usual = rules().solved === false ? usualRules() : state.rules;
  return { day: linked?.day ?? today(), rules: linked ? linked.rules || usualRules() : usual };
};

function draw() {
  if (currentRoom() !== "puzzle" || !rules()) return;
  const { day, rules: spec } = wanted(),
    key = `${day} ${spec} ${language}`;
  if (key === drawnFor) return;
  drawnFor = key;
  open(day, spec);
}

async function open(day, spec) {
  const own = (shown = { day, rules: spec });
  frame([element("p", { role: "status" }, _("Working …"))]);
  try {
    own.puzzle = await askDay(spec, day);
  } catch (error) {
    if (own === shown)
      frame([
        element("p", { class: "error", role: "alert" }, error.message),
        button(_("Try again"), () => open(day, spec)),
      ]);
    return;
  }
  if (own === shown) drawTurn();
}

// The felt with its lines, and what is beside and below it.
function frame(felt, ...panels) {
  const days = streak(),
    name = ruleSet(shown.rules)?.name || "";
  byId("today").replaceChildren(
    element(
      "div",
      { class: "day-felt felt-panel" },
      element(
        "p",
        { class: "day-head" },
        element(
          "b",
          {},
          _("{game} No. {number}", { game: name, number: String(numberOf(shown.day)) }),
        ),
        " ",
        element("span", { class: "day-date" }, dayText(shown.day)),
        " ",
        element(
          "span",
          { class: "day-streak" },
          days
            ? ngettext("{count} day in a row", "{count} days in a row", days, {
                count: formatNumber(days),
              })
            : "",
        ),
      ),
      ...felt,
    ),
    ...panels,
  );
}

const title = (text) => element("h2", { id: "today-title", tabindex: -1 }, text);

function goToTitle() {
  byId("today-title").focus({ preventScroll: true });
  window.scrollTo(0, 0);
}

const decisions = () => decisionsOf(shown.puzzle, resultOf(shown.puzzle).choices);

function drawTurn() {
  const last = decisions().at(-1);
  if (last.choice) drawResult();
  else drawDecision(last);
}

function choose(choice) {
  noteChoiceOfDay(shown.puzzle, choice);
  drawTurn();
  goToTitle();
}

function positionOf({ dice, rollsLeft }) {
  const { rules: spec, card, bonus_points: bonusPoints, saved } = shown.puzzle;
  return {
    rules: spec,
    card,
    bonus_points: bonusPoints,
    saved,
    dice: [...dice].sort((a, b) => a - b),
    rolls_left: rollsLeft,
  };
}

// --- a decision ---

function drawDecision({ dice, rollsLeft, isBox }) {
  const held = dice.map(() => false),
    place = isBox ? shown.puzzle.rolls.length - 1 : shown.puzzle.rolls.length - 1 - rollsLeft;
  const marks = dice.map((face, i) =>
    isBox
      ? element("span", { class: "die" }, dieFace(face))
      : button(
          dieFace(face),
          () => {
            held[i] = !held[i];
            drawHeld();
          },
          { class: "die" },
        ),
  );
  const row = element(
    "div",
    {
      class: "exercise-dice",
      role: isBox ? "img" : "group",
      "aria-label": isBox ? dice.join(" ") : _("Dice; press one to keep it"),
    },
    ...marks,
  );
  const rollAll = button(_("Roll all"), () => choose({ kept: dice.map(() => false) }), {
    id: "day-roll-all",
  });
  const keep = button("", () => choose({ kept: held }), { id: "day-keep", class: "primary" });

  function drawHeld() {
    marks.forEach((die, i) => {
      die.setAttribute("aria-pressed", String(held[i]));
      die.setAttribute(
        "aria-label",
        _("Die {number} shows {face}", { number: i + 1, face: dice[i] }),
      );
    });
    const kept = dice.filter((_face, i) => held[i]).sort((a, b) => a - b);
    keep.textContent = !kept.length
      ? _("Tap the dice to keep")
      : kept.length === dice.length
        ? _("Keep all dice, choose a box")
        : actionTitle({ hold: kept }, shown.rules);
    if (kept.length) keep.removeAttribute("aria-disabled");
    else keep.setAttribute("aria-disabled", "true");
  }

  if (!isBox) drawHeld();
  frame(
    [
      title(isBox ? _("Which box?") : _("What do you keep?")),
      row,
      element(
        "p",
        { class: "unseen", role: "status" },
        _("Dice {dice}.", { dice: dice.join(" ") }),
      ),
      stepsView(place),
      isBox
        ? element("p", { class: "day-hint" }, _("Tap a box of the card."))
        : element("div", { class: "day-bar" }, rollAll, keep),
    ],
    cardPanel({ dice, rollsLeft, isBox }),
    daysPanel(),
  );
  byId("today").onkeydown = (event) => digitsHoldDice(event, dice, held, marks);
}

function stepsView(place) {
  const count = shown.puzzle.rolls.length;
  return element(
    "ol",
    { class: "day-steps", "aria-label": _("Decisions of this turn") },
    ...shown.puzzle.rolls.map((_roll, i) =>
      element(
        "li",
        { class: i <= place ? "done" : null, "aria-current": i === place ? "step" : null },
        stepName(i === count - 1, i),
      ),
    ),
  );
}

const stepName = (isBox, at) =>
  isBox ? _("Box") : _("Roll {number}", { number: formatNumber(at + 1) });

// The card before the turn, with the points of this roll as soon as they are known.
function cardPanel(decision) {
  const { puzzle } = shown,
    game = ruleSet(puzzle.rules),
    open = game.categories.length - Object.keys(puzzle.card).length;
  const { all } = totals({ card: puzzle.card, bonusPoints: puzzle.bonus_points }, game);
  const place = element("div", {}, cardView(game, positionOf(decision), []));
  const fill = async () => {
    try {
      const options = await optionsOf(positionOf(decision));
      if (!place.isConnected) return;
      const onTake = decision.isBox && (({ category }) => choose({ category }));
      place.replaceChildren(cardView(game, positionOf(decision), options, onTake || null));
    } catch (error) {
      if (!place.isConnected) return;
      place.append(
        element("p", { class: "error", role: "alert" }, error.message),
        button(_("Try again"), () => {
          place.replaceChildren(cardView(game, positionOf(decision), []));
          fill();
        }),
      );
    }
  };
  if (!decision.choice) fill();
  return element(
    "section",
    { class: "panel day-card", "aria-labelledby": "day-card-title" },
    element(
      "div",
      { class: "day-line" },
      element("h3", { id: "day-card-title" }, _("The card so far")),
      " ",
      element(
        "span",
        { class: "hint" },
        ngettext("{points} points, {count} box open", "{points} points, {count} boxes open", open, {
          points: formatNumber(all),
          count: formatNumber(open),
        }),
      ),
    ),
    place,
  );
}

// --- the result ---

// What a decision was worth: the option chosen, all of them in their order, the loss. To keep all dice is to take the best box.
async function judged(decision) {
  const options = await optionsOf(positionOf(decision)),
    boxes = options.filter((each) => !each.hold),
    { kept, category } = decision.choice;
  const hold = kept && diceText(decision.dice.filter((_face, i) => kept[i]).sort((a, b) => a - b));
  const option = category
    ? boxes.find((each) => each.category === category)
    : kept.every(Boolean)
      ? boxes[0]
      : options.find(
          (each) => each.hold && diceText([...each.hold].sort((a, b) => a - b)) === hold,
        );
  const ranked = decision.isBox ? boxes : options;
  return {
    option,
    ranked,
    loss: lossOf(option, ranked[0]),
    grade: gradeOfChoice(option, ranked[0]),
  };
}

async function drawResult() {
  const own = shown,
    made = decisions();
  let result = resultOf(own.puzzle),
    verdicts = null;
  if (!result.grades) frame([title(_("Working …"))], cardPanel(made[0]));
  else resultView(made, result);
  try {
    verdicts = await Promise.all(made.map(judged));
  } catch (error) {
    if (own !== shown || result.grades) return; // the grades are known; only the reasons are missing
    frame(
      [
        title(_("Not graded yet")),
        element("p", { class: "error", role: "alert" }, error.message),
        button(_("Try again"), drawResult),
      ],
      cardPanel(made[0]),
    );
    return;
  }
  if (!result.grades) {
    noteResult(
      own.puzzle,
      verdicts.map((each) => each.loss),
      verdicts.map((each) => each.grade),
    );
    result = resultOf(own.puzzle);
  }
  if (own === shown) resultView(made, result, verdicts);
}

// `verdicts` are null as long as the reasons are not known.
function resultView(made, result, verdicts = null) {
  const hadFocus = document.activeElement === byId("today-title"),
    lost = lostIn(result),
    right = result.grades.filter((grade) => squareOf(grade).kind === "right").length;
  const headline =
    lost < TIE
      ? _("Perfect.")
      : ngettext("You lost {loss} point.", "You lost {loss} points.", Math.ceil(lost), {
          loss: pointsText(lost, 1),
        });
  frame(
    [
      title(headline),
      element(
        "div",
        { class: "day-result" },
        squaresView(result.grades),
        element(
          "p",
          { class: "day-count" },
          element(
            "b",
            {},
            _("{right} of {count}", {
              right: formatNumber(right),
              count: formatNumber(result.grades.length),
            }),
          ),
          " ",
          element("small", {}, _("choices perfect")),
        ),
      ),
    ],
    element(
      "section",
      { class: "panel day-verdicts", "aria-label": _("Your choices") },
      ...made.map((each, i) => verdictView(each, i, result, verdicts?.[i])),
      shareView(result),
    ),
    cardPanel(made[0]),
    daysPanel(),
  );
  if (hadFocus) byId("today-title").focus({ preventScroll: true });
  byId("today").onkeydown = null;
}

function squaresView(grades) {
  const squares = grades.map(squareOf);
  return element(
    "span",
    {
      class: "squares",
      role: "img",
      "aria-label": squares.map(({ name }) => name).join(", "),
    },
    ...squares.map(({ sign, kind }) => element("span", { class: `square ${kind}` }, sign)),
  );
}

function verdictView({ dice, isBox, choice }, at, { grades, losses }, verdict) {
  const grade = grades[at],
    isRight = squareOf(grade).kind === "right",
    spec = shown.rules;
  const done = choice.category
    ? verdict
      ? actionTitle(verdict.option, spec)
      : ""
    : choice.kept.every(Boolean)
      ? _("You kept all dice")
      : choice.kept.some(Boolean)
        ? _("You kept {dice}", {
            dice: diceText(dice.filter((_face, i) => choice.kept[i]).sort((a, b) => a - b)),
          })
        : _("You rolled all dice");
  const chip = isRight
    ? gradeChip(grade)
    : gradeChip(
        grade,
        _("{grade}, −{loss}", { grade: gradeName(grade), loss: pointsText(losses[at]) }),
      );
  const parts = [
    element(
      "p",
      { class: "day-line" },
      element("span", { class: "hint" }, stepName(isBox, at)),
      " ",
      diceRow(dice, choice.kept || null),
    ),
    element("p", { class: "day-line" }, element("b", {}, done), " ", chip),
  ];
  if (!isRight && verdict) {
    const { ranked, option } = verdict,
      [best] = ranked,
      ascending = [...dice].sort((a, b) => a - b),
      kept = keptDice(ascending, best),
      why = reasonOfChoice(ranked, option, spec);
    parts.push(
      element(
        "p",
        { class: "day-why" },
        _("Best: {action}.", { action: actionText(best, spec) }),
        " ",
        why,
      ),
      ...(kept ? [diceRow(ascending, kept)] : []),
    );
  }
  return element("div", { class: `day-verdict ${squareOf(grade).kind}` }, ...parts);
}

function shareView(result) {
  const line = shareLine(shown.puzzle, result);
  return element(
    "div",
    { class: "day-share" },
    element(
      "p",
      { class: "day-line", id: "day-share-line" },
      element(
        "span",
        {},
        `${ruleSet(shown.rules).name} ${numberOf(shown.day)}`,
        " ",
        squaresView(result.grades),
        " ",
        signedText(-lostIn(result)),
      ),
    ),
    element(
      "div",
      { class: "day-bar" },
      button(_("Practise"), () => {
        byId("training-title").focus({ preventScroll: true });
        byId("training-title").scrollIntoView();
      }),
      button(
        _("Copy result"),
        async () => {
          await copyText(`${line}\n${linkOfDay(shown.day, shown.rules)}`);
          showNotice(_("The result is copied; it does not give the puzzle away."));
        },
        { id: "day-copy", class: "primary" },
      ),
    ),
  );
}

// --- the days ---

function daysPanel() {
  const days = Array.from({ length: SHOWN_DAYS }, (_day, i) => today() - SHOWN_DAYS + 1 + i);
  const countdown = element("span", { class: "hint", id: "next-puzzle" }, untilTomorrow());
  const tick = () => {
    if (!countdown.isConnected) return;
    countdown.textContent = untilTomorrow();
    setTimeout(tick, COUNTDOWN_MS);
  };
  setTimeout(tick, COUNTDOWN_MS);
  return element(
    "section",
    { class: "panel day-days", "aria-labelledby": "days-title" },
    element(
      "div",
      { class: "day-line" },
      element("h3", { id: "days-title" }, _("Your days")),
      " ",
      countdown,
    ),
    element(
      "ol",
      { class: "days", "aria-label": _("Points lost each day") },
      ...days.map((day) => {
        const { grades, losses } = resultOf({ day, rules: shown.rules }),
          kinds = (grades || []).map((grade) => squareOf(grade).kind);
        const kind = ["wrong", "doubtful", "right"].find((each) => kinds.includes(each)) || "";
        return element(
          "li",
          { "aria-current": day === shown.day ? "date" : null },
          element("small", {}, dayText(day, { weekday: "short" })),
          " ",
          element(
            "span",
            { class: `day-cell ${kind}` },
            losses ? formatNumber(lostIn({ losses }), 1) : day === today() ? "?" : "–",
          ),
        );
      }),
    ),
    ...(shown.day === today()
      ? []
      : [
          button(
            _("To the puzzle of today"),
            () => {
              linked = null;
              draw();
            },
            { id: "to-today" },
          ),
        ]),
  );
}

// --- links: read before the state reads the address, and taken out of it: the game on the table stays ---

function readLink() {
  const found = dayOfLink(location.hash);
  if (!found) return false;
  linked = found;
  history.replaceState(null, "", "#");
  return true;
}

const isLinked = readLink();
window.addEventListener("hashchange", (event) => {
  if (!readLink()) return;
  event.stopImmediatePropagation();
  showRoom("puzzle");
});

let isFirst = true;
onDraw(() => {
  if (isFirst && isLinked) showRoom("puzzle");
  isFirst = false;
  draw();
});
document.addEventListener("room", ({ detail }) => {
  if (detail !== "puzzle") linked = null; // the next time it is today
  draw();
});
