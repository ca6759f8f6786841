// The score card: the boxes of the player whose turn it is, what this roll would score in each, the way to the bonus.
// A tap takes a box. In the edit mode every box is a field, for games that were not played here.
import { button, byId, element, isWholeNumber, onClick, setEnabled } from "../words/dom.js";
import { personsOf, playerName } from "../store/game.js";
import { _, formatNumber, language, ngettext, sentence, summarized } from "../words/i18n.js";
import { change, maxRerolls, rules, state, totals } from "../store/state.js";

const ROWS_OF_BONUS = 2; // height of the bonus in rows, for two columns of equal length; the total is one more

// Invalid input by the id of its field: it stays on the page until it is corrected.
const invalid = new Map();
let isEditing = false,
  chosen = null,
  chosenFor = -1; // the player whose card is shown; null: as the view says
let current = { boxes: null, bestBox: "", player: 0, phase: "start" }; // of the view
let pointsOfRoll = null; // by id, the boxes that may be taken now; null if there is no roll

export const clearInvalid = () => invalid.clear();

// Draws the card as the view of the page says.
export function setCardView(view) {
  current = view;
  pointsOfRoll =
    view.boxes && Object.fromEntries(view.boxes.map((entry) => [entry.category, entry]));
  drawCard();
}

const shownPlayer = () => chosen ?? current.player;
const viewed = () => state.players[shownPlayer()];
const isOwn = () => shownPlayer() === state.player;

function drawCard() {
  const key = `${state.player} ${current.phase === "over"}`;
  if (chosenFor !== key || chosen >= state.players.length) {
    chosen = null;
    chosenFor = key;
  }
  const builtFor = JSON.stringify([
    state.rules,
    language,
    isEditing && shownPlayer(),
    state.players.length,
  ]);
  // Rows are rebuilt for other rules only, so that what has the focus stays in place.
  if (byId("card").dataset.builtFor !== builtFor) build();
  byId("card").dataset.builtFor = builtFor;
  for (const category of rules().categories) drawBox(category);
  drawClosed();
  drawSums();
  drawHeads();
  drawPlayers();
  if (isEditing) {
    showValue("bonus_points", viewed().bonusPoints || "");
    showValue("saved", viewed().saved);
  }
  byId("edit-card").textContent = isEditing ? _("Done") : _("Edit the card");
  byId("left-line").hidden = !isEditing || !isOwn();
  byId("card-hint").hidden = !isEditing || invalid.size > 0;
  byId("card-error").replaceChildren(
    ...[...invalid.values()].map(({ message }) => element("p", {}, message)),
  );
  byId("ignored").hidden = !invalid.size;
  byId("ignored").textContent = ngettext(
    "One box of the card is wrong and not counted.",
    "{count} boxes of the card are wrong and not counted.",
    invalid.size,
    { count: formatNumber(invalid.size) },
  );
}

// --- the boxes ---

function build() {
  clearInvalid();
  const { categories, bonus } = rules(),
    columns = new Set(categories.map((category) => category.column)).size;
  const boxes = categories.map((category) => [
    category,
    isEditing ? fieldRow(category) : boxRow(category),
  ]);
  const upper = boxes.filter(([category]) => category.upper).map(([, row]) => row),
    lower = boxes.filter(([category]) => !category.upper).map(([, row]) => row);
  const bonuses = bonus
    ? bonus.steps.map((_steps, i) => element("li", { class: "bonus", id: `bonus-${i}` }))
    : [];
  // The upper boxes and the bonus stand on the left, with as many of the others as make both sides equally long.
  const sum = element(
    "li",
    { class: "row total" },
    element("span", { class: "name" }, _("Total")),
    ...state.players.map(() => element("b", { class: "points" })),
  );
  const before = upper.length + ROWS_OF_BONUS * bonuses.length + 1,
    moved = Math.max(0, Math.floor((lower.length - before) / 2));
  const side = (rows, name) =>
    element("ul", { class: "side", "aria-label": name }, ...headRow(), ...rows);
  byId("card").classList.toggle("many", columns > 1);
  byId("card").dataset.players = state.players.length;
  byId("card").replaceChildren(
    side(
      [...upper, ...bonuses, ...(columns > 1 ? [] : lower.slice(0, moved)), sum],
      _("Upper boxes"),
    ),
    side(columns > 1 ? lower : lower.slice(moved), _("Other boxes")),
  );
  byId("card").lang = language;
  byId("extra-fields").replaceChildren(...(isEditing ? extraFields() : []));
}

