// The panel of reviews: the game played here, or the games of a file.
import { ask } from "./ask.js";
import { button, byId, element, moveFocusOut, setEnabled } from "./dom.js";
import { addMistakes } from "./drill.js";
import { _, formatNumber, language, ngettext } from "./i18n.js";
import { mistakesOf } from "./review-position.js";
import { clearReview, onReviewKey, redrawReview, reviewedRecord, showReview } from "./review-view.js";
import { gameRecord, hasRecord } from "./game.js";
import { loadRules } from "./rulesets.js";
import { onDraw, state } from "./state.js";
import { drawTraining } from "./training.js";

const MAX_EXPLAINED = 50; // decisions with the reason why
let games = [], latestRequest = 0, builtFor = "";

function build() {
  if (builtFor === language) return;
  builtFor = language;
  const section = byId("review");
  section.setAttribute("aria-labelledby", "review-title");
  section.replaceChildren(
    element("h2", { id: "review-title" }, _("Review")),
    element("p", { id: "played", class: "hint" }),
    element("div", { class: "bar" },
      button(_("Review this game"), () => reviewRecord(gameRecord()), { id: "review-own" }),
      button(_("Save this game"), () => download(gameRecord()), { id: "save-own" }),
      element("label", { class: "file" }, _("Open a file of games"), " ",
        element("input", { type: "file", id: "record", accept: ".jsonl,.json", on: { change: openFile } }))),
    element("p", { id: "which-line", hidden: games.length < 2 }, element("label", {}, _("Game"), " ",
      element("select", { id: "which", on: { change: () => reviewRecord(games[byId("which").value]) } }))),
    element("p", { id: "review-status", role: "status" }),
    element("div", { id: "review-body" }));
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

async function openFile(event) {
  const [file] = event.target.files;
  if (!file) return;
  try {
    const lines = (await file.text()).split("\n").map((text, i) => [text.trim(), i + 1]).filter(([text]) => text);
    games = lines.map(([text, number]) => {
      try { return JSON.parse(text); } catch { throw new Error(_("Line {number} of the file is not JSON.", { number: formatNumber(number) })); }
    });
    if (!games.length) throw new Error(_("The file contains no game."));
  } catch (error) { games = []; drawGameMenu(); showError(error); return; } finally { event.target.value = ""; }
  drawGameMenu();
  await reviewRecord(games[games.length - 1]);
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

function showError(error) {
  clearReview();
  byId("review-status").replaceChildren(element("span", { class: "error" }, error.message));
}

// Reviews a game for all its players and shows it.
export async function reviewRecord(record) {
  const number = ++latestRequest;
  build();
  moveFocusOut(byId("review-body"), byId("review-own"));
  clearReview();
  byId("review-status").replaceChildren(_("Working …"));
  try {
    if (!Array.isArray(record?.players)) throw new Error(_("This is not a record of a game: the field “players” is missing."));
    if (typeof record.rules === "string") await loadRules(record.rules).catch(() => {}); // the answer to `review` explains what is wrong
    const found = await Promise.all(record.players.map((_name, player) => ask("review", { game: record, player, why: MAX_EXPLAINED })));
    if (number !== latestRequest) return;
    byId("review-status").replaceChildren();
    showReview(record, found);
    if (record.source === "page") {
      found.forEach((each, player) => addMistakes(mistakesOf(record, each, player)));
      drawTraining();
    }
  } catch (error) { if (number === latestRequest) showError(error); }
}

byId("review").addEventListener("keydown", onReviewKey);
onDraw(drawPanel);
