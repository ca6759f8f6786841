// The end of a game: the score on the curve of perfect play, luck and errors, the largest error, sharing.
import {
  friendName,
  isOfSameDice,
  linkOfChallenge,
  newChallenge,
  sameDice,
} from "../table/challenge.js";
import { choicesText, turnsOfChoices } from "../table/challenge-choices.js";
import { keptDice, placeText, signedText } from "../table/actions.js";
import { boxTitle, endText } from "../table/advice-text.js";
import { curveOf, resultCurve } from "../table/distribution.js";
import { ask } from "../store/ask.js";
import {
  button,
  byId,
  chartWidth,
  copyText,
  diceRow,
  element,
  say,
  setEnabled,
  table,
} from "../words/dom.js";
import { gameRecord, hasRecord, playerName } from "../store/game.js";
import { askAgain } from "../puzzle/training.js";
import { _, formatNumber, formatPercent, language, ngettext } from "../words/i18n.js";
import { positionOf, remember, reviewGame, save } from "../store/memory.js";
import { choiceLine } from "./review-decision.js";
import { reviewFigures } from "./review-view.js";
import { showRoom } from "../table/room.js";
import { objectiveName } from "../table/options.js";
import { ruleSet } from "../store/rulesets.js";
import { winners } from "../table/view.js";
import {
  hasAim,
  isCardFull,
  isFull,
  me,
  noteStored,
  objective,
  onDraw,
  redraw,
  rules,
  showNotice,
  state,
  totals,
} from "../store/state.js";

const EVEN = 0.05; // points: a smaller gap rounds to nothing
const WIDTH = 720,
  EDGE = 40,
  ROW = 160,
  TOP = 90,
  CURVE = 240; // pixels of the picture
const COUNT_MS = 900; // as long as the line runs along the curve (felt.css)
const isStill = matchMedia("(prefers-reduced-motion: reduce)");

let start = null; // what perfect play makes of an empty card: { rules, mean, approximate, distribution }
let wasOpen = false; // whether a game has ended on this page; one that had ended before is read with the page

const isGameOver = () => state.players.every(isFull);

function drawEnd() {
  const box = byId("end");
  box.hidden = !isCardFull();
  if (start?.rules !== state.rules && boxesLeft() < 2) request(); // the curve is there when the last box is taken
  if (box.hidden) {
    wasOpen = true;
    byId("result").replaceChildren();
    return;
  }
  const sentences = start?.mean === undefined ? [] : verdicts();
  drawResult(sentences);
  box.replaceChildren(
    ...(isDuel() && !isSummed() ? sentences.map((sentence) => element("p", {}, sentence)) : []),
    ...(isSummed() ? whatHappened() : []),
  );
  if (wasOpen) say(...sentences);
}

const boxesLeft = () => rules().categories.length - Object.keys(me().card).length;
const isDuel = () => state.players.length > 1 && isGameOver();
const isSummed = () => hasRecord() && isGameOver(); // average, luck and errors say the gap to perfect play

// Whose score is the result: the only person's; of several the winner's, and while others still play one's own.
function shownPlayer() {
  if (!isGameOver()) return state.player;
  const persons = state.players.flatMap(({ computer }, i) => (computer ? [] : [i]));
  return persons.length === 1 ? persons[0] : winners(scores())[0];
}
const scores = () => state.players.map((player) => totals(player).all);

let drawnFor = "";

// The score in large figures, and where it lies on the curve of perfect play.
function drawResult(sentences) {
  const box = byId("result"),
    points = scores()[shownPlayer()],
    distribution = spread(),
    besideScore = isSummed() ? sentences.slice(-1) : sentences.slice(0, 1),
    beside = isDuel() ? endText(state, scores(), null) : (besideScore[0] ?? "");
  const key = JSON.stringify([
    points,
    beside,
    start.mean,
    Boolean(distribution),
    start.rules,
    chartWidth(box),
    language,
  ]);
  if (key === drawnFor && box.children.length) return; // the score does not run along the curve again
  drawnFor = key;
  const share = shareBelow(points),
    score = element("b", { "aria-hidden": "true" }, formatNumber(points));
  box.replaceChildren(
    // The headline says the score and who has won, unseen.
    element(
      "div",
      { class: "result-head" },
      score,
      element("span", { "aria-hidden": isDuel() ? "true" : null }, beside),
    ),
    ...(distribution ? [resultCurve(box, distribution, { mean: start.mean, points })] : []),
    ...(share === null || beside === shareSentence(share)
      ? []
      : [element("p", {}, shareSentence(share))]),
  );
  if (wasOpen && !isStill.matches) countUp(score, points);
}

