// The gallery of games: what each is, whether it is solved and what that costs, and the variants of the chosen one.
// Nothing changes before the game is played.
import { clearInvalid } from "../table/card.js";
import { sizeText, timeText } from "../table/solve.js";
import {
  button,
  byId,
  capitalize,
  dieFace,
  element,
  onClick,
  setEnabled,
  setFlag,
  showFieldError,
} from "../words/dom.js";
import { isInBrowser } from "../store/ask.js";
import { isGameStarted } from "../store/game.js";
import { _, formatNumber, language, ngettext } from "../words/i18n.js";
import { ownName } from "../store/own-rules.js";
import { addRuleFile, loadRules, loadStates, removeRuleFile, ruleSets } from "../store/rulesets.js";
import { changeWhenLoaded, onDraw, rules, startGame, state } from "../store/state.js";

const PICTURED_FACE = 5;
const NUMBER = /\d+/;
let chosen = null; // while the gallery is open: { base, active }

const isOpen = () => byId("rules-dialog").open;
const described = (base) => ruleSets.find((each) => each.id === base) || rules(); // rules not in the list are those shown

async function open() {
  const { base, active } = rules(),
    isListed = ruleSets.some(({ id }) => id === base); // its file may have been removed
  chosen = isListed ? { base, active: [...active] } : { base: firstGame(), active: [] };
  byId("find-game").value = "";
  showFieldError("rules", "");
  showAboutFiles();
  draw();
  byId("rules-dialog").showModal();
  focusChosen();
  await loadStates().catch(() => {}); // what was known before stays
  draw();
}

const firstGame = () => ruleSets[0].id;

function focusChosen() {
  const { input, card } = cardOf(chosen.base) ?? {};
  input?.focus();
  card?.scrollIntoView({ block: "nearest" });
}

// --- the games ---

let cards = []; // { base, card, input, state } of each
let builtFor = null;
const cardOf = (base) => cards.find((each) => each.base === base);

function draw() {
  if (!isOpen() && !chosen) return;
  if (builtFor !== ruleSets) {
    byId("rules").after(byId("game-more")); // it stays while the cards are replaced
    cards = shownOnce(ruleSets).map(newCard);
    byId("rules").replaceChildren(...cards.map(({ card }) => card));
    builtFor = ruleSets;
  }
  for (const each of cards) {
    const isChosen = each.base === chosen.base,
      { kind, text } = stateOf(described(each.base));
    each.input.checked = isChosen;
    each.card.classList.toggle("chosen", isChosen);
    each.state.textContent = text;
    each.state.className = `state ${kind}`;
  }
  drawFound();
  drawChosen();
}

// A rule file that was changed and added again replaces the card of the one before, which can be played on.
const shownOnce = (all) =>
  all.filter(
    (each, i) =>
      !ownName(each.id) ||
      each.id === rules().base ||
      !all.slice(i + 1).some((later) => ownName(later.id) && later.name === each.name),
  );

function newCard(each) {
  const input = element("input", {
    type: "radio",
    name: "game",
    value: each.id,
    on: { change: () => choose(each.id, []) },
  });
  const shown = element("small", { class: "state" });
  const row = element(
    "label",
    {},
    input,
    element(
      "span",
      { class: "game-dice", role: "img", "aria-label": diceCount(each) },
      dieFace(PICTURED_FACE),
      element("span", { "aria-hidden": "true" }, `×${each.dice}`),
    ),
    element("b", {}, each.name),
    shown,
    element("small", { class: "game-line" }, lineOf(each)),
  );
  return { base: each.id, input, state: shown, card: element("div", { class: "game" }, row) };
}

const diceCount = ({ dice }) =>
  ngettext("{count} die", "{count} dice", dice, { count: formatNumber(dice) });

// What a game is, in one line.
export function lineOf({ categories, rolls, saved_rolls: isSaved, levels }) {
  const count = categories.length,
    average = levels.at(-1)?.average; // of perfect play
  return [
    ngettext("{count} box", "{count} boxes", count, { count: formatNumber(count) }),
    isSaved
      ? _("saved rolls")
      : ngettext("{count} roll", "{count} rolls", rolls, { count: formatNumber(rolls) }),
    average && _("average {mean}", { mean: formatNumber(average, 1) }),
  ]
    .filter(Boolean)
    .join(" · ");
}

// Whether the game is solved, and what that costs.
export function stateOf({ base, solved, approximate, cost }) {
  if (base === rules().base) return { kind: "playing", text: _("playing") };
  if (approximate) return { kind: "ready", text: _("approximate") };
  if (solved !== false) return { kind: "ready", text: _("ready") };
  return cost ? { kind: "costly", text: costOf(cost) } : { kind: "costly", text: _("by command") };
}

