"use strict";
// The page: a position (rules, card, dice, rerolls) is the only state. Each change redraws it, asks the server, and
// goes into the history, so that undo, redo and the link are the same thing.

const GLYPHS = ["", "⚀", "⚁", "⚂", "⚃", "⚄", "⚅"];
const by = (id) => document.getElementById(id);
const empty = () => ({ rules: "yatzy", card: {}, saved: 0, dice: [], held: [], left: 2, goal: "", opponents: "", ties: "loss",
  extra: 0, turns: [], rolls: [], holds: [], edited: false });
let games = [], state = empty(), past = [], future = [], asked = 0, timer = 0;

const game = () => games.find((g) => g.id === state.rules);
const full = () => Object.keys(state.card).length === game().categories.length;
const mostLeft = () => game().rolls - 1 + state.saved;

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "on") for (const [event, run] of Object.entries(value)) made.addEventListener(event, run);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

async function ask(path, body) {
  const answer = await fetch("/api/" + path, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
  });
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error || "the request failed");
  return found;
}

function change(edit) {
  past.push(JSON.stringify(state));
  if (past.length > 500) past.shift();
  future = [];
  edit(state);
  draw();
}

function travel(from, to) {
  if (!from.length) return;
  to.push(JSON.stringify(state));
  state = JSON.parse(from.pop());
  draw();
}

function fromLink() {
  const given = new URLSearchParams(location.hash.slice(1));
  state = empty();
  if (games.some((g) => g.id === given.get("rules"))) state.rules = given.get("rules");
  state.left = game().rolls - 1;
  for (const entry of (given.get("card") || "").split(" ").filter(Boolean)) {
    const [name, points] = entry.split("=");
    const box = game().categories.find((c) => c.id === name);
    if (box && box.points.includes(Number(points))) state.card[name] = Number(points);
  }
  state.saved = Math.max(0, Math.trunc(Number(given.get("saved"))) || 0);
  state.dice = [...(given.get("dice") || "")].map(Number).filter((d) => d >= 1 && d <= game().faces).slice(0, game().dice);
  state.held = state.dice.map(() => false);
  const left = Number(given.get("left") ?? state.left);
  if (Number.isInteger(left) && left >= 0 && left <= mostLeft()) state.left = left;
  for (const name of ["goal", "opponents", "ties"]) if (given.has(name)) state[name] = given.get(name);
  by("aim").open = Boolean(state.goal || state.opponents);
}

function toLink() {
  const link = new URLSearchParams({ rules: state.rules });
  const card = Object.entries(state.card).map(([c, p]) => `${c}=${p}`).join(" ");
  if (card) link.set("card", card);
  if (state.saved) link.set("saved", state.saved);
  if (state.dice.length) link.set("dice", state.dice.join(""));
  link.set("left", state.left);
  if (state.goal) link.set("goal", state.goal);
  if (state.opponents) { link.set("opponents", state.opponents); link.set("ties", state.ties); }
  history.replaceState(null, "", "#" + link);
}

function draw() {
  drawCard();
  drawDice();
  drawPlay();
  for (const name of ["rules", "saved", "goal", "opponents", "ties"]) by(name).value = state[name];
  by("saved-line").hidden = !game().saved_rolls;
  by("undo").disabled = !past.length;
  by("redo").disabled = !future.length;
  toLink();
  by("ranking").setAttribute("aria-busy", "true"); // what it shows belongs to the position before
  clearTimeout(timer);
  timer = setTimeout(refresh, 60);
}

function drawCard() {
  const table = by("card"), body = table.tBodies[0];
  // Rows are made anew for other rules only: a box must not vanish under the cursor that is moving into it.
  const rows = table.dataset.rules === state.rules ? [...body.rows] : game().categories.map((box) => {
    const input = element("input", {
      id: "box-" + box.id, inputmode: "numeric", autocomplete: "off", "aria-label": box.name + " points",
      on: { change: (event) => setBox(box, event.target) },
    });
    return element("tr", {}, element("th", { scope: "row" }, box.name), element("td", { class: "number" }, input));
  });
  if (table.dataset.rules !== state.rules) body.replaceChildren(...rows);
  table.dataset.rules = state.rules;
  for (const box of game().categories) {
    const input = by("box-" + box.id), points = String(state.card[box.id] ?? "");
    if (input !== document.activeElement || input.value.trim() === points) input.value = points;
    input.removeAttribute("aria-invalid");
  }
  const points = (boxes) => boxes.reduce((sum, box) => sum + (state.card[box.id] || 0), 0);
  const upper = points(game().categories.filter((box) => box.upper));
  const total = (name, value) => element("tr", {}, element("th", { scope: "row" }, name), element("td", { class: "number" }, String(value)));
  const foot = [];
  const bonus = game().bonus;
  const reached = bonus && upper >= bonus.threshold ? bonus.points : 0;
  if (bonus) foot.push(total(`Upper sum (${bonus.points} at ${bonus.threshold})`, upper));
  foot.push(total("Total", points(game().categories) + reached));
  by("card").tFoot.replaceChildren(...foot);
}

