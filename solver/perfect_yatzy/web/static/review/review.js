// The panel of reviews: the game played here, or the games of a file.
import { byId, element, onClick } from "../words/dom.js";
import { addMistakes } from "../store/drill.js";
import { _, formatNumber, language, ngettext } from "../words/i18n.js";
import {
  isSampleShown,
  onReviewKey,
  redrawReview,
  reviewedRecord,
  showBeforeFirst,
  showReview,
} from "./review-view.js";
import { hasSample, sampleReview } from "./sample.js";
import { gameRecord, hasRecord } from "../store/game.js";
import { download, games, gamesOf, mistakesOf, reviewGame } from "../store/memory.js";
import { hasAim, isFull, onDraw, state } from "../store/state.js";
import { drawTraining } from "../puzzle/training.js";
import { currentRoom, showRoom } from "../table/room.js";

let opened = [],
  fileName = "",
  latestRequest = 0,
  drawnIn = "";

function drawPanel() {
  if (drawnIn !== language) {
    drawnIn = language;
    drawGameMenu();
    if (isSampleShown()) reviewSample();
    else redrawReview();
  }
  byId("save-own").hidden = !hasRecord();
  byId("review-own").hidden =
    !hasRecord() || JSON.stringify(reviewedRecord()) === JSON.stringify(gameRecord()); // its review is there
  const turns = state.turns.length;
  byId("played").textContent = hasRecord()
    ? ngettext("{count} turn played on this page.", "{count} turns played on this page.", turns, {
        count: formatNumber(turns),
      })
    : turns
      ? _("The card was changed by hand: the game played here cannot be reviewed.")
      : _("Play a game here, or open a file that “yatzy play” has written.");
}

const ownSource = () => _("The game on this page");
const keptSource = () => _("A finished game of this device");
const sampleSource = () => _("A sample game, until you have finished one");
const fileSource = (name) => () => _("From the file {name}", { name });

// A file with faults changes nothing: the review that is open stays.
async function openFile(event) {
  const [file] = event.target.files;
  if (!file) return;
  let found;
  try {
    found = await gamesOf(await file.text());
  } catch (error) {
    showError(error, file.name);
    return;
  } finally {
    event.target.value = "";
  }
  const list = () => {
    opened = found;
    fileName = file.name;
    drawGameMenu();
  };
  const isShown = await reviewRecord(
    found[found.length - 1],
    fileSource(file.name),
    file.name,
    list,
  );
  if (!isShown && found.length > 1) list(); // another one may be without faults
}

function drawGameMenu() {
  byId("which-line").hidden = opened.length < 2;
  byId("which").replaceChildren(
    ...opened.map((each, i) => {
      const players = (Array.isArray(each?.players) ? each.players : []).join(", ");
      return element(
        "option",
        { value: i },
        _("{number}: {players} ({rules})", {
          number: formatNumber(i + 1),
          players,
          rules: String(each?.rules),
        }),
      );
    }),
  );
  const at = opened.indexOf(reviewedRecord());
  byId("which").value = at < 0 ? opened.length - 1 : at;
}

function showError(error, name) {
  byId("review-status").replaceChildren(
    element(
      "span",
      { class: "error" },
      name ? _("{file}: {error}", { file: name, error: error.message }) : error.message,
    ),
  );
}

// Shows the review that `load` finds as { record, found }; `source` says where the game is from. `onFound` is called before the
// page scrolls to it. Returns whether it is shown.
async function showFound(load, source, { name, onFound, isSample = false } = {}) {
  const number = ++latestRequest;
  byId("review-status").replaceChildren(_("Working …"));
  try {
    const { record, found } = await load();
    if (number !== latestRequest) return false;
    byId("review-status").replaceChildren();
    if (isSample && currentRoom() !== "review") return false;
    onFound?.();
    showReview(record, found, source, isSample);
    drawPanel();
    if (record.source === "page" && !hasAim()) {
      // with an aim other decisions are right
      found.forEach((each, player) => addMistakes(mistakesOf(record, each, player)));
      drawTraining();
    }
    return true;
  } catch (error) {
    if (number === latestRequest) showError(error, name);
  }
  return false;
}

const reviewRecord = (record, source, name, onFound) =>
  showFound(
    async () => {
      if (!Array.isArray(record?.players))
        throw new Error(_("This is not a record of a game: the field “players” is missing."));
      return { record, found: await reviewGame(record) };
    },
    source,
    { name, onFound },
  );

const reviewSample = () =>
  showFound(() => sampleReview(state.rules), sampleSource, { isSample: true });

// Opens the sample from the list of games.
export function openSample() {
  showRoom("review");
  return reviewSample();
}

// Opens the review of a finished game that is kept.
export function openReview(record) {
  showRoom("review");
  return reviewRecord(record, keptSource);
}

// Whoever enters the room sees a review: that of the game that has just ended, else of the latest one that is kept, else of
// the sample, unless another one was asked for.
let entered = ""; // the game that was on the table then
function enter() {
  const number = latestRequest;
  queueMicrotask(async () => {
    const isOver = hasRecord() && state.players.every((player) => isFull(player)),
      own = isOver ? gameRecord() : null,
      key = own && JSON.stringify(own);
    if (own ? key === entered : reviewedRecord() && !isSampleShown()) return;
    entered = key ?? "";
    const record = own ?? (await games()).at(-1)?.record;
    if (number !== latestRequest) return;
    if (record) reviewRecord(record, own ? ownSource : keptSource);
    else if (reviewedRecord()?.rules !== state.rules) {
      showBeforeFirst();
      if (hasSample(state.rules)) reviewSample();
    }
  });
}
document.addEventListener("room", ({ detail }) => {
  if (detail === "review") enter();
});
if (currentRoom() === "review") enter(); // the room was entered before this module was loaded

byId("review").addEventListener("keydown", onReviewKey);
byId("which").addEventListener("change", () =>
  reviewRecord(opened[byId("which").value], fileSource(fileName)),
);
byId("record").addEventListener("change", openFile);
onClick("review-own", () => reviewRecord(gameRecord(), ownSource));
onClick("save-own", () => download([gameRecord()]).catch(showError));
onClick("open-file", () => byId("record").click());
matchMedia("(orientation: portrait)").addEventListener("change", redrawReview); // the chart takes the width
onDraw(drawPanel);
