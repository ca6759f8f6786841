// A game graded: what luck and errors did, the worst decisions, why, and the way back to each of them.
import { ask } from "./ask.js";
import { button, by, element, many, names, percent, svg, table } from "./parts.js";
import { boxName, change, fresh, know } from "./state.js";

const LISTED = 20, LEAST = 0.05, LIKELY = 5; // errors in the list, points of the smallest, boxes in a comparison
let games = [], asked = 0;

export async function reviewFile(file) {
  try {
    const lines = (await file.text()).split("\n").map((text, i) => [text.trim(), i + 1]).filter(([text]) => text);
    games = lines.map(([text, number]) => {
      try { return JSON.parse(text); } catch { throw new Error(`Line ${number} of the file is no game: it is not JSON.`); }
    });
    if (!games.length) throw new Error("There is no game in the file.");
  } catch (error) { games = []; choose(); wrong(error); return; }
  choose();
  await reviewRecord(games[games.length - 1]);
}

function choose() {
  by("which-line").hidden = games.length < 2;
  by("which").replaceChildren(...games.map((each, i) =>
    element("option", { value: i }, `${i + 1}: ${(Array.isArray(each.players) ? each.players : []).join(", ")} (${each.rules})`)));
  by("which").value = games.length - 1;
}

export const reviewChosen = () => reviewRecord(games[by("which").value]);

function wrong(error) {
  by("review").replaceChildren(element("p", { class: "error" }, error.message));
}

export async function reviewRecord(record) {
  const number = ++asked;
  by("review").replaceChildren(element("p", {}, "Working …"));
  try {
    const parts = [];
    if (!Array.isArray(record?.players)) throw new Error("This is no record of a game: it names no players.");
    if (typeof record.rules === "string") await know(record.rules).catch(() => {}); // the review says what is wrong with them
    for (let player = 0; player < record.players.length; player++) {
      parts.push(...graded(record, player, await ask("review", { game: record, player, why: LISTED })));
    }
    if (number === asked) by("review").replaceChildren(...parts);
  } catch (error) { if (number === asked) wrong(error); }
}

const GRADES = { best: ["best", "best"], tied: ["tied", "tied"], inaccuracy: ["inaccuracy", "inaccuracies"], mistake: ["mistake", "mistakes"], blunder: ["blunder", "blunders"] };

function graded(record, player, found) {
  const errors = found.decisions.filter((each) => each.loss >= LEAST).sort((a, b) => b.loss - a.loss);
  const turns = record.turns.filter((turn) => turn.player === player).length;
  const result = found.finished ? `final score ${found.result.toFixed(0)}`
    : `${found.result.toFixed(2)} expected (unfinished, after ${many(turns, "turn", "turns")})`;
  const counts = Object.entries(found.grades).filter(([, n]) => n).map(([name, n]) => many(n, ...GRADES[name])).join(", ");
  const sign = (value) => (value < 0 ? "− " : "+ ") + Math.abs(value).toFixed(2);
  const parts = [element("h3", {}, `${found.player}: ${result}`),
    element("p", {}, `${found.result.toFixed(2)} = start ${found.start.toFixed(2)} ${sign(found.luck)} luck − ${found.points_lost.toFixed(2)} errors`),
    element("p", {}, `${many(found.decisions.length, "decision", "decisions")}: ${counts}.`),
    course(found), element("p", { class: "legend" }, "Solid: the expected score as the game went. Dashed: the same luck without errors.")];
  if (!errors.length) return [...parts, element("p", {}, "Nothing to mend.")];
  parts.push(element("ol", { class: "errors", "aria-label": `Errors of ${found.player}, worst first` },
    ...errors.slice(0, LISTED).map((each) => mistake(record, player, each))));
  if (errors.length > LISTED) parts.push(element("p", { class: "hint" }, `And ${errors.length - LISTED} smaller ones.`));
  return parts;
}

function words(record, action) {
  if (!action.hold) return `${boxName(action.category, record.rules)} for ${action.points + action.bonus_points}`;
  return action.category ? `all dice, ${boxName(action.category, record.rules)}` : `hold ${names(action.hold)}`;
}