// The score counts up; a curve that is drawn anew has a number of its own.
let counting = null;
function countUp(score, points) {
  const began = performance.now();
  counting = score;
  const step = () => {
    if (counting !== score) return;
    const rest = Math.max(0, 1 - (performance.now() - began) / COUNT_MS);
    score.textContent = formatNumber(Math.round(points * (1 - rest ** 3)));
    if (rest) requestAnimationFrame(step);
  };
  step();
}

let reviewed = null; // { key, record, found }: the game on the table, its reviews

// Luck and errors of each player and the largest mistake; the game is kept for the statistics.
function whatHappened() {
  const record = gameRecord(),
    key = JSON.stringify(record);
  if (reviewed?.key !== key) {
    const own = (reviewed = { key, record });
    reviewGame(record).then(
      async (found) => {
        if (own !== reviewed) return;
        own.found = found;
        redraw();
        if (!hasAim() && (await remember(record, found)) === null) noteStored(false);
      },
      () => {},
    ); // without the server only the score is shown
  }
  const { found = [] } = reviewed;
  // A review does not know the aim: what was right for the aim can be an error for the average.
  const notes = hasAim()
    ? [
        _(
          "Graded by the average score, not by the aim “{aim}”. The game is not counted in the statistics.",
          { aim: objectiveName(objective()) },
        ),
      ]
    : [];
  return [
    ...notes.map((text) => element("p", { class: "hint", id: "graded-by" }, text)),
    ...comparison(record, found),
    ...found.flatMap((each, player) => [
      ...(found.length > 1 ? [element("h3", {}, each.player)] : []),
      reviewFigures(each),
      ...(state.players[player]?.computer ? [] : largestMistake(each, player, record)),
    ]),
    element(
      "p",
      { class: "ways-on" },
      challengeButton(record, found),
      button(
        _("Review this game"),
        () => {
          showRoom("review");
          byId("review-own").click();
        },
        { id: "review-end" },
      ),
      ...(found.length
        ? [button(_("Share a picture"), () => sharePicture(record, found), { id: "share" })]
        : []),
    ),
  ];
}

// --- the same dice for a friend ---

const isChallenge = (record) =>
  Boolean(state.sameDice) && isOfSameDice(record, state.sameDice, rules());

// Who scored more and who lost fewer points by errors.
function comparison(record, found) {
  if (!state.challenge || !found.length) return [];
  if (!isChallenge(record))
    return [element("p", { class: "hint" }, _("Not all dice were those of the challenge."))];
  const { score, lost } = state.challenge,
    [own] = found,
    fields = { name: friendName(state.challenge) };
  const scores =
    own.result === score
      ? _("Both scored the same.")
      : own.result > score
        ? _("You scored more.")
        : _("{name} scored more.", fields);
  const choices =
    Math.abs(own.points_lost - lost) < EVEN
      ? _("Both chose equally well.")
      : own.points_lost < lost
        ? _("You chose better.")
        : _("{name} chose better.", fields);
  const row = (name, points, errors) => [name, formatNumber(points), formatNumber(errors, 1)];
  return [
    element("h3", { id: "challenge-result" }, scores, " ", choices),
    table(
      _("The challenge"),
      [_("The challenge"), _("Final score"), _("Points lost")],
      [row(_("You"), own.result, own.points_lost), row(fields.name, score, lost)],
      { class: "challenge" },
    ),
    element(
      "p",
      { class: "hint" },
      _("Players who keep different dice have different luck: errors show who chose better."),
    ),
    ...choicesCompared(record, own),
  ];
}

let compared = null; // { choices, found, error }: the review of the friend's game, once it is asked for