// The names above the columns. A screen reader has them beside the card.
function headRow() {
  if (state.players.length < 2 || isEditing) return [];
  const cells = state.players.map(() => element("span", { class: "points" }));
  return [
    element(
      "li",
      { class: "row heads", "aria-hidden": "true" },
      element("span", { class: "name" }),
      ...cells,
    ),
  ];
}

function boxRow(category) {
  const parts = [
    element("span", { class: "name" }, category.name),
    " ",
    ...state.players.map(() => element("span", { class: "points" })),
    element("span", { class: "unseen" }),
  ];
  const take = () => document.dispatchEvent(new CustomEvent("box-taken", { detail: category.id }));
  return element(
    "li",
    { class: "row" },
    button(parts, take, { id: `take-${category.id}`, class: "box" }),
  );
}

const field = (id, name, onChange) =>
  element("input", {
    id,
    inputmode: "numeric",
    autocomplete: "off",
    "aria-label": name,
    on: { change: (event) => onChange(event.target) },
  });

function fieldRow(category) {
  return element(
    "li",
    { class: "row" },
    element(
      "label",
      { class: "box", for: `box-${category.id}` },
      element("span", { class: "name" }, category.name),
    ),
    field("box-" + category.id, category.name, (input) => setBox(category, input)),
  );
}

function extraFields() {
  const line = (name, input) =>
    element("p", {}, element("label", { for: input.id }, name), " ", input);
  const fields = [];
  if (rules().bonus_points)
    fields.push(line(_("Bonus points"), field("bonus_points", _("Bonus points"), setBonusPoints)));
  if (rules().saved_rolls)
    fields.push(line(_("Saved rolls"), field("saved", _("Saved rolls"), setSaved)));
  return fields;
}

function drawBox(category) {
  if (isEditing) {
    showValue("box-" + category.id, viewed().card[category.id] ?? "");
    return;
  }
  const box = byId(`take-${category.id}`),
    cells = [...box.querySelectorAll("span")].slice(1),
    words = cells.pop();
  const points = viewed().card[category.id],
    isFilled = points !== undefined;
  const entry = isOwn() && !isFilled && pointsOfRoll ? pointsOfRoll[category.id] : null;
  cells.forEach((cell, i) => {
    const scored = state.players[i].card[category.id];
    cell.className =
      "points" +
      (scored !== undefined ? (scored ? " scored" : " crossed") : "") +
      (i === shownPlayer() ? " own" : "");
    cell.textContent = scored !== undefined ? formatNumber(scored) : "";
  });
  const chip = cells[shownPlayer()];
  box.parentElement.classList.toggle("filled", isFilled);
  box.classList.toggle("best", Boolean(entry) && category.id === current.bestBox);
  if (entry) {
    const isPaid = entry.points + (entry.bonus_points || 0) > 0;
    chip.classList.add("now", ...(isPaid ? [] : ["zero"]));
    chip.textContent = entry.bonus_points
      ? `${formatNumber(entry.points)} + ${formatNumber(entry.bonus_points)}`
      : isPaid
        ? formatNumber(entry.points)
        : "·";
  }
  words.textContent =
    " " +
    (isFilled
      ? _("points, filled")
      : entry
        ? category.id === current.bestBox
          ? _("points for this roll, the best box")
          : entry.points
            ? _("points for this roll")
            : _("0 points for this roll")
        : pointsOfRoll && isOwn()
          ? _("open, cannot take this roll")
          : isOwn()
            ? _("open, roll first")
            : _("open"));
  setEnabled(box, entry);
  box.tabIndex = entry ? 0 : -1;
}

// Why open boxes are closed: the order of the boxes, or a joker.
function drawClosed() {
  const open = rules().categories.filter((category) => viewed().card[category.id] === undefined);
  const next =
    pointsOfRoll && isOwn()
      ? open.filter((category) => category.id in pointsOfRoll)
      : rules().forced
        ? open.slice(0, 1)
        : open;
  const fields = { box: next[0]?.name },
    isClosed = !isEditing && next.length > 0 && next.length < open.length;
  byId("card-closed").textContent = !isClosed
    ? ""
    : rules().forced
      ? _("The boxes are filled in order: {box} is next.", fields)
      : next.length === 1
        ? _("The rules allow only {box} for this roll.", fields)
        : _("The rules close some boxes for this roll.");
}