const costOf = ({ seconds, disk_bytes: disk }) =>
  disk ? `${timeText(seconds)}, ${sizeText(disk)}` : timeText(seconds);

function drawFound() {
  const wanted = byId("find-game").value.trim().toLocaleLowerCase(language);
  let count = 0;
  for (const { base, card } of cards) {
    const { name, summary } = described(base);
    card.hidden = !`${name} ${summary}`.toLocaleLowerCase(language).includes(wanted);
    if (!card.hidden) count++;
  }
  byId("games-found").textContent = ngettext("{count} game", "{count} games", count, {
    count: formatNumber(count),
  });
}

// --- the chosen game ---

function drawChosen() {
  const { base, active } = chosen,
    found = described(base),
    { card } = cardOf(base) ?? {},
    more = byId("game-more");
  if (card && more.parentElement !== card) card.append(more);
  drawSwitches(found, active);
  byId("remove-rules").hidden = !ownName(base);
  byId("remove-rules").textContent = _("Remove: {game}", { game: found.name });
  byId("summary").textContent = active.length
    ? _("Without variants: {summary}", { summary: found.summary })
    : found.summary;
  byId("game-reason").textContent = found.reason ? `${capitalize(found.reason)}.` : "";
  byId("rules-play").textContent =
    found.solved === false && !found.cost
      ? _("Play without advice")
      : _("Play {game}", { game: found.name });
}

function drawSwitches({ id: base, switches }, active) {
  const box = byId("switches"),
    key = `${base} ${language}`;
  if (box.dataset.builtFor !== key) {
    box.replaceChildren(
      element("legend", {}, _("Variants")),
      ...choicesOf(switches).map(drawChoice),
    );
    box.dataset.builtFor = key;
  }
  box.hidden = !switches.length;
  for (const input of box.querySelectorAll("input"))
    input.checked = input.value
      ? active.includes(input.value)
      : !valuesBeside(input).some((id) => active.includes(id));
}

// The variants as choices: those that exclude one another are one choice.
function choicesOf(switches) {
  const choices = [];
  for (const each of switches) {
    const among = choices.find((choice) => choice.every(({ id }) => each.excludes.includes(id)));
    if (among) among.push(each);
    else choices.push([each]);
  }
  return choices;
}

// Sentences that differ by their number are one sentence with numbers to choose from.
function drawChoice(choice, number) {
  const input = (type, id, text) =>
    element(
      "label",
      {},
      element("input", {
        type,
        value: id,
        name: `variant-${number}`,
        on: { change: chooseSwitches },
      }),
      element("span", {}, text),
    );
  const [first] = choice;
  if (choice.length === 1) return input("checkbox", first.id, capitalize(first.summary));
  const [frame, ...others] = new Set(choice.map(({ summary }) => summary.replace(NUMBER, "…"))),
    isNumber = !others.length && NUMBER.test(first.summary),
    name = isNumber ? capitalize(frame) : _("One of these");
  return element(
    "div",
    { role: "radiogroup", "aria-label": name, class: isNumber ? "numbers" : null },
    ...(isNumber ? [element("span", { "aria-hidden": "true", class: "name" }, name)] : []),
    input("radio", "", isNumber ? _("as usual") : capitalize(_("as usual"))),
    ...choice.map(({ id, summary }) =>
      input("radio", id, isNumber ? NUMBER.exec(summary)[0] : capitalize(summary)),
    ),
  );
}

const valuesBeside = (input) =>
  [...input.closest("[role=radiogroup]").querySelectorAll("input")]
    .map(({ value }) => value)
    .filter(Boolean);

function choose(base, active) {
  chosen = { base, active };
  showFieldError("rules", "");
  draw();
}

// Variants that the chosen one excludes are no longer chosen.
function chooseSwitches({ target }) {
  const { base } = chosen,
    added = described(base).switches.find((each) => each.id === target.value && target.checked);
  const active = [...byId("switches").querySelectorAll("input:checked")]
    .map((input) => input.value)
    .filter((id) => id && !added?.excludes.includes(id));
  choose(base, active);
}

// --- rule files of the player ---

