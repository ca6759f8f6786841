// The review of a game: luck and errors, the worst decisions with their reasons, and a way to show their positions.
import { ask } from "./ask.js";
import { button, byId, chartWidth, count, diceText, element, onClick, percent, setEnabled, svg, table } from "./dom.js";
import { categoryName, onDraw, showPosition as show, state } from "./state.js";
import { loadRules } from "./rulesets.js";
import { gameRecord, hasRecord } from "./game.js";

const MAX_LISTED_ERRORS = 20, MIN_LISTED_LOSS = 0.05, MAX_LISTED_CATEGORIES = 5;
let games = [], latestRequest = 0;

byId("review").innerHTML = `
  <h2 id="review-title">Review a game</h2>
  <p id="played"></p>
  <div class="bar">
    <button type="button" id="review-own">Review this game</button>
    <button type="button" id="save-own">Save this game</button>
  </div>
  <p class="file"><label>Record of games (games.jsonl of <code>yatzy play</code>) <input type="file" id="record" accept=".jsonl,.json"></label></p>
  <p id="which-line" hidden><label>Game in the file <select id="which"></select></label></p>
  <div id="review-text" aria-live="polite"></div>`;
byId("record").addEventListener("change", (event) => { if (event.target.files[0]) reviewFile(event.target.files[0]); event.target.value = ""; });
byId("which").addEventListener("change", () => reviewSelected());
onClick("review-own", () => reviewRecord(gameRecord()));
onClick("save-own", () => download(gameRecord()));

function drawPlayed() {
  setEnabled(byId("review-own"), hasRecord());
  setEnabled(byId("save-own"), hasRecord());
  byId("played").textContent = hasRecord() ? `${count(state.turns.length, "turn", "turns")} played on this page.` :
    state.turns.length ? "The card was changed by hand: the game played here cannot be reviewed." : "";
}

function download(record) {
  const link = element("a", { download: "games.jsonl", href: URL.createObjectURL(new Blob([JSON.stringify(record) + "\n"])) });
  link.click();
  URL.revokeObjectURL(link.href);
}

async function reviewFile(file) {
  try {
    const lines = (await file.text()).split("\n").map((text, i) => [text.trim(), i + 1]).filter(([text]) => text);
    games = lines.map(([text, number]) => {
      try { return JSON.parse(text); } catch { throw new Error(`Line ${number} of the file is not JSON.`); }
    });
    if (!games.length) throw new Error("The file contains no game.");
  } catch (error) { games = []; drawGameMenu(); showError(error); return; }
  drawGameMenu();
  await reviewRecord(games[games.length - 1]);
}

function drawGameMenu() {
  byId("which-line").hidden = games.length < 2;
  byId("which").replaceChildren(...games.map((each, i) =>
    element("option", { value: i }, `${i + 1}: ${(Array.isArray(each.players) ? each.players : []).join(", ")} (${each.rules})`)));
  byId("which").value = games.length - 1;
}

const reviewSelected = () => reviewRecord(games[byId("which").value]);

function showError(error) {
  byId("review-text").replaceChildren(element("p", { class: "error" }, error.message));
}

export async function reviewRecord(record) {
  const number = ++latestRequest;
  byId("review-text").replaceChildren(element("p", {}, "Working …"));
  try {
    const parts = [];
    if (!Array.isArray(record?.players)) throw new Error("This is not a record of a game: the field `players` is missing.");
    if (typeof record.rules === "string") await loadRules(record.rules).catch(() => {}); // the answer to `review` explains what is wrong
    for (let player = 0; player < record.players.length; player++) {
      parts.push(...reviewParts(record, player, await ask("review", { game: record, player, why: MAX_LISTED_ERRORS })));
    }
    if (number === latestRequest) byId("review-text").replaceChildren(...parts);
  } catch (error) { if (number === latestRequest) showError(error); }
}

const GRADES = { best: ["best", "best"], tied: ["tied", "tied"], inaccuracy: ["inaccuracy", "inaccuracies"], mistake: ["mistake", "mistakes"], blunder: ["blunder", "blunders"] };

function reviewParts(record, player, found) {
  const errors = found.decisions.filter((each) => each.loss >= MIN_LISTED_LOSS).sort((a, b) => b.loss - a.loss);
  const turns = record.turns.filter((turn) => turn.player === player).length;
  const result = found.finished ? `final score ${found.result.toFixed(0)}`
    : `${found.result.toFixed(2)} expected (unfinished, after ${count(turns, "turn", "turns")})`;
  const grades = Object.entries(found.grades).filter(([, n]) => n).map(([name, n]) => count(n, ...GRADES[name])).join(", ");
  const signed = (value) => (value < 0 ? "− " : "+ ") + Math.abs(value).toFixed(2);
  const parts = [element("h3", {}, `${found.player}: ${result}`),
    element("p", {}, `${found.result.toFixed(2)} = start ${found.start.toFixed(2)} ${signed(found.luck)} luck − ${found.points_lost.toFixed(2)} errors`),
    element("p", {}, `${count(found.decisions.length, "decision", "decisions")}: ${grades}.`),
    scoreChart(found), element("p", { class: "legend" }, "Solid: the expected score during the game. Dashed: the same luck without errors.")];
  if (!errors.length) return [...parts, element("p", {}, "No mistakes found.")];
  parts.push(element("ol", { class: "errors", "aria-label": `Errors of ${found.player}, worst first` },
    ...errors.slice(0, MAX_LISTED_ERRORS).map((each) => errorItem(record, player, each))));
  if (errors.length > MAX_LISTED_ERRORS) parts.push(element("p", { class: "hint" }, `And ${errors.length - MAX_LISTED_ERRORS} smaller ones.`));
  return parts;
}