function setBox(box, input) {
  const text = input.value.trim().toLowerCase();
  const points = text === "x" || text === "-" ? 0 : Number(text);
  if (text !== "" && !box.points.includes(points)) {
    input.setAttribute("aria-invalid", "true");
    say(`${box.name} cannot hold ${input.value}. It can hold ${box.points.slice(0, 12).join(", ")}${box.points.length > 12 ? " …" : ""}.`, true);
    return;
  }
  change((s) => { s.edited = true; if (text === "") delete s.card[box.id]; else s.card[box.id] = points; });
}

function drawDice() {
  const dice = state.dice.map((face, i) => element("button", {
    type: "button", "aria-pressed": String(state.held[i]), "aria-label": `Die ${i + 1} shows ${face}`,
    on: { click: () => change((s) => { s.held[i] = !s.held[i]; }) },
  }, GLYPHS[face] || String(face), element("small", {}, state.held[i] ? "held" : "")));
  const focused = [...by("dice").children].indexOf(document.activeElement);
  by("dice").replaceChildren(...dice);
  if (focused >= 0) by("dice").children[Math.min(focused, dice.length - 1)]?.focus();
  const faces = [];
  for (let face = 1; face <= game().faces; face++) {
    faces.push(element("button", { type: "button", "aria-label": `Add a ${face}`, disabled: state.dice.length >= game().dice,
      on: { click: () => addDie(face) } }, `${face} ${GLYPHS[face] || ""}`));
  }
  faces.push(element("button", { type: "button", disabled: !state.dice.length, on: { click: clearDice } }, "No dice"));
  const at = [...by("faces").children].indexOf(document.activeElement);
  by("faces").replaceChildren(...faces);
  if (at >= 0) (faces[at].disabled ? faces[faces.length - 1] : faces[at]).focus();
  const most = Math.min(mostLeft(), 9);
  const choices = [];
  for (let left = most; left >= 0; left--) {
    const radio = element("input", { type: "radio", name: "left", value: left, on: { change: () => change((s) => { s.left = left; }) } });
    radio.checked = left === state.left;
    choices.push(element("label", {}, radio, left ? ` ${left}` : " 0: take a category"));
  }
  const radioFocus = document.activeElement?.name === "left";
  by("left").replaceChildren(element("legend", {}, "Rerolls left"), ...choices);
  if (radioFocus) by("left").querySelector("input:checked")?.focus();
}

// A game played on this page: what was rolled and held in this turn, and the turns before. It can be reviewed and
// saved as long as no box was filled in by hand.
const heldDice = () => state.dice.filter((_, i) => state.held[i]);
const complete = () => state.dice.length === game().dice;
const canReroll = () => complete() && state.left > 0 && heldDice().length < game().dice;

function reroll(s, drawn) {
  const kept = s.dice.filter((_, i) => s.held[i]);
  if (s.dice.length === game().dice) {
    s.rolls.push([...s.dice].sort());
    s.holds.push([...kept].sort());
    s.left -= 1;
  } else kept.length = 0;
  s.dice = [...kept];
  if (drawn) while (s.dice.length < game().dice) s.dice.push(1 + Math.floor(chance() * game().faces));
  s.held = s.dice.map((_, i) => i < kept.length);
}

function chance() {
  return crypto.getRandomValues(new Uint32Array(1))[0] / 2 ** 32;
}

function take(entry) {
  if (!settled()) return;
  change((s) => {
    const turn = { player: 0, rolls: [...s.rolls, [...s.dice].sort()], holds: s.holds, category: entry.category, points: entry.points };
    if (entry.bonus) turn.beside = entry.bonus;
    s.turns.push(turn);
    s.card[entry.category] = entry.points;
    s.extra += entry.bonus;
    if (game().saved_rolls) s.saved = s.left;
    Object.assign(s, { dice: [], held: [], rolls: [], holds: [], left: game().rolls - 1 + s.saved });
  });
}

const ownRecord = () => ({ schema: 1, rules: state.rules, players: ["You"], source: "page", turns: state.turns });

