// Positions as text: copied as a link or as the command prints them, and pasted from either.
import { byId, copyText, element, onClick } from "../words/dom.js";
import { _ } from "../words/i18n.js";
import { cardText, faultText, fromLink } from "../store/link.js";
import { rulesInCommand, rulesOfCommand } from "../store/own-rules.js";
import { ruleSets } from "../store/rulesets.js";
import { showNotice, showPosition, state, me, rules, objective } from "../store/state.js";

const OPTIONS = {
  "-r": "rules",
  "--rules": "rules",
  "-c": "card",
  "--card": "card",
  "-l": "left",
  "--rolls-left": "left",
  "--saved": "saved",
  "--bonus-points": "bonus_points",
  "-g": "goal",
  "--goal": "goal",
  "--opponent": "opponents",
  "--best-opponent": "opponents",
  "--ties": "ties",
  "--left": "left",
};
// Options without a value; those with one that are not above say nothing of the position.
const FLAGS = ["--all", "--exact", "--explain", "--force", "--json", "--jsonl", "--spread"];

// A word of a command line, in double quotes, which every shell has, where they keep it as it is.
const quoted = (text) =>
  /^[\w+./-]+$/.test(text)
    ? text
    : /["$`\\!]/.test(text)
      ? `'${text.replaceAll("'", "'\\''")}'`
      : `"${text}"`;

// The position as a command of `yatzy`, with the rules as it can read them.
export function commandText(spec = state.rules) {
  const player = me(),
    aim = objective();
  const words = ["yatzy", state.dice.length === rules().dice ? "hold" : "expect"];
  const add = (option, value) => {
    words.push(option, quoted(String(value)));
  };
  if (state.dice.length === rules().dice) {
    words.push(state.dice.join(""));
    add("--rolls-left", state.left);
  }
  if (spec !== "yatzy") add("--rules", spec);
  if (Object.keys(player.card).length) add("--card", cardText(player.card));
  if (player.bonusPoints) add("--bonus-points", player.bonusPoints);
  if (player.saved) add("--saved", player.saved);
  if (aim.goal !== undefined) add("--goal", aim.goal);
  if (aim.opponents) {
    add("--opponent", [].concat(aim.opponents).join("; "));
    add("--ties", aim.ties);
  }
  return words.join(" ");
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

// "Ones 3", "small straight: 15" or "yatzy=x" as ones=3, small-straight=15, yatzy=0, for the boxes of some rules.
function namedBoxes(text, spec) {
  const categories = ruleSets.find((each) => each.id === spec.split("+")[0])?.categories || [];
  const names = categories.flatMap(({ id, name }) => [
    [id, id],
    [id.replaceAll("-", " "), id],
    [name.toLowerCase(), id],
  ]);
  names.sort((a, b) => b[0].length - a[0].length); // "three of a kind" before "three"
  return names.reduce(
    (rest, [name, id]) =>
      rest.replace(
        new RegExp(`(^|[\\s,;])${escaped(name)}\\s*[:=\\s]\\s*(\\d+|x|-)(?=$|[\\s,;])`, "gi"),
        (_all, before, points) => `${before}${id}=${/\d/.test(points) ? points : 0}`,
      ),
    text,
  );
}

// A link, a command of `yatzy`, or boxes and dice as people write them, as the query of a link.
export function queryOf(text) {
  const given = text.trim();
  if (/^\S*#/.test(given)) return given.slice(given.indexOf("#") + 1);
  const isCommand = /^yatzy\s+[a-z]+\s/.test(given + " ");
  const plain = isCommand
    ? given
    : namedBoxes(given, state.rules)
        .replace(/\b(dice|roll|hand|cards?|boxes|hold|score|expect)\b\s*[:=]?/gi, " ")
        .replace(/\b(left|saved|goal)\s*[:=]?\s*(\d+)/gi, "--$1 $2");
  const words = (plain.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? []).map((word) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_all, first, second) => first ?? second),
  );
  const link = new URLSearchParams(),
    rest = [];
  if (!isCommand) link.set("rules", state.rules); // a command says its rules, or means yatzy
  let at = isCommand ? 2 : 0; // after the command and its name
  for (; at < words.length; at++) {
    const [name, value] =
      words[at].startsWith("--") && words[at].includes("=")
        ? words[at].split(/=(.*)/)
        : [words[at], null];
    const option = OPTIONS[name] || (isCommand ? "" : OPTIONS[name.toLowerCase()]);
    if (option) link.set(option, value ?? words[++at] ?? "");
    else if (!name.startsWith("--")) rest.push(words[at]);
    else if (isCommand && value === null && !FLAGS.includes(name)) at++;
  }
  const boxes = rest.filter((word) => word.includes("=")),
    others = rest.filter((word) => !word.includes("=") && /[^,;]/.test(word));
  const dice = others.filter((word) => /^[\d,;⚀-⚅-]+$/.test(word)),
    unknown = others.filter((word) => !dice.includes(word));
  if (boxes.length)
    link.set("card", [link.get("card"), ...boxes].filter(Boolean).join(" ").replace(/[,;]+/g, " "));
  if (dice.length) link.set("dice", dice.join(""));
  if (unknown.length) link.set("unknown", unknown.join(" "));
  return link.toString();
}

async function copy(text, message) {
  await copyText(text);
  showNotice(message);
}

onClick("copy-link", () => copy(location.href, _("The link is copied.")));
onClick("copy-position", async () => {
  const { spec, file } = await rulesInCommand(state.rules),
    note = file && _("It reads the rules from {file}, in the folder where it runs.", { file });
  const text = [_("The position is copied as a command."), note].filter(Boolean).join(" ");
  await copy(commandText(spec), text);
});
onClick("open-paste", () => {
  byId("paste-error").textContent = "";
  byId("paste-dialog").showModal();
  byId("paste-text").focus();
});
byId("paste-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const pasted = byId("paste-text").value,
    link = new URLSearchParams(queryOf(pasted)),
    names = ruleSets.map(({ id }) => id).reverse(); // the file added last first
  if (link.has("rules")) link.set("rules", await rulesOfCommand(link.get("rules"), names));
  const [found, faults] = await fromLink("#" + link);
  if (!byId("paste-dialog").open || byId("paste-text").value !== pasted) return; // given up or changed meanwhile
  if (faults.length) {
    byId("paste-error").textContent = faultText(_("Nothing was pasted yet."), faults);
    byId("paste-text").focus();
    return;
  }
  byId("paste-dialog").close();
  byId("paste-text").value = "";
  await showPosition(found, _("The position is pasted; Undo goes back."));
  byId("dice-title").focus({ preventScroll: true }); // what is new, not the button of the menu
});
