// The panel of reviews: the game played here, or the games of a file.
import { ask } from "./ask.js";
import { button, byId, element, setEnabled } from "./dom.js";
import { addMistakes } from "./drill.js";
import { _, formatNumber, language, ngettext } from "./i18n.js";
import { mistakesOf } from "./review-position.js";
import { onReviewKey, redrawReview, reviewedRecord, showReview } from "./review-view.js";
import { gameRecord, hasRecord } from "./game.js";
import { makeRoomFor } from "./room.js";
import { loadRules } from "./rulesets.js";
import { onDraw, state } from "./state.js";
import { drawTraining } from "./training.js";

const MAX_EXPLAINED = 50; // decisions with the reason why
let games = [], fileName = "", latestRequest = 0, builtFor = "";

function build() {
  if (builtFor === language) return;
  builtFor = language;
  const section = byId("review");
  section.setAttribute("aria-labelledby", "review-title");
  section.replaceChildren(
    element("h2", { id: "review-title" }, _("Review")),
    element("p", { id: "review-status", role: "status" }),
    element("p", { id: "which-line", hidden: games.length < 2 }, element("label", {}, _("Game"), " ",
      element("select", { id: "which", on: { change: () => reviewRecord(games[byId("which").value], fileSource(fileName)) } }))),
    element("div", { id: "review-body" }),
    element("p", { id: "played", class: "hint" }),
    element("div", { class: "bar sources" },
      button(_("Review this game"), () => reviewRecord(gameRecord(), () => _("The game on this page")), { id: "review-own" }),
      button(_("Save this game"), () => download(gameRecord()), { id: "save-own" }),
      button(_("Open a file…"), () => byId("record").click(), { id: "open-file" }),
      element("input", { type: "file", id: "record", accept: ".jsonl,.json", hidden: true, on: { change: openFile } })));
  makeRoomFor(byId("review-body"));
  drawGameMenu();
  redrawReview();
}

function drawPanel() {
  build();
  for (const id of ["review-own", "save-own"]) setEnabled(byId(id), hasRecord());
  const turns = state.turns.length;
  byId("played").textContent = hasRecord()
    ? ngettext("{count} turn played on this page.", "{count} turns played on this page.", turns, { count: formatNumber(turns) })
    : turns ? _("The card was changed by hand: the game played here cannot be reviewed.")
      : _("Play a game here, or open a file that “yatzy play” has written.");
}

function download(record) {
  const link = element("a", { download: "games.jsonl", href: URL.createObjectURL(new Blob([JSON.stringify(record) + "\n"])) });
  link.click();
  URL.revokeObjectURL(link.href);
}

const fileSource = (name) => () => _("From the file {name}", { name });

// A file with faults changes nothing: the review that is open stays.
async function openFile(event) {
  const [file] = event.target.files;
  if (!file) return;
  let found;
  try {
    found = gamesOf(await file.text());
  } catch (error) { showError(error, file.name); return; } finally { event.target.value = ""; }
  const list = () => { games = found; fileName = file.name; drawGameMenu(); };
  const isShown = await reviewRecord(found[found.length - 1], fileSource(file.name), file.name, list);
  if (!isShown && found.length > 1) list(); // another one may be without faults
}

function gamesOf(text) {
  const lines = text.split("\n").map((line, i) => [line.trim(), i + 1]).filter(([line]) => line);
  if (!lines.length) throw new Error(_("The file contains no game."));
  return lines.map(([line, number]) => {
    try { return JSON.parse(line); } catch { throw new Error(_("Line {number} of the file is not JSON.", { number: formatNumber(number) })); }
  });
}

function drawGameMenu() {
  byId("which-line").hidden = games.length < 2;
  byId("which").replaceChildren(...games.map((each, i) => {
    const players = (Array.isArray(each?.players) ? each.players : []).join(", ");
    return element("option", { value: i }, _("{number}: {players} ({rules})", { number: formatNumber(i + 1), players, rules: String(each?.rules) }));
  }));
  const at = games.indexOf(reviewedRecord());
  byId("which").value = at < 0 ? games.length - 1 : at;
}

function showError(error, name) {
  byId("review-status").replaceChildren(element("span", { class: "error" }, name ? _("{file}: {error}", { file: name, error: error.message }) : error.message));
}

// Reviews a game for all its players and shows it; `source` says where it is from. `onFound` is called before the page scrolls
// to it. Returns whether it is shown.
async function reviewRecord(record, source, name, onFound) {
  const number = ++latestRequest;
  byId("review-status").replaceChildren(_("Working …"));
  try {
    if (!Array.isArray(record?.players)) throw new Error(_("This is not a record of a game: the field “players” is missing."));
    if (typeof record.rules === "string") await loadRules(record.rules).catch(() => {}); // the answer to `review` explains what is wrong
    const found = await Promise.all(record.players.map((_name, player) => ask("review", { game: record, player, why: MAX_EXPLAINED })));
    if (number !== latestRequest) return false;
    byId("review-status").replaceChildren();
    onFound?.();
    showReview(record, found, source);
    if (record.source === "page") {
      found.forEach((each, player) => addMistakes(mistakesOf(record, each, player)));
      drawTraining();
    }
    return true;
  } catch (error) { if (number === latestRequest) showError(error, name); }
  return false;
}

byId("review").addEventListener("keydown", onReviewKey);
onDraw(drawPanel);