function drawPlay() {
  const none = !state.dice.length && !state.rolls.length;
  by("roll").textContent = none ? "Roll" : "Reroll what is not held";
  by("roll").disabled = full() || !(none || canReroll());
  by("by-hand").disabled = full() || !canReroll();
  const whole = state.turns.length > 0 && !state.edited;
  by("review-own").disabled = by("save-own").disabled = !whole;
  by("played").textContent = whole ? `${state.turns.length} ${state.turns.length === 1 ? "turn" : "turns"} played on this page.` : "";
}

const addDie = (face) => { if (state.dice.length < game().dice) change((s) => { s.dice.push(face); s.held.push(false); }); };
const clearDice = () => { if (state.dice.length) change((s) => { s.dice = []; s.held = []; }); };

function say(text, wrong) {
  by("answer").textContent = text;
  by("answer").className = wrong ? "error" : "";
}

function position() {
  const asking = { rules: state.rules, card: state.card, extra: state.extra };
  if (game().saved_rolls) asking.saved = state.saved;
  return asking;
}

function aim() {
  if (state.goal) return { goal: Number(state.goal) };
  return state.opponents ? { opponents: state.opponents, ties: state.ties } : {};
}

async function refresh() {
  const number = ++asked;
  const current = () => number === asked;
  const advised = async () => { await advise(current); if (current()) by("ranking").setAttribute("aria-busy", "false"); };
  try {
    await Promise.all([advised(), expectation(current)]);
  } catch (error) {
    if (current()) say(error.message, true);
  }
}

const percent = (chance) => (chance > 0 && chance < 5e-5 ? "<0.01" : (100 * chance).toFixed(2)) + " %";
const names = (dice) => dice.length ? dice.join(" ") : "nothing";
const boxName = (id) => game().categories.find((c) => c.id === id).name;

async function advise(current) {
  by("map").replaceChildren();
  if (full()) { by("ranking").replaceChildren(); say("The card is full."); return; }
  const missing = game().dice - state.dice.length;
  if (missing) {
    by("ranking").replaceChildren();
    say(missing === game().dice ? "Enter the dice." : `${missing} more ${missing === 1 ? "die" : "dice"}.`);
    return;
  }
  const holding = state.left > 0;
  const found = await ask(holding ? "hold" : "score", { ...position(), ...aim(), dice: state.dice, rolls_left: state.left });
  if (!current()) return;
  const entries = holding ? found.holds : found.categories;
  const label = (entry) => holding
    ? (entry.category ? `all dice, take ${boxName(entry.category)}` : `hold ${names(entry.hold)}`)
    : `${boxName(entry.category)} for ${entry.points + entry.bonus}`;
  const aimed = Boolean(found.aim);
  const value = (entry) => aimed ? percent(entry.chance) : entry.expected_final.toFixed(2);
  const loss = (entry, i) => entry.loss === 0 ? (i ? "tie" : "0.00") : entry.loss * (aimed ? 100 : 1) < 0.005 ? "<0.01" : (entry.loss * (aimed ? 100 : 1)).toFixed(2);
  const best = label(entries[0]);
  say(`${best[0].toUpperCase()}${best.slice(1)}: ${aimed ? percent(entries[0].chance) + " chance" : "expected final score " + entries[0].expected_final.toFixed(2)}`);
  const rows = entries.slice(0, 8).map((entry, i) => {
    const words = label(entry);
    const shown = holding && !entry.category
      ? element("button", { type: "button", on: { click: () => holdThese(entry.hold), focus: () => showMap(entry.hold), mouseenter: () => showMap(entry.hold) } }, words)
      : holding ? words : element("button", { type: "button", on: { click: () => take(entry) } }, words);
    return element("tr", {}, element("td", {}, shown), element("td", { class: "number" }, value(entry)), element("td", { class: "number" }, loss(entry, i)));
  });
  const head = element("thead", {}, element("tr", {}, element("th", { scope: "col" }, holding ? "Hold" : "Category"),
    element("th", { scope: "col", class: "number" }, aimed ? "Chance" : "Expected"), element("th", { scope: "col", class: "number" }, "Loses")));
  by("ranking").replaceChildren(element("table", { "aria-label": "Ranking" }, head, element("tbody", {}, ...rows)));
}

const settled = () => by("ranking").getAttribute("aria-busy") === "false";

function holdThese(hold) {
  if (!settled()) return;
  const rest = [...hold];
  change((s) => { s.held = s.dice.map((face) => { const at = rest.indexOf(face); if (at >= 0) rest.splice(at, 1); return at >= 0; }); });
}