// Adds, removes or brings back files; what went wrong is said.
async function changeFiles(change) {
  showAboutFiles();
  setFlag(byId("add-rules"), "aria-busy", true);
  setEnabled(byId("remove-rules"), false);
  try {
    await change();
  } catch (error) {
    draw();
    showAboutFiles((error.lines ?? [error.message]).join("\n"));
    byId("add-rules").scrollIntoView({ block: "nearest" });
  } finally {
    setFlag(byId("add-rules"), "aria-busy", false);
    setEnabled(byId("remove-rules"), true);
  }
}

function showAboutFiles(fault = "", ...status) {
  byId("own-rules-error").textContent = fault;
  byId("own-rules-status").replaceChildren(...status);
}

function chooseAdded(id) {
  if (!isOpen()) return;
  byId("find-game").value = "";
  choose(id, []);
  focusChosen();
}

const addFile = (file) =>
  file && changeFiles(async () => chooseAdded(await addRuleFile(await file.text(), file.name)));

// Earlier versions of the file, which have the same name, go with it.
const removeChosen = () =>
  changeFiles(async () => {
    const { name } = described(chosen.base),
      all = ruleSets.filter((each) => ownName(each.id) && each.name === name),
      ways = []; // to bring them back
    for (const { id } of all) ways.push(await removeRuleFile(id));
    if (!isOpen()) return;
    const undo = () =>
      changeFiles(async () => {
        for (const bringBack of ways) chooseAdded(await bringBack());
        showAboutFiles("", _("It is back."));
      });
    choose(firstGame(), []);
    const text = _("Removed: {game}. Games played with it stay.", { game: name });
    showAboutFiles("", text, " ", button(_("Undo"), undo, { id: "undo-removed-rules" }));
    byId("undo-removed-rules").focus();
  });

onClick("remove-rules", removeChosen);
onClick("add-rules", () => byId("rules-file").click());
byId("rules-file").addEventListener("change", async ({ target }) => {
  const [file] = target.files;
  await addFile(file);
  target.value = ""; // the same file, changed, can be chosen again
});
// A file may be dropped anywhere on the gallery: elsewhere the browser would leave the page.
const showTarget = (isOver) => byId("add-rules").classList.toggle("over", isOver);
byId("rules-dialog").addEventListener("dragover", (event) => {
  event.preventDefault();
  showTarget(true);
});
byId("rules-dialog").addEventListener("dragleave", () => showTarget(false));
byId("rules-dialog").addEventListener("drop", (event) => {
  event.preventDefault();
  showTarget(false);
  if (!isInBrowser) addFile(event.dataTransfer.files[0]);
});

// --- to play it ---

// Another choice, or Cancel, while the rules are on their way: these are no longer wanted.
async function play() {
  const own = chosen,
    { base, active } = own,
    spec = [base, ...active].join("+");
  const load = async () => {
    await loadRules(spec);
    if (chosen !== own) throw new Error();
  };
  try {
    if (!isShown(own)) {
      await changeWhenLoaded(
        load,
        (s) => {
          clearInvalid();
          if (rules().base === base) useVariant(s, spec);
          else startGame(s, spec);
        },
        () => noticeOfRules(base),
      );
    }
    if (chosen === own) byId("rules-dialog").close();
  } catch (error) {
    if (chosen === own) showFieldError("rules", error.message);
  }
}

const isShown = ({ base, active }) =>
  base === rules().base &&
  active.length === rules().active.length &&
  active.every((id) => rules().active.includes(id));

// A variant keeps the points that its boxes can hold.
function useVariant(s, spec) {
  s.rules = spec;
  const canHold = (id, points) =>
    rules().categories.some((category) => category.id === id && category.points.includes(points));
  for (const { card } of s.players)
    for (const [id, points] of Object.entries(card)) if (!canHold(id, points)) delete card[id];
  s.edited = s.edited || s.turns.length > 0;
}

function noticeOfRules(base) {
  if (rules().base !== base)
    return isGameStarted() ? _("The card was cleared for the other rules; Undo restores it.") : "";
  return state.turns.length
    ? _("The rules were changed: the game played here can no longer be reviewed; Undo restores it.")
    : "";
}

for (const id of ["game-button", "open-rules", "menu-rules"]) onClick(id, open);
byId("find-game").addEventListener("input", drawFound);
byId("find-game").addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault(); // the first game found, which is not played yet
  const found = cards.find(({ card }) => !card.hidden);
  if (!found) return;
  choose(found.base, found.base === chosen.base ? chosen.active : []);
  found.input.focus();
});
byId("rules-form").addEventListener("submit", (event) => {
  event.preventDefault();
  play();
});
byId("rules-dialog").addEventListener("close", () => {
  chosen = null;
});
onDraw(draw);
