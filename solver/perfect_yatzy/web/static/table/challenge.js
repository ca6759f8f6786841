// A challenge: a game whose dice a friend gets, too, by a link. The faces of die n in roll r of turn t are fixed. Players
// who keep different dice have different luck, so the end also compares the points that errors lost.
import { fixedDice } from "../engine/fixed-dice.js";
import { isWithin, personsOf, provideSameDice } from "../store/game.js";
import { MAX_NAME } from "../store/link.js";
import { setMode } from "../store/mode.js";
import { loadRules, ruleSets } from "../store/rulesets.js";
import { change, changeWhenLoaded, newPlayer, onDraw, startGame } from "../store/state.js";
import { byId, diceRow, onClick } from "../words/dom.js";
import { _, formatNumber } from "../words/i18n.js";
import { showRoom } from "./room.js";

const MAX_TEXT = 100, // as `yatzy play --same-dice` takes it
  MAX_CHOICES = 1000, // characters
  NEW_LENGTH = 8,
  LETTERS = "abcdefghijkmnpqrstuvwxyz23456789";

export const sameDice = (text, turn, roll, { dice, faces }) =>
  fixedDice(`perfect-yatzy challenge ${text} turn ${turn}`, roll, dice, faces);
provideSameDice(sameDice);

const newText = () =>
  [...crypto.getRandomValues(new Uint32Array(NEW_LENGTH))]
    .map((number) => LETTERS[number % LETTERS.length])
    .join("");

// Whether all rolls of a game are those that the text fixes: with dice of the table they are not.
export const isOfSameDice = ({ turns }, text, rules) =>
  turns.every(({ rolls, holds }, i) =>
    rolls.every((dice, j) => {
      const held = holds[j - 1] ?? []; // none before the first roll
      return isWithin([...held, ...sameDice(text, i + 1, j + 1, rules).slice(held.length)], dice);
    }),
  );

// --- the link ---

// { text, rules, name, score, lost, choices } of a link such as #challenge=k7wm2pxa&rules=yatzy&by=Ann&score=269&lost=7.0; score
// and lost are null where nobody has played yet, and the choices may be missing. Null if it is another link.
export function challengeOfLink(hash) {
  const link = new URLSearchParams(hash.slice(1)),
    text = link.get("challenge")?.slice(0, MAX_TEXT);
  if (!text) return null;
  const number = (field, form) =>
    form.test(link.get(field) ?? "") ? Number(link.get(field)) : null;
  const score = number("score", /^\d{1,5}$/),
    lost = number("lost", /^\d{1,4}(\.\d{1,2})?$/);
  return {
    text,
    rules: (link.get("rules") || "yatzy").replaceAll(" ", "+"),
    name: (link.get("by") ?? "").slice(0, MAX_NAME),
    ...(score !== null && lost !== null ? { score, lost } : { score: null, lost: null }),
    choices: link.get("choices")?.slice(0, MAX_CHOICES),
  };
}

export function linkOfChallenge({ text, rules, name, score, lost, choices }) {
  const link = new URLSearchParams({ challenge: text, rules });
  if (name) link.set("by", name);
  link.set("score", score);
  link.set("lost", lost.toFixed(1));
  if (choices) link.set("choices", choices);
  return `${location.href.split("#")[0]}#${link}`;
}

export const friendName = ({ name }) => name || _("A friend");

// --- a new game with these dice ---

function begin(s, text, challenge, spec = s.rules) {
  setMode("here"); // dice of the table are others
  startGame(s, spec);
  const [first] = personsOf(s.players);
  Object.assign(s, { players: [first ?? newPlayer()], player: 0, sameDice: text, challenge });
}

export function newChallenge() {
  change(
    (s) => begin(s, newText(), null),
    _("A new game. At the end you can send its dice to a friend; Undo brings the old game back."),
  );
  showRoom("play");
}

let offered = null; // by a link

function accept() {
  const { text, rules, name, score, lost, choices } = offered,
    challenge = score === null ? null : { name, score, lost, choices };
  byId("challenge-dialog").close();
  return changeWhenLoaded(
    () => loadRules(rules),
    (s) => begin(s, text, challenge, rules),
    () =>
      _("The same dice as {name}; Undo brings your own game back.", { name: friendName(offered) }),
  ).then(() => showRoom("play"));
}

async function offer() {
  const isKnown = ruleSets.some(({ id }) => id === offered.rules.split("+")[0]),
    found = isKnown && (await loadRules(offered.rules).catch(() => null));
  byId("challenge-error").textContent = found
    ? ""
    : _("The rules of this link are not available here.");
  byId("challenge-take").hidden = !found;
  byId("challenge-title").textContent =
    offered.score === null
      ? _("A game with the same dice")
      : _("{name} scored {points}. Your turn, the same dice.", {
          name: friendName(offered),
          points: formatNumber(offered.score),
        });
  byId("challenge-dice").replaceChildren(
    ...(found ? [diceRow(sameDice(offered.text, 1, 1, found))] : []),
  );
  byId("challenge-dialog").showModal();
}

function readLink() {
  offered = challengeOfLink(location.hash);
  if (!offered) return false;
  history.replaceState(history.state, "", "#");
  return true;
}

let isWaiting = readLink(); // until the page has its rules
window.addEventListener("hashchange", (event) => {
  if (!readLink()) return;
  event.stopImmediatePropagation();
  offer();
});
onDraw(() => {
  if (!isWaiting) return;
  isWaiting = false;
  offer();
});
onClick("challenge-take", accept);
onClick("new-challenge", newChallenge);
