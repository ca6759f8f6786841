// The position as a link: what a link says, and what is wrong with one.
import { isWholeNumber } from "../words/dom.js";
import { _ } from "../words/i18n.js";
import { ownName } from "./own-rules.js";
import { loadRules, ruleSets } from "./rulesets.js";

const MAX_SAVED = 100,
  MAX_POINTS = 99999,
  MAX_SEATS = 8,
  MAX_FAULTS = 3, // that are said
  MAX_CITED = 20; // characters of what is wrong
export const MAX_NAME = 30; // of a player
// As in the addresses of the API.
const POSITION_FIELDS = [
  "rules",
  "card",
  "bonus_points",
  "saved",
  "dice",
  "rolls_left",
  "goal",
  "opponents",
  "ties",
];
const FIELDS = [...POSITION_FIELDS, "player", "turn"];
const GLYPHS = "⚀⚁⚂⚃⚄⚅";

// The faces of a text such as 33456, 3 3 4 5 6, 3,3,4,5,6 or ⚂⚂⚃⚄⚅; null if it is something else.
export function parseDice(text, faces) {
  const symbols = [...text.replace(/[\s,;-]+/g, "")];
  const dice = symbols.map((symbol) =>
    GLYPHS.includes(symbol) ? GLYPHS.indexOf(symbol) + 1 : Number(symbol),
  );
  return dice.every((face) => face >= 1 && face <= faces) ? dice : null;
}

export const cardText = (card) =>
  Object.entries(card)
    .map(([category, points]) => `${category}=${points}`)
    .join(" ");

export const AT_TABLE = "table"; // the opponents are the other players of the link

// A player of a link, "Ann: ones=3 extra=50 saved=1".
const playerText = ({ name, card, bonusPoints, saved }) =>
  `${name}: ` +
  [cardText(card), bonusPoints && `extra=${bonusPoints}`, saved && `saved=${saved}`]
    .filter(Boolean)
    .join(" ");

// `fields`: rules, card, bonusPoints, saved, dice, left; goal or opponents and ties, if they are maximised; players, in the order
// of play, and the number of the one whose turn it is and who has the card, where there are several or one has a name.
export function toLink(fields) {
  const link = new URLSearchParams({ rules: fields.rules });
  if (Object.keys(fields.card).length) link.set("card", cardText(fields.card));
  if (fields.bonusPoints) link.set("bonus_points", fields.bonusPoints);
  if (fields.saved) link.set("saved", fields.saved);
  if (fields.dice.length) link.set("dice", fields.dice.join(""));
  link.set("rolls_left", fields.left);
  if (fields.goal) link.set("goal", fields.goal);
  if (fields.opponents) {
    link.set("opponents", fields.opponents);
    link.set("ties", fields.ties);
  }
  const { players = [], player = 0 } = fields;
  for (const [i, each] of players.entries())
    link.append("player", i === player ? `${each.name}:` : playerText(each));
  if (player) link.set("turn", player + 1);
  return "#" + link;
}

const emptyPosition = (spec, rolls) => ({
  rules: spec,
  card: {},
  bonusPoints: 0,
  saved: 0,
  dice: [],
  left: rolls - 1,
  goal: "",
  opponents: "",
  ties: "loss",
  players: [],
  player: 0,
});

const cited = (text) => (text.length > MAX_CITED ? `${text.slice(0, MAX_CITED)}…` : text);

