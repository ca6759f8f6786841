// The score card: boxes to fill in, the upper sum, the bonus, what stands beside the boxes, and the total.
import { by, element } from "./parts.js";
import { change, game, language, mostLeft, state, total } from "./state.js";

const wrong = new Map(); // what was typed and cannot be, by the id of its field: it stays until it is mended

export function forgetWrong() {
  wrong.clear();
}

export function drawCard() {
  const sheet = by("card"), made = `${state.rules} ${language}`;
  // Rows are made anew for other rules only: a box must not vanish under the cursor that is moving into it.
  if (sheet.dataset.made !== made) build(sheet);
  sheet.dataset.made = made;
  for (const box of game().categories) show("box-" + box.id, state.card[box.id] ?? "");
  show("bonus_points", state.bonusPoints || "");
  show("saved", state.saved);
  const sum = total(), { bonus } = game();
  if (bonus) {
    by("upper").textContent = `${sum.upper} of ${bonus.threshold}`;
    by("bonus").textContent = sum.bonus || "–";
  }
  by("total").textContent = sum.all;
  by("saved-line").hidden = !game().saved_rolls;
  const faults = [...wrong.values()].map((fault) => fault.why);
  by("card-error").textContent = faults.join(" ");
  by("card-hint").hidden = faults.length > 0;
}

function build(sheet) {
  forgetWrong();
  const field = (id, name, changed) => element("input", {
    id, inputmode: "numeric", autocomplete: "off", "aria-label": name, on: { change: (event) => changed(event.target) },
  });
  const row = (name, cell) => element("tr", {}, element("th", { scope: "row" }, name), element("td", { class: "number" }, cell));
  const { bonus, bonus_points: paysBonusPoints, categories } = game();
  const sum = (id) => element("span", { id });
  sheet.tBodies[0].lang = language;
  sheet.tBodies[0].replaceChildren(...categories.map((box) =>
    row(box.name, field("box-" + box.id, box.name + " points", (input) => setBox(box, input)))));
  const foot = [];
  if (bonus) foot.push(row("Upper sum", sum("upper")), row(`Bonus of ${bonus.points}`, sum("bonus")));
  if (paysBonusPoints) foot.push(row("Bonus points", field("bonus_points", "Bonus points", setBonusPoints)));
  foot.push(row("Total", sum("total")));
  sheet.tFoot.replaceChildren(...foot);
}

function show(id, value) {
  const input = by(id);
  if (!input) return;
  const fault = wrong.get(id);
  if (fault && fault.before === String(value)) {
    input.value = fault.text; // still to be mended
  } else {
    wrong.delete(id);
    input.removeAttribute("aria-invalid");
    input.removeAttribute("aria-describedby");
    if (input !== document.activeElement || input.value.trim() === String(value)) input.value = value;
  }
}

function refuse(input, before, why) {
  wrong.set(input.id, { text: input.value, before: String(before), why });
  input.setAttribute("aria-invalid", "true");
  input.setAttribute("aria-describedby", "card-error");
  drawCard();
}

// What is played here can be reviewed as long as nobody writes on the card by hand.
export function byHand(s, edit) {
  const whole = s.turns.length > 0 && !s.edited;
  change((now) => {
    edit(now);
    now.edited = Boolean(now.turns.length || now.bonusPoints || now.saved || Object.keys(now.card).length);
  }, whole ? "The card was changed by hand: the game played here can no longer be reviewed; Undo brings it back." : "");
}

function setBox(box, input) {
  const text = input.value.trim().toLowerCase();
  const points = text === "x" || text === "-" ? 0 : /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (text !== "" && !box.points.includes(points)) {
    const more = box.points.length > 12 ? " …, at most " + box.points[box.points.length - 1] : "";
    refuse(input, state.card[box.id] ?? "", `${box.name} cannot hold ${input.value}. It can hold ${box.points.slice(0, 12).join(", ")}${more}.`);
    return;
  }
  wrong.delete(input.id);
  if (text === "" ? !(box.id in state.card) : state.card[box.id] === points) { drawCard(); return; }
  byHand(state, (s) => { if (text === "") delete s.card[box.id]; else s.card[box.id] = points; });
}

function setBonusPoints(input) {
  const text = input.value.trim();
  if (text !== "" && !/^\d{1,5}$/.test(text)) {
    refuse(input, state.bonusPoints || "", `Bonus points are a whole number, not “${text}”.`);
    return;
  }
  wrong.delete(input.id);
  byHand(state, (s) => { s.bonusPoints = Number(text); });
}

export function setSaved(input) {
  const text = input.value.trim(), turns = Object.keys(state.card).length, most = Math.min(100, turns * (game().rolls - 1));
  if (!/^\d{1,3}$/.test(text) || Number(text) > most) {
    refuse(input, state.saved, `After ${turns} turns there are 0 to ${most} saved rolls, not “${text}”.`);
    return;
  }
  wrong.delete(input.id);
  byHand(state, (s) => { s.saved = Number(text); s.left = mostLeft(); });
}