// --- sums ---

// How far a player is on the way to the bonus of a column.
function wayToBonus(player, i) {
  const column = totals(player).columns[i],
    [threshold, points] = column.next;
  const upper = rules().categories.filter((box) => box.upper && box.column === i);
  const faces = upper.reduce((total, _box, at) => total + at + 1, 0);
  const filled = upper
    .map((box, at) => [player.card[box.id], (threshold * (at + 1)) / faces])
    .filter(([value]) => value !== undefined);
  const above = filled.reduce((total, [value, par]) => total + value - par, 0),
    isReached = column.sum >= threshold;
  return {
    ...column,
    threshold,
    points,
    above,
    filled: filled.length,
    isReached,
    mark: isReached || above > 0 ? " good" : above < 0 ? " bad" : "",
  };
}

function drawBonus(i) {
  const ways = state.players.map((player) => wayToBonus(player, i)),
    way = ways[shownPlayer()],
    isTable = ways.length > 1 && !isEditing;
  const fields = {
    sum: formatNumber(way.sum),
    threshold: formatNumber(way.threshold),
    points: formatNumber(way.points),
    paid: formatNumber(way.paid),
  };
  const text = way.isReached
    ? _("bonus {paid}", fields)
    : way.paid
      ? _("{paid} so far, {points} at {threshold}", fields)
      : parText(way.above, way.filled);
  byId(`bonus-${i}`).replaceChildren(
    isTable
      ? upperSums(ways, _("Upper, of {threshold}", fields))
      : element("span", { id: i ? null : "upper" }, _("Upper {sum} of {threshold}", fields)),
    bonusBar(way),
    ...(isTable && ways.length === 2 ? [bonusBar(ways[1 - shownPlayer()], " other")] : []),
    element(
      "span",
      { class: "bonus-line" },
      element("span", { class: "hint" }, way.isReached ? "" : _("Bonus {points}", fields)),
      " ",
      element("span", { class: "par" + way.mark, id: i ? null : "bonus" }, text),
    ),
  );
}

// The upper sums of all players, in their columns.
const upperSums = (ways, name) =>
  element(
    "span",
    { class: "upper-sums" },
    element("span", { class: "name" }, name),
    ...ways.flatMap(({ sum, mark }, player) => [
      " ",
      element(
        "span",
        { class: `points par${mark}${player === shownPlayer() ? " own" : ""}` },
        formatNumber(sum),
      ),
    ]),
  );

const bonusBar = ({ sum, threshold }, kind = "") =>
  element(
    "span",
    { class: "track" + kind, "aria-hidden": "true" },
    element("span", { style: `width: ${Math.min(100, (100 * sum) / threshold).toFixed(0)}%` }),
  );

function drawSums() {
  totals(viewed()).columns.forEach((_column, i) => drawBonus(i));
  byId("card")
    .querySelectorAll(".total b")
    .forEach((cell, i) => {
      cell.id = i === shownPlayer() ? "total" : "";
      cell.classList.toggle("own", i === shownPlayer());
      cell.textContent = formatNumber(totals(state.players[i]).all);
    });
  const { bonusPoints, saved } = viewed(),
    extras = [];
  if (rules().bonus_points && bonusPoints)
    extras.push(_("Bonus points {points}", { points: formatNumber(bonusPoints) }));
  if (rules().saved_rolls)
    extras.push(
      ngettext("{count} saved roll", "{count} saved rolls", saved, { count: formatNumber(saved) }),
    );
  byId("extras").textContent = extras.join(" · ");
}

// On course are three of each number (or what the threshold demands) in the boxes filled so far.
function parText(above, filled) {
  if (!filled) return "";
  const decimals = Number.isInteger(above) ? 0 : 1,
    points = formatNumber(Math.abs(above), decimals);
  return above > 0
    ? _("{points} ahead", { points })
    : above < 0
      ? _("{points} behind", { points })
      : _("on course");
}

// --- players ---

// A person's name, cut off where it is long; a number where there is none; a computer is a disc with its letter.
function drawHeads() {
  const isOnly = personsOf(state.players).length === 1;
  for (const cells of byId("card").querySelectorAll(".heads"))
    state.players.forEach(({ name, computer }, i) => {
      const cell = cells.children[i + 1];
      cell.className = "points" + (i === shownPlayer() ? " own" : "");
      cell.replaceChildren(
        computer
          ? element("i", {}, [...playerName(i)][0])
          : name || (isOnly ? _("You") : formatNumber(i + 1)),
      );
    });
}