function actionText(record, action) {
  if (!action.hold) return `${categoryName(action.category, record.rules)} for ${action.points + action.bonus_points}`;
  return action.category ? `all dice, ${categoryName(action.category, record.rules)}` : `hold ${diceText(action.hold)}`;
}

function errorItem(record, player, each) {
  const place = `Turn ${each.turn}, roll ${each.roll}`;
  const item = element("li", {},
    element("div", {}, element("strong", {}, `${place}: ${diceText(each.dice)}`), ` – lost ${each.loss.toFixed(2)} (${each.grade})`),
    element("div", {}, `Done: ${actionText(record, each.done)}. Best: ${actionText(record, each.best)}.`));
  const bar = element("div", { class: "bar" },
    button("Show this position", () => showPosition(record, player, each), { "aria-label": `Show the position of ${place}` }));
  if (each.done.outlook) bar.append(element("details", {}, element("summary", { "aria-label": `Why, ${place}` }, "Why"), comparison(record, each)));
  item.append(bar);
  return item;
}

// The best action and the one taken: points now and later, and the categories in which the turn ends.
function comparison(record, each) {
  const best = each.best.outlook, done = each.done.outlook;
  const rows = [["Points this turn", best.turn_points.toFixed(2), done.turn_points.toFixed(2)], ["Points later", best.later_points.toFixed(2), done.later_points.toFixed(2)]];
  const chances = [best, done].map((side) => Object.fromEntries(side.categories.map(([id, chance]) => [id, chance])));
  const largest = (id) => Math.max(chances[0][id] || 0, chances[1][id] || 0);
  const likely = Object.keys({ ...chances[0], ...chances[1] }).sort((a, b) => largest(b) - largest(a));
  if (likely.length > 1) {
    for (const id of likely.slice(0, MAX_LISTED_CATEGORIES)) rows.push([`Ends in ${categoryName(id, record.rules)}`, ...chances.map((side) => percent(side[id] || 0))]);
  }
  return table("Comparison", ["", `Best: ${actionText(record, each.best)}`, `Done: ${actionText(record, each.done)}`], rows);
}

// Replays the record up to the start of the turn.
async function showPosition(record, player, each) {
  const ruleSet = await loadRules(record.rules);
  const before = { card: {}, bonusPoints: 0, saved: 0 };
  for (const turn of record.turns.filter((turn) => turn.player === player).slice(0, each.turn - 1)) {
    before.card[turn.category] = turn.points;
    before.bonusPoints += turn.bonus_points || turn.beside || 0; // `beside` in records of schema 1
    if (ruleSet.saved_rolls) before.saved += ruleSet.rolls - turn.rolls.length;
  }
  await show({ rules: record.rules, ...before, dice: each.dice, left: each.rolls_left },
    `This is turn ${each.turn}, roll ${each.roll} of the game under review; Undo goes back.`);
  byId("advice-title").focus();
}

// Two lines: the expected score during the game, and start + luck; their distance is the loss by errors so far.
function scoreChart(found) {
  const timeOf = (entry) => entry.turn * 100 + entry.roll;
  const events = [...found.rolls.map((r) => [timeOf(r), 0, r.roll_luck, 0]), ...found.decisions.map((d) => [timeOf(d), 1, 0, d.loss])]
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  let withoutErrors = found.start, expected = found.start;
  const points = [[withoutErrors, expected]];
  for (const [, , luck, loss] of events) { withoutErrors += luck; expected += luck - loss; points.push([withoutErrors, expected]); }
  const all = points.flat(), low = Math.min(...all), high = Math.max(...all), height = 150;
  const width = chartWidth(byId("review"));
  const path = (which) => points.map((pair, i) =>
    `${(34 + i * (width - 40) / (points.length - 1 || 1)).toFixed(1)},${(height - 6 - (pair[which] - low) / (high - low || 1) * (height - 20)).toFixed(1)}`).join(" ");
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `Course of the game: from ${found.start.toFixed(0)} to ${expected.toFixed(0)}; without errors ${withoutErrors.toFixed(0)}` },
    svg("polyline", { points: path(0), class: "without-errors" }), svg("polyline", { points: path(1), class: "expected" }),
    svg("text", { x: 0, y: 12 }, high.toFixed(0)), svg("text", { x: 0, y: height - 4 }, low.toFixed(0)));
}

onDraw(drawPlayed);