// What both did in each turn, with what it lost: the link has the friend's choices.
function choicesCompared(record, own) {
  const { choices } = state.challenge;
  if (!choices) return [];
  if (compared?.choices !== choices)
    return [button(_("Compare choices"), () => compare(record), { id: "compare-choices" })];
  const { error, found } = compared;
  if (error) return [element("p", { class: "error", role: "alert" }, error)];
  if (!found) return [element("p", { role: "status" }, _("Working …"))];
  const name = friendName(state.challenge),
    cell = (turns, { decisions }, i) => {
      const { category, points, bonus_points: bonus = 0 } = turns[i],
        lost = decisions
          .filter(({ turn }) => turn === i + 1)
          .reduce((sum, { loss }) => sum + loss, 0);
      return element(
        "span",
        {},
        boxTitle({ category, points, bonus_points: bonus }),
        " ",
        element("b", { class: "lost" }, lost < EVEN ? "" : signedText(-lost)),
      );
    };
  const rows = record.turns.map((_turn, i) => [
    formatNumber(i + 1),
    cell(record.turns, own, i),
    cell(found.turns, found.review, i),
  ]);
  return [
    element(
      "div",
      { id: "compared", tabindex: "-1" },
      table(_("Compare choices"), [_("Turn"), _("You"), name], rows, { class: "challenge" }),
    ),
  ];
}

async function compare(record) {
  const { sameDice: text, challenge } = state,
    own = (compared = { choices: challenge.choices });
  redraw();
  try {
    const dice = (turn, roll) => sameDice(text, turn, roll, rules()),
      turns = turnsOfChoices(own.choices, dice, rules()),
      { computers: _none, ...game } = record;
    const [review] = await reviewGame({ ...game, players: [friendName(challenge)], turns });
    if (!review.finished || turns.length !== record.turns.length)
      throw new Error(_("The choices in the link are not those of a whole game."));
    own.found = { turns, review };
  } catch (error) {
    own.error = error.message;
  }
  redraw();
  byId("compared")?.focus({ preventScroll: true });
}

// Sends the dice of this game with its result; of another game no dice can be sent, so a new one begins.
function challengeButton(record, found) {
  if (!isChallenge(record))
    return button(_("New game with dice to share"), newChallenge, { id: "challenge-new" });
  const send = async () => {
    const { result, points_lost: lost } = found[0],
      url = linkOfChallenge({
        text: state.sameDice,
        rules: state.rules,
        name: state.players[0].name,
        score: result,
        lost,
        choices: choicesText(record.turns, rules()),
      });
    if (navigator.canShare?.({ url })) {
      await navigator.share({ url }).catch(() => {}); // closed by the player
      return;
    }
    await copyText(url);
    showNotice(_("The link to the challenge is copied."));
  };
  const sender = button(_("Challenge a friend: same dice"), send, { id: "challenge-send" });
  setEnabled(sender, found.length > 0);
  return sender;
}

// The best choice is not said: it can be tried first.
function largestMistake({ decisions }, player, record) {
  const worst = decisions.reduce(
    (most, each) => (each.loss > (most?.loss ?? 0) ? each : most),
    null,
  );
  if (!worst || worst.loss < EVEN)
    return [element("p", {}, _("No errors: every decision was the best one."))];
  const mistake = { position: positionOf(record, player, worst), loss: worst.loss };
  return [
    element(
      "div",
      { class: "largest" },
      element(
        "h3",
        {},
        _("The largest error: {place}", { place: placeText(worst.turn, worst.roll) }),
      ),
      diceRow(worst.dice, keptDice(worst.dice, worst.done)),
      element(
        "p",
        {},
        ...choiceLine(worst, record.rules),
        " ",
        button(_("Try again"), () => askAgain(mistake), { class: "quiet" }),
      ),
    ),
  ];
}

// The average is known at once; the share of lower games only where the distribution needs no long work.
async function request() {
  const own = (start = { rules: state.rules }); // asked once for these rules
  if (rules().solved === false) return;
  for (const body of [
    { rules: own.rules, spread: false },
    { rules: own.rules, card: {} },
  ]) {
    // as "What to expect" asks them
    const found = await ask("expect", body).catch(() => null);
    if (!found || start !== own) return;
    Object.assign(own, {
      mean: found.expected_final_score,
      approximate: found.approximate,
      distribution: found.distribution,
    });
    redraw();
  }
}

function verdicts() {
  if (state.players.length > 1 && isGameOver()) {
    return state.players
      .map((player, i) => [playerName(i), totals(player).all])
      .sort((a, b) => b[1] - a[1])
      .map(([name, points]) =>
        ngettext(
          "{name}, {points} point: {verdict}",
          "{name}, {points} points: {verdict}",
          points,
          { name, points: formatNumber(points), verdict: gapSentence(points) },
        ),
      );
  }
  const points = totals().all,
    share = shareBelow(points);
  return share === null ? [gapSentence(points)] : [gapSentence(points), shareSentence(share)];
}