function mistake(record, player, each) {
  const place = `Turn ${each.turn}, roll ${each.roll}`;
  const shown = element("li", {},
    element("div", {}, element("strong", {}, `${place}: ${names(each.dice)}`), ` – lost ${each.loss.toFixed(2)} (${each.grade})`),
    element("div", {}, `Done: ${words(record, each.done)}. Best: ${words(record, each.best)}.`));
  const bar = element("div", { class: "bar" },
    button("Show this position", () => show(record, player, each), { "aria-label": `Show the position of ${place}` }));
  if (each.done.prospect) bar.append(element("details", {}, element("summary", { "aria-label": `Why, ${place}` }, "Why"), why(record, each)));
  shown.append(bar);
  return shown;
}

// What both lead to, side by side.
function why(record, each) {
  const best = each.best.prospect, done = each.done.prospect;
  const rows = [["Points this turn", best.turn_points.toFixed(2), done.turn_points.toFixed(2)], ["Points later", best.later_points.toFixed(2), done.later_points.toFixed(2)]];
  const chances = [best, done].map((side) => Object.fromEntries(side.categories.map(([id, chance]) => [id, chance])));
  const likely = Object.keys({ ...chances[0], ...chances[1] })
    .sort((a, b) => Math.max(chances[0][b] || 0, chances[1][b] || 0) - Math.max(chances[0][a] || 0, chances[1][a] || 0));
  if (likely.length > 1) {
    for (const id of likely.slice(0, LIKELY)) rows.push([`Ends in ${boxName(id, record.rules)}`, ...chances.map((side) => percent(side[id] || 0))]);
  }
  return table("What both lead to", ["", `Best: ${words(record, each.best)}`, `Done: ${words(record, each.done)}`], rows);
}

// The card before a turn, as the record says.
async function show(record, player, each) {
  const rules = await know(record.rules);
  const before = { card: {}, bonusPoints: 0, saved: 0 };
  for (const turn of record.turns.filter((turn) => turn.player === player).slice(0, each.turn - 1)) {
    before.card[turn.category] = turn.points;
    before.bonusPoints += turn.bonus_points || 0;
    if (rules.saved_rolls) before.saved += rules.rolls - turn.rolls.length;
  }
  change((s) => Object.assign(fresh(s, record.rules), before, { dice: each.dice, held: each.dice.map(() => false), left: each.rolls_left, edited: true }),
    `This is turn ${each.turn}, roll ${each.roll} of the game under review; Undo goes back.`);
  by("advice-title").focus();
}

// The game as it went: luck up, luck and errors together; what lies between the lines was given away.
function course(found) {
  const key = (entry) => entry.turn * 100 + entry.roll;
  const events = [...found.rolls.map((r) => [key(r), 0, r.roll_luck, 0]), ...found.decisions.map((d) => [key(d), 1, 0, d.loss])]
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  let lucky = found.start, real = found.start;
  const lines = [[lucky, real]];
  for (const [, , luck, loss] of events) { lucky += luck; real += luck - loss; lines.push([lucky, real]); }
  const all = lines.flat(), low = Math.min(...all), high = Math.max(...all), height = 150;
  const width = Math.max(240, Math.min(560, by("review").clientWidth || 420));
  const path = (which) => lines.map((pair, i) =>
    `${(34 + i * (width - 40) / (lines.length - 1 || 1)).toFixed(1)},${(height - 6 - (pair[which] - low) / (high - low || 1) * (height - 20)).toFixed(1)}`).join(" ");
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `Course of the game: from ${found.start.toFixed(0)} to ${real.toFixed(0)}; without errors ${lucky.toFixed(0)}` },
    svg("polyline", { points: path(0), class: "lucky" }), svg("polyline", { points: path(1), class: "real" }),
    svg("text", { x: 0, y: 12 }, high.toFixed(0)), svg("text", { x: 0, y: height - 4 }, low.toFixed(0)));
}