// The fields of a link as for `toLink`, and one sentence for each part of it that is wrong.
export async function fromLink(hash) {
  const link = new URLSearchParams(hash.slice(1)),
    faults = [],
    usual = usualRules();
  const spec = (link.get("rules") || usual).trim().replaceAll(" ", "+"); // a plus sign that is not escaped reads as a space
  try {
    if (!ownName(spec) && !ruleSets.some((each) => each.id === spec.split("+")[0]))
      throw new Error(_("They are not in its list."));
    await loadRules(spec);
  } catch (error) {
    const shown = await loadRules(usual),
      fields = { spec: cited(spec), game: shown.name };
    return [
      emptyPosition(usual, shown.rolls),
      [
        _("The rules “{spec}” are not available on this page, which shows {game} instead.", fields),
        error.message,
      ],
    ];
  }
  const ruleSet = await loadRules(spec),
    found = emptyPosition(spec, ruleSet.rolls);
  found.card = readCard(link.get("card") || "", ruleSet, faults);
  // A number of the link, or another text; null if it is missing, too large or not used by the rules.
  const readNumber = (field, max, isUsed, fault, text = link.get(field)) => {
    if (text === null) return null;
    if (isUsed && isWholeNumber(text) && Number(text) <= max) return Number(text);
    if (isUsed || text !== "0") faults.push(fault(cited(text)));
    return null;
  };
  const readSaved = (text) =>
    readNumber(
      "saved",
      MAX_SAVED,
      ruleSet.saved_rolls,
      (wrong) => _("The saved rolls cannot be “{text}”.", { text: wrong }),
      text,
    ) ?? 0;
  const readBonusPoints = (text) =>
    readNumber(
      "bonus_points",
      MAX_POINTS,
      ruleSet.bonus_points,
      (wrong) => _("The bonus points cannot be “{text}”.", { text: wrong }),
      text,
    ) ?? 0;
  found.saved = readSaved(link.get("saved"));
  found.bonusPoints = readBonusPoints(link.get("bonus_points"));
  const most = ruleSet.rolls - 1 + found.saved,
    leftField = link.has("left") ? "left" : "rolls_left"; // "left" in pasted text, and in older links
  found.left =
    readNumber(leftField, most, true, (text) =>
      _("The rerolls left cannot be “{text}”; there are at most {most}.", { text, most }),
    ) ?? most;
  found.dice = readDice(link.get("dice") || "", ruleSet, faults);
  const goal = readNumber("goal", MAX_POINTS, true, (text) =>
    _("The goal cannot be “{text}”.", { text }),
  );
  if (goal !== null) found.goal = String(goal);
  if (link.get("opponents")) {
    if (goal !== null) faults.push(_("There are a goal and opponents: the goal is used."));
    else found.opponents = link.get("opponents");
  }
  if (["loss", "half", "win"].includes(link.get("ties"))) found.ties = link.get("ties");
  else if (link.has("ties"))
    faults.push(_("A tie cannot be “{text}”.", { text: cited(link.get("ties")) }));
  const seats = link.getAll("player");
  if (seats.length > MAX_SEATS)
    faults.push(_("There are at most {most} players.", { most: MAX_SEATS }));
  found.players = seats.slice(0, MAX_SEATS).map((seat) => {
    const { name, boxes, bonusPoints, saved } = playerParts(seat);
    return {
      name,
      card: readCard(boxes, ruleSet, faults),
      bonusPoints: readBonusPoints(bonusPoints),
      saved: readSaved(saved),
    };
  });
  const turn = readNumber("turn", MAX_SEATS, true, (text) =>
    _("There is no player “{text}”.", { text }),
  );
  if (turn !== null && !found.players[turn - 1])
    faults.push(_("There is no player “{text}”.", { text: turn }));
  found.player = found.players[turn - 1] ? turn - 1 : 0;
  if (link.has("unknown"))
    faults.push(_("This was not understood: {text}.", { text: cited(link.get("unknown")) })); // of a text that was pasted
  for (const field of link.keys())
    if (![...FIELDS, "left", "unknown"].includes(field))
      faults.push(_("“{field}” is not a field of a link.", { field: cited(field) }));
  return [found, faults];
}

// The parts of what playerText() writes, as texts; numbers that are not there are null. A name may have colons, boxes have none.
function playerParts(text) {
  const colon = text.includes(":") ? text.lastIndexOf(":") : text.length,
    entries = text.slice(colon + 1).split(/[ ,;]+/),
    numberOf = (field) =>
      entries.find((each) => each.startsWith(`${field}=`))?.slice(field.length + 1) ?? null;
  return {
    name: text.slice(0, Math.min(colon, MAX_NAME)),
    boxes: entries.filter((each) => !/^(extra|saved)=/.test(each)).join(" "),
    bonusPoints: numberOf("extra"),
    saved: numberOf("saved"),
  };
}

// The boxes of a text such as "ones=3 sixes=24".
function readCard(text, ruleSet, faults) {
  const card = {};
  for (const entry of text.split(/[ ,;]+/).filter(Boolean)) {
    const [id, points = ""] = entry.split("=");
    const category = ruleSet.categories.find((each) => each.id === id);
    if (!category) faults.push(_("There is no box “{box}”.", { box: cited(id) }));
    else if (!isWholeNumber(points) || !category.points.includes(Number(points)))
      faults.push(
        _("{box} cannot hold “{points}”.", { box: category.name, points: cited(points) }),
      );
    else card[id] = Number(points);
  }
  return card;
}

// The rules of a page without a link: Yatzy, unless a site has other games only.
export const usualRules = () =>
  ruleSets.some((each) => each.id === "yatzy") || !ruleSets.length ? "yatzy" : ruleSets[0].id;

function readDice(text, ruleSet, faults) {
  const dice = parseDice(text, ruleSet.faces);
  if (dice && dice.length <= ruleSet.dice) return dice;
  faults.push(_("The dice cannot be “{text}”.", { text: cited(text) }));
  return [...text]
    .map(Number)
    .filter((face) => face >= 1 && face <= ruleSet.faces)
    .slice(0, ruleSet.dice);
}

// The faults in sentences, after one about all of them.
export const faultText = (sentence, faults) => [sentence, ...faults.slice(0, MAX_FAULTS)].join(" ");

export const linkMessage = (faults) =>
  faults.length ? faultText(_("A part of the link was ignored."), faults) : "";