const shareSentence = (share) =>
  _("{share} of games by perfect play end lower.", { share: formatPercent(share, 0) });

function gapSentence(points) {
  const gap = points - start.mean,
    fields = { gap: formatNumber(Math.abs(gap), 1), mean: formatNumber(start.mean, 1) };
  if (Math.abs(gap) < EVEN)
    return start.approximate
      ? _("As much as the approximate strategy makes on average.")
      : _("As much as perfect play makes on average.");
  if (start.approximate) {
    return gap > 0
      ? _("{gap} points above the average of the approximate strategy ({mean}).", fields)
      : _("{gap} points below the average of the approximate strategy ({mean}).", fields);
  }
  return gap > 0
    ? _("{gap} points above the average of perfect play ({mean}).", fields)
    : _("{gap} points below the average of perfect play ({mean}).", fields);
}

// The distribution of perfect play, if it has a curve.
const spread = () =>
  start.approximate || !(start.distribution?.chances.length > 1) ? null : start.distribution;

function shareBelow(points) {
  if (!spread()) return null;
  const { lowest, chances } = spread();
  return chances.slice(0, Math.max(0, points - lowest)).reduce((sum, chance) => sum + chance, 0);
}

// The result as a picture, to share or to save.
async function sharePicture(record, found) {
  const canvas = Object.assign(document.createElement("canvas"), {
      width: WIDTH,
      height: TOP + ROW * found.length + (spread() ? CURVE : 0) + 50,
    }),
    pen = canvas.getContext("2d");
  const style = getComputedStyle(document.documentElement),
    colour = (name) => style.getPropertyValue(name).trim();
  const write = (text, x, y, size, name, weight = 400) => {
    pen.font = `${weight} ${size}px system-ui, sans-serif`;
    pen.fillStyle = colour(name);
    pen.fillText(text, x, y);
  };
  const felt = pen.createLinearGradient(0, 0, 0, canvas.height);
  felt.addColorStop(0, colour("--felt-top"));
  felt.addColorStop(1, colour("--felt-bottom"));
  pen.fillStyle = felt;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  write(ruleSet(record.rules).name, EDGE, 62, 30, "--felt-soft", 600);
  found.forEach((each, i) => {
    const y = TOP + ROW * i;
    if (found.length > 1) write(each.player, EDGE + 220, y + 75, 28, "--felt-soft");
    write(formatNumber(each.result), EDGE, y + 75, 88, "--felt-ink", 800);
    write(
      _("perfect average {start} · luck {luck} · errors {errors}", {
        start: formatNumber(each.start, 1),
        luck: signedText(each.luck),
        errors: signedText(-each.points_lost),
      }),
      EDGE,
      y + 120,
      22,
      "--felt-soft",
    );
  });
  if (spread()) {
    const base = TOP + ROW * found.length + CURVE - 20,
      points = found[shownPlayer()].result,
      box = { width: WIDTH, top: base - CURVE + 40, base },
      { line, below, above, xOf } = curveOf(spread(), points, box);
    for (const [path, style] of [
      [below, "--curve-below"],
      [above, "--curve-above"],
    ]) {
      pen.fillStyle = colour(style);
      pen.fill(new Path2D(path));
    }
    pen.lineWidth = 2;
    pen.strokeStyle = colour("--felt-soft");
    pen.stroke(new Path2D(line));
    pen.lineWidth = 4;
    pen.strokeStyle = pen.fillStyle = colour("--brass");
    pen.stroke(new Path2D(`M${xOf(points)} ${base}V${box.top - 14}`));
    pen.beginPath();
    pen.arc(xOf(points), box.top - 14, 8, 0, 2 * Math.PI);
    pen.fill();
  }
  write("perfect-yatzy", EDGE, canvas.height - 20, 18, "--felt-soft");
  const blob = await new Promise((resolve) => {
      canvas.toBlob(resolve);
    }),
    file = new File([blob], "yatzy.png", { type: "image/png" });
  const shared = { files: [file], url: location.href };
  if (navigator.canShare?.(shared)) {
    navigator.share(shared).catch(() => {});
    return;
  } // closed by the player
  save(file.name, blob);
}

onDraw(drawEnd);
