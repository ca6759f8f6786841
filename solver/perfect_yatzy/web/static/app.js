// The page: what each control does, and what is drawn after a change.
import { get } from "./ask.js";
import { drawAdvice, instead, say, showAll } from "./advice.js";
import { drawCard, forgetWrong, setSaved } from "./card.js";
import { addDie, clearDice, drawDice, drawPlay, ownRecord, removeDie, reroll } from "./dice.js";
import { drawChart, drawExpect, readOut } from "./expect.js";
import { able, by, element, many, names, pressed, whole } from "./parts.js";
import { reviewChosen, reviewFile, reviewRecord } from "./review.js";
import { begin, change, fresh, game, games, heldDice, know, language, notice, redo, speak, state, total, undo, undoable } from "./state.js";

const LANGUAGE = "perfect-yatzy-language";
let aimFault = "";

function draw() {
  drawRules();
  drawCard();
  drawDice();
  drawPlay();
  drawAim();
  const [back, forth] = undoable();
  able(by("undo"), back);
  able(by("redo"), forth);
  drawAdvice();
  drawExpect();
  // On paper the controls are left out; what they say is not.
  by("sheet-head").textContent = [game().name, ...game().switches.filter((each) => game().active.includes(each.id)).map((each) => each.summary),
    `dice ${names(state.dice)}`, `held ${names(heldDice())}`, many(state.left, "reroll left", "rerolls left"), `total ${total().all}`,
    state.aim === "goal" ? `goal ${state.goal}` : state.aim === "win" ? `against ${state.opponents}` : ""].filter(Boolean).join(" · ");
}

function drawRules() {
  by("rules").value = game().base;
  const box = by("switches"), made = `${game().base} ${language}`;
  if (box.dataset.made !== made) {
    box.replaceChildren(element("legend", {}, "Variants"), ...game().switches.map((each) => element("label", {},
      element("input", { type: "checkbox", value: each.id, on: { change: switchRules } }), " " + each.summary)));
    box.dataset.made = made;
  }
  box.hidden = !game().switches.length;
  for (const input of box.querySelectorAll("input")) input.checked = game().active.includes(input.value);
  by("summary").textContent = game().summary;
}

async function otherRules(rules, edit, words) {
  try {
    await know(rules);
    change((s) => edit(s), words);
  } catch (error) {
    notice(error.message);
    draw();
  }
}

const started = () => Object.keys(state.card).length || state.dice.length || state.turns.length;

function chooseRules(event) {
  forgetWrong();
  otherRules(event.target.value, (s) => fresh(s, event.target.value), started() ? "The card was cleared for the other rules; Undo brings it back." : "");
}

// Variants of a game keep its card, as far as their boxes can hold it.
function switchRules() {
  const on = [...by("switches").querySelectorAll("input:checked")].map((input) => input.value);
  const rules = [game().base, ...on].join("+");
  otherRules(rules, (s) => {
    s.rules = rules;
    for (const [id, points] of Object.entries(s.card)) {
      if (!game().categories.some((box) => box.id === id && box.points.includes(points))) delete s.card[id];
    }
    s.edited = s.edited || s.turns.length > 0;
  }, state.turns.length ? "The rules were changed: the game played here can no longer be reviewed; Undo brings it back." : "");
}

// What is played for: the chosen one of three; what was typed for the others stays.
function drawAim() {
  by("aim-kind").value = state.aim;
  by("goal-line").hidden = state.aim !== "goal";
  by("win-lines").hidden = state.aim !== "win";
  if (!aimFault) { by("goal").value = state.goal; by("opponents").value = state.opponents; }
  by("ties").value = state.ties;
  by("aim-error").textContent = aimFault;
  for (const id of ["goal", "opponents"]) by(id).removeAttribute("aria-invalid");
}

function setGoal(event) {
  const text = event.target.value.trim();
  aimFault = "";
  if (text !== "" && !whole(text)) {
    aimFault = `A goal is a whole number from 0 to 99999, not “${text}”.`;
    drawAim();
    event.target.setAttribute("aria-invalid", "true");
    return;
  }
  change((s) => { s.goal = text; });
}

async function chooseLanguage(code) {
  try {
    await speak(code);
  } catch (error) { notice(error.message); return; }
  try { localStorage.setItem(LANGUAGE, code); } catch { /* then it is asked again next time */ }
  by("rules").replaceChildren(...games.map((each) => element("option", { value: each.id }, each.name)));
}

function save(record) {
  const link = element("a", { download: "games.jsonl", href: URL.createObjectURL(new Blob([JSON.stringify(record) + "\n"])) });
  link.click();
  URL.revokeObjectURL(link.href);
}

document.addEventListener("keydown", (event) => {
  const target = event.target, kind = target.type;
  const typing = /SELECT|TEXTAREA/.test(target.tagName) || (target.tagName === "INPUT" && kind !== "radio" && kind !== "checkbox" && kind !== "file");
  if (typing || !games.length || event.altKey) return;
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") {
    event.preventDefault();
    if (event.shiftKey) redo(); else undo();
  } else if (event.ctrlKey || event.metaKey || kind === "radio") return;
  else if (/^[1-9]$/.test(event.key) && Number(event.key) <= game().faces) addDie(Number(event.key));
  else if (event.key === "Backspace") removeDie();
  else if (event.key === "Escape") clearDice();
});

function wire() {
  const changed = (id, run) => by(id).addEventListener("change", run);
  changed("rules", chooseRules);
  changed("language", async (event) => { await chooseLanguage(event.target.value); draw(); });
  changed("saved", (event) => setSaved(event.target));
  changed("aim-kind", (event) => { aimFault = ""; change((s) => { s.aim = event.target.value; }); });
  changed("goal", setGoal);
  changed("opponents", (event) => change((s) => { s.opponents = event.target.value.trim(); }));
  changed("ties", (event) => change((s) => { s.ties = event.target.value; }));
  changed("record", (event) => { if (event.target.files[0]) reviewFile(event.target.files[0]); event.target.value = ""; });
  changed("which", reviewChosen);
  by("at-least").addEventListener("input", (event) => { event.target.dataset.chosen = event.target.value; readOut(); });
  pressed("undo", undo);
  pressed("redo", redo);
  pressed("clear", () => { forgetWrong(); if (started()) change((s) => fresh(s), "Cleared; Undo brings it back."); else draw(); });
  pressed("roll", () => reroll(true));
  pressed("by-hand", () => reroll(false));
  pressed("more", showAll);
  pressed("instead", instead);
  pressed("review-own", () => reviewRecord(ownRecord()));
  pressed("save-own", () => save(ownRecord()));
  by("skip").addEventListener("click", (event) => { event.preventDefault(); by("advice-title").focus(); }); // the link's hash is the position
  window.addEventListener("resize", drawChart);
}

async function start() {
  try {
    const codes = await get("languages", {});
    by("language").replaceChildren(...Object.entries(codes).map(([code, name]) => element("option", { value: code, lang: code }, name)));
    let code = "en";
    try { code = localStorage.getItem(LANGUAGE) || "en"; } catch { /* English, then */ }
    by("language").value = code in codes ? code : "en";
    await chooseLanguage(by("language").value);
    wire();
    await begin(draw);
  } catch (error) { say(error.message, true); }
}
start();
