// The end of a game: how the score compares with perfect play, luck and errors, the largest mistake, sharing.
import { friendName, isOfSameDice, linkOfChallenge, newChallenge } from "../table/challenge.js";
import { placeText, signedText } from "../table/actions.js";
import { ask } from "../store/ask.js";
import { button, byId, copyText, element, say, setEnabled, table } from "../words/dom.js";
import { gameRecord, hasRecord, playerName } from "../store/game.js";
import { _, formatNumber, formatPercent } from "../words/i18n.js";
import { remember, reviewGame, save } from "../store/memory.js";
import { choicesView } from "./review-decision.js";
import { reviewFigures } from "./review-view.js";
import { showRoom } from "../table/room.js";
import { objectiveName } from "../table/options.js";
import { ruleSet } from "../store/rulesets.js";
import { whySentence } from "../table/why.js";
import {
  hasAim,
  isCardFull,
  isFull,
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
  ROW = 110,
  TOP = 120; // pixels of the picture

let start = null; // what perfect play makes of an empty card: { rules, mean, approximate, distribution }
let wasOpen = false; // whether a game has ended on this page; one that had ended before is read with the page

const isGameOver = () => state.players.every(isFull);

function drawEnd() {
  const box = byId("end");
  box.hidden = !isCardFull();
  if (box.hidden) {
    wasOpen = true;
    return;
  }
  if (start?.rules !== state.rules) request();
  const sentences = start?.mean === undefined ? [] : verdicts();
  box.replaceChildren(
    ...sentences.map((sentence) => element("p", {}, sentence)),
    ...(hasRecord() && isGameOver() ? whatHappened() : []),
  );
  if (wasOpen) say(...sentences);
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
    ...found.flatMap((each) => [
      ...(found.length > 1 ? [element("h3", {}, each.player)] : []),
      reviewFigures(each, false),
      ...largestMistake(each, record),
    ]),
    element(
      "p",
      { class: "bar" },
      button(
        _("Review this game"),
        () => {
          showRoom("review");
          byId("review-own").click();
        },
        { id: "review-end" },
      ),
      challengeButton(record, found),
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
      _("Who keeps other dice meets other luck: errors say who chose better."),
    ),
  ];
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

function largestMistake({ decisions }, record) {
  const worst = decisions.reduce(
    (most, each) => (each.loss > (most?.loss ?? 0) ? each : most),
    null,
  );
  if (!worst || worst.loss < EVEN)
    return [element("p", {}, _("No errors: every decision was the best one."))];
  return [
    element(
      "h3",
      {},
      _("The largest error: {place}", { place: placeText(worst.turn, worst.roll) }),
    ),
    ...choicesView(worst, record.rules),
    element("p", {}, whySentence(worst.best, worst.done, record.rules)),
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
        _("{name}, {points} points: {verdict}", {
          name,
          points: formatNumber(points),
          verdict: gapSentence(points),
        }),
      );
  }
  const points = totals().all,
    share = shareBelow(points);
  return share === null
    ? [gapSentence(points)]
    : [
        gapSentence(points),
        _("{share} of games by perfect play end lower.", { share: formatPercent(share, 0) }),
      ];
}

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

function shareBelow(points) {
  if (!start.distribution || start.approximate) return null;
  const { lowest, chances } = start.distribution;
  return chances.slice(0, Math.max(0, points - lowest)).reduce((sum, chance) => sum + chance, 0);
}

// The result as a picture, to share or to save.
async function sharePicture(record, found) {
  const canvas = Object.assign(document.createElement("canvas"), {
      width: WIDTH,
      height: TOP + ROW * found.length + 50,
    }),
    pen = canvas.getContext("2d");
  const style = getComputedStyle(document.documentElement),
    colour = (name) => style.getPropertyValue(name).trim();
  const write = (text, x, y, size, name, weight = 400) => {
    pen.font = `${weight} ${size}px system-ui, sans-serif`;
    pen.fillStyle = colour(name);
    pen.fillText(text, x, y);
  };
  pen.fillStyle = colour("--paper");
  pen.fillRect(0, 0, canvas.width, canvas.height);
  write(ruleSet(record.rules).name, 40, 70, 34, "--ink", 700);
  found.forEach((each, i) => {
    const y = TOP + ROW * i;
    if (found.length > 1) write(each.player, 40, y + 10, 22, "--soft");
    write(formatNumber(each.result), 40, y + 62, 56, "--go", 700);
    write(
      _("perfect average {start} · luck {luck} · errors {errors}", {
        start: formatNumber(each.start, 1),
        luck: signedText(each.luck),
        errors: signedText(-each.points_lost),
      }),
      190,
      y + 55,
      22,
      "--ink",
    );
  });
  write("perfect-yatzy", 40, canvas.height - 24, 18, "--soft");
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