let mapAsked = 0, mapTimer = 0;
function showMap(hold) {
  clearTimeout(mapTimer);
  const number = ++mapAsked;
  mapTimer = setTimeout(async () => {
    if (!settled() || !state.left) return; // the position has moved on
    try {
      const found = await ask("outcomes", { ...position(), hold, rolls_left: state.left });
      if (number !== mapAsked) return;
      const items = found.outcomes.map((o) => element("li", {}, `${names(o.rolled)}: ${o.expected_final.toFixed(1)} (${percent(o.chance)})`));
      by("map").replaceChildren(element("h3", {}, `After holding ${names(hold)}: all ${found.outcomes.length} rolls, and what the game is then worth`),
        element("ol", { tabindex: 0, "aria-label": "Rolls, best first" }, ...items));
    } catch (error) { if (number === mapAsked) by("map").textContent = error.message; }
  }, 120);
}

async function expectation(current) {
  const found = await ask("expect", { ...position(), ...aim() });
  if (!current()) return;
  const lines = [`Expected final score ${found.expected_final.toFixed(2)}`];
  if (found.chance !== undefined) lines.unshift(`${percent(found.chance)} chance ${found.aim.goal !== undefined ? "of " + found.aim.goal + " or more" : "to win"} if played for`);
  const spread = found.distribution;
  if (spread) {
    lines.push(`Standard deviation ${spread.standard_deviation.toFixed(2)}`);
    lines.push("Percentiles " + Object.entries(spread.percentiles).map(([p, v]) => `${p} %: ${v}`).join(", "));
    if (game().bonus && spread.bonus_chance > 0 && spread.bonus_chance < 1 - 1e-9) lines.push(`Upper bonus ${percent(spread.bonus_chance)}`);
  }
  by("expect").replaceChildren(...lines.flatMap((line, i) => i ? [element("br"), line] : [line]));
  by("chart").replaceChildren(...(spread && spread.chances.length > 1 ? [chart(spread)] : []));
}