// In place: a field that is left by a tap on a name is read before the tap ends.
function drawPlayers() {
  const box = byId("who"),
    count = state.players.length;
  box.hidden = count < 2;
  while (box.children.length > count) box.lastChild.remove();
  while (box.children.length < count) {
    const i = box.children.length;
    box.append(
      button([element("span"), " ", element("b"), element("small")], () => {
        chosen = i;
        drawCard();
      }),
    );
  }
  state.players.forEach((player, i) => {
    const each = box.children[i],
      isTurn = i === state.player && current.phase !== "over";
    each.className = "who" + (isTurn ? " turn" : "");
    each.setAttribute("aria-pressed", String(i === shownPlayer()));
    [playerName(i), formatNumber(totals(player).all), isTurn ? " " + _("to play") : ""].forEach(
      (text, at) => {
        each.children[at].textContent = text;
      },
    );
  });
}

// --- editing ---

function showValue(id, value) {
  const input = byId(id);
  if (!input) return;
  const entry = invalid.get(id);
  if (entry && entry.before === String(value)) {
    if (input !== document.activeElement) input.value = entry.text; // not corrected yet
  } else {
    invalid.delete(id);
    input.removeAttribute("aria-invalid");
    input.removeAttribute("aria-describedby");
    if (input !== document.activeElement || input.value.trim() === String(value))
      input.value = value;
  }
}

function markInvalid(input, before, message) {
  invalid.set(input.id, { text: input.value, before: String(before), message });
  input.setAttribute("aria-invalid", "true");
  input.setAttribute("aria-describedby", "card-error");
  drawCard();
}

// A game can be reviewed only if every turn was played on the page.
function editByHand(edit, input) {
  invalid.delete(input.id);
  const wasReviewable = state.turns.length > 0 && !state.edited;
  change(
    (s) => {
      const player = s.players[shownPlayer()];
      edit(player, s);
      s.edited = Boolean(
        s.turns.length || player.bonusPoints || player.saved || Object.keys(player.card).length,
      );
    },
    wasReviewable
      ? _(
          "The card was changed by hand: the game played here can no longer be reviewed; Undo restores it.",
        )
      : "",
  );
}

function setBox(category, input) {
  const text = input.value.trim().toLowerCase(),
    possible = category.points;
  const points = text === "x" || text === "-" ? 0 : /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (text !== "" && !possible.includes(points)) {
    const text = _("{category} cannot hold {points}; it can hold {possible}", {
      category: category.name,
      points: input.value,
      possible: summarized(possible),
    });
    markInvalid(input, viewed().card[category.id] ?? "", sentence(text));
    return;
  }
  if (text === "" ? !(category.id in viewed().card) : viewed().card[category.id] === points) {
    invalid.delete(input.id);
    drawCard();
    return;
  }
  editByHand((player) => {
    if (text === "") delete player.card[category.id];
    else player.card[category.id] = points;
  }, input);
}

function setBonusPoints(input) {
  const text = input.value.trim() || "0";
  if (!isWholeNumber(text))
    markInvalid(
      input,
      viewed().bonusPoints || "",
      _("Bonus points must be a whole number, not “{text}”.", { text }),
    );
  else
    editByHand((player) => {
      player.bonusPoints = Number(text);
    }, input);
}

function setSaved(input) {
  const text = input.value.trim(),
    turns = Object.keys(viewed().card).length,
    max = Math.min(100, turns * (rules().rolls - 1));
  if (!isWholeNumber(text) || Number(text) > max)
    markInvalid(
      input,
      viewed().saved,
      ngettext(
        "After {turns} turn there are 0 to {max} saved rolls, not “{text}”.",
        "After {turns} turns there are 0 to {max} saved rolls, not “{text}”.",
        turns,
        { turns, max, text },
      ),
    );
  else
    editByHand((player, s) => {
      player.saved = Number(text);
      if (isOwn()) s.left = maxRerolls();
    }, input);
}

onClick("edit-card", () => {
  isEditing = !isEditing;
  chosen = isEditing ? shownPlayer() : null;
  drawCard();
  if (isEditing) byId("card").querySelector("input").focus();
});
