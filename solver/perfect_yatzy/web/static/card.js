// The scorecard: boxes to fill in, the upper sum, the upper bonus, the bonus points and the total.
import { byId, element } from "./dom.js";
import { change, maxRerolls, me, onDraw, rules, state, totals } from "./state.js";
import { language } from "./rulesets.js";

const LISTED_POINTS = 12; // in the message for a box that cannot hold the points entered

// Invalid input by the id of its field: it stays on the page until it is corrected.
const invalid = new Map();

export function clearInvalid() {
  invalid.clear();
}

function drawCard() {
  const card = byId("card"), builtFor = `${state.rules} ${language}`;
  // Rows are rebuilt for other rules only, so that the field with the focus stays in place.
  if (card.dataset.builtFor !== builtFor) build(card);
  card.dataset.builtFor = builtFor;
  for (const category of rules().categories) showValue("box-" + category.id, me().card[category.id] ?? "");
  showValue("bonus_points", me().bonusPoints || "");
  showValue("saved", me().saved);
  const sums = totals(), { bonus } = rules();
  if (bonus) {
    byId("upper").textContent = `${sums.upper} of ${bonus.threshold}`;
    byId("bonus").textContent = sums.upperBonus || "–";
  }
  byId("total").textContent = sums.all;
  byId("saved-line").hidden = !rules().saved_rolls;
  const messages = [...invalid.values()].map((entry) => entry.message);
  byId("card-error").textContent = messages.join(" ");
  byId("card-hint").hidden = messages.length > 0;
}

function build(card) {
  clearInvalid();
  const field = (id, name, onChange) => element("input", {
    id, inputmode: "numeric", autocomplete: "off", "aria-label": name, on: { change: (event) => onChange(event.target) },
  });
  const row = (name, cell) => element("tr", {}, element("th", { scope: "row" }, name), element("td", { class: "number" }, cell));
  const sum = (id) => element("span", { id });
  const { bonus, bonus_points: paysBonusPoints, categories } = rules();
  card.tBodies[0].lang = language;
  card.tBodies[0].replaceChildren(...categories.map((category) =>
    row(category.name, field("box-" + category.id, category.name + " points", (input) => setBox(category, input)))));
  const footer = [];
  if (bonus) footer.push(row("Upper sum", sum("upper")), row(`Upper bonus of ${bonus.points}`, sum("bonus")));
  if (paysBonusPoints) footer.push(row("Bonus points", field("bonus_points", "Bonus points", setBonusPoints)));
  footer.push(row("Total", sum("total")));
  card.tFoot.replaceChildren(...footer);
}

function showValue(id, value) {
  const input = byId(id);
  if (!input) return;
  const entry = invalid.get(id);
  if (entry && entry.before === String(value)) {
    input.value = entry.text; // not corrected yet
  } else {
    invalid.delete(id);
    input.removeAttribute("aria-invalid");
    input.removeAttribute("aria-describedby");
    if (input !== document.activeElement || input.value.trim() === String(value)) input.value = value;
  }
}

function markInvalid(input, before, message) {
  invalid.set(input.id, { text: input.value, before: String(before), message });
  input.setAttribute("aria-invalid", "true");
  input.setAttribute("aria-describedby", "card-error");
  drawCard();
}

// A game can be reviewed only if every turn was played on the page.
function editByHand(edit) {
  const wasReviewable = state.turns.length > 0 && !state.edited;
  change((s) => {
    const player = s.players[s.player];
    edit(player, s);
    s.edited = Boolean(s.turns.length || player.bonusPoints || player.saved || Object.keys(player.card).length);
  }, wasReviewable ? "The card was changed by hand: the game played here can no longer be reviewed; Undo restores it." : "");
}

function setBox(category, input) {
  const text = input.value.trim().toLowerCase(), possible = category.points;
  const points = text === "x" || text === "-" ? 0 : /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (text !== "" && !possible.includes(points)) {
    const more = possible.length > LISTED_POINTS ? " …, at most " + possible[possible.length - 1] : "";
    markInvalid(input, me().card[category.id] ?? "",
      `${category.name} cannot hold ${input.value}. It can hold ${possible.slice(0, LISTED_POINTS).join(", ")}${more}.`);
    return;
  }
  invalid.delete(input.id);
  if (text === "" ? !(category.id in me().card) : me().card[category.id] === points) { drawCard(); return; }
  editByHand((player) => { if (text === "") delete player.card[category.id]; else player.card[category.id] = points; });
}

function setBonusPoints(input) {
  const text = input.value.trim();
  if (text !== "" && !/^\d{1,5}$/.test(text)) {
    markInvalid(input, me().bonusPoints || "", `Bonus points must be a whole number, not “${text}”.`);
    return;
  }
  invalid.delete(input.id);
  editByHand((player) => { player.bonusPoints = Number(text); });
}

export function setSaved(input) {
  const text = input.value.trim(), turns = Object.keys(me().card).length, max = Math.min(100, turns * (rules().rolls - 1));
  if (!/^\d{1,3}$/.test(text) || Number(text) > max) {
    markInvalid(input, me().saved, `After ${turns} turns there are 0 to ${max} saved rolls, not “${text}”.`);
    return;
  }
  invalid.delete(input.id);
  editByHand((player, s) => { player.saved = Number(text); s.left = maxRerolls(); });
}

onDraw(drawCard);