function svg(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function chart(spread) {
  let low = 0, high = spread.chances.length - 1;
  while (low < high && spread.chances[low] < 1e-5) low++;
  while (high > low && spread.chances[high] < 1e-5) high--;
  const shown = spread.chances.slice(low, high + 1), most = Math.max(...shown), width = 420, height = 160;
  const step = width / shown.length;
  const bars = shown.map((chance, i) => svg("rect", { x: (i * step).toFixed(2), y: (height - height * chance / most).toFixed(2), width: Math.max(0.5, step).toFixed(2), height: (height * chance / most).toFixed(2) }));
  const first = spread.lowest + low, last = spread.lowest + high, marks = [];
  for (let score = Math.ceil(first / 50) * 50; score <= last; score += 50) {
    marks.push(svg("text", { x: ((score - first) * step).toFixed(1), y: height + 14, "text-anchor": "middle" }, String(score)));
  }
  return svg("svg", { viewBox: `0 0 ${width} ${height + 20}`, role: "img", "aria-label": `Distribution of the final score from ${first} to ${last}` }, ...bars, ...marks);
}

function course(found) {
  // The game as it went: luck up, luck and errors together; what lies between the lines was given away.
  const key = (entry) => entry.turn * 100 + entry.roll;
  const events = [...found.rolls.map((r) => [key(r), 0, r.luck, 0]), ...found.decisions.map((d) => [key(d), 1, 0, d.loss])]
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  let lucky = found.start, real = found.start;
  const lines = [[lucky, real]];
  for (const [, , luck, loss] of events) { lucky += luck; real += luck - loss; lines.push([lucky, real]); }
  const all = lines.flat(), low = Math.min(...all), high = Math.max(...all), width = 420, height = 150;
  const path = (which) => lines.map((pair, i) => `${(34 + i * (width - 40) / (lines.length - 1 || 1)).toFixed(1)},${(height - 6 - (pair[which] - low) / (high - low || 1) * (height - 20)).toFixed(1)}`).join(" ");
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Course of the game: from ${found.start.toFixed(0)} to ${real.toFixed(0)}; without errors ${lucky.toFixed(0)}` },
    svg("polyline", { points: path(0), fill: "none", stroke: "currentColor", "stroke-dasharray": "4 3" }),
    svg("polyline", { points: path(1), fill: "none", stroke: "#4477aa", "stroke-width": "2" }),
    svg("text", { x: 0, y: 12 }, high.toFixed(0)), svg("text", { x: 0, y: height - 4 }, low.toFixed(0)));
}

async function reviewFile(file) {
  try {
    const lines = (await file.text()).split("\n").filter((line) => line.trim());
    await reviewRecord(JSON.parse(lines[lines.length - 1]));
  } catch (error) { by("review").replaceChildren(element("p", { class: "error" }, error.message)); }
}

async function reviewRecord(record) {
  const out = by("review");
  try {
    const parts = [];
    for (let player = 0; player < record.players.length; player++) {
      const found = await ask("review", { game: record, player });
      const lost = found.decisions.filter((d) => d.loss >= 0.05).sort((a, b) => b.loss - a.loss);
      const words = (a) => a.hold ? (a.category ? "all dice" : "hold " + names(a.hold)) : `${a.category} for ${a.points + a.bonus}`;
      parts.push(element("h3", {}, `${found.player}: ${found.result.toFixed(found.finished ? 0 : 2)}`),
        element("p", {}, `Start ${found.start.toFixed(2)}, luck ${found.luck.toFixed(2)}, errors ${(-found.lost).toFixed(2)}. ` +
          Object.entries(found.grades).filter(([, n]) => n).map(([name, n]) => `${n} ${name}`).join(", ")),
        course(found), element("p", { class: "hint" }, "Solid: the expected score as the game went. Dashed: the same luck without errors."),
        element("table", { "aria-label": `Errors of ${found.player}` },
          element("thead", {}, element("tr", {}, ...["Turn", "Dice", "Done", "Best", "Lost"].map((t) => element("th", { scope: "col" }, t)))),
          element("tbody", {}, ...lost.slice(0, 20).map((d) => element("tr", {}, ...[`${d.turn}.${d.roll}`, d.dice.join(" "), `${words(d.done)} (${d.grade})`, words(d.best), d.loss.toFixed(2)].map((t) => element("td", {}, t)))))));
    }
    out.replaceChildren(...parts);
  } catch (error) { out.replaceChildren(element("p", { class: "error" }, error.message)); }
}

document.addEventListener("keydown", (event) => {
  const typing = /INPUT|SELECT|TEXTAREA/.test(event.target.tagName) && event.target.type !== "radio";
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !typing) {
    event.preventDefault();
    event.shiftKey ? travel(future, past) : travel(past, future);
  } else if (typing || event.ctrlKey || event.metaKey || event.altKey || event.target.type === "radio") return;
  else if (/^[1-9]$/.test(event.key) && Number(event.key) <= game().faces) addDie(Number(event.key));
  else if (event.key === "Backspace" && state.dice.length) change((s) => { s.dice.pop(); s.held.pop(); });
  else if (event.key === "Escape") clearDice();
});

async function start() {
  games = await (await fetch("/api/rules")).json();
  by("rules").replaceChildren(...games.map((g) => element("option", { value: g.id }, g.name)));
  by("rules").addEventListener("change", (event) => change((s) => Object.assign(s, empty(), { rules: event.target.value, left: games.find((g) => g.id === event.target.value).rolls - 1 })));
  by("undo").addEventListener("click", () => travel(past, future));
  by("redo").addEventListener("click", () => travel(future, past));
  by("clear").addEventListener("click", () => change((s) => Object.assign(s, empty(), { rules: s.rules, left: game().rolls - 1 })));
  by("record").addEventListener("change", (event) => event.target.files[0] && reviewFile(event.target.files[0]));
  by("roll").addEventListener("click", () => change((s) => reroll(s, true)));
  by("by-hand").addEventListener("click", () => change((s) => reroll(s, false)));
  by("review-own").addEventListener("click", () => reviewRecord(ownRecord()));
  by("save-own").addEventListener("click", () => {
    const link = element("a", { download: "games.jsonl", href: URL.createObjectURL(new Blob([JSON.stringify(ownRecord()) + "\n"])) });
    link.click();
    URL.revokeObjectURL(link.href);
  });
  by("goal").addEventListener("change", (event) => change((s) => { s.goal = event.target.value.replace(/\D/g, "").slice(0, 5); s.opponents = s.goal ? "" : s.opponents; }));
  by("opponents").addEventListener("change", (event) => change((s) => { s.opponents = event.target.value.trim(); s.goal = s.opponents ? "" : s.goal; }));
  by("ties").addEventListener("change", (event) => change((s) => { s.ties = event.target.value; }));
  by("saved").addEventListener("change", (event) => change((s) => { s.saved = Math.max(0, Math.trunc(Number(event.target.value)) || 0); s.left = mostLeft(); }));
  window.addEventListener("hashchange", () => { fromLink(); draw(); });
  fromLink();
  draw();
}
start();
