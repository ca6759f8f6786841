// The headline of the advice: what the primary button plays, what it is worth, and why; or what it loses, where the player has
// marked other dice than the best.
import { gapText, lossOf, settledText } from "./advice-text.js";
import { byId, diceText, element } from "./dom.js";
import { _, formatNumber, formatPercent } from "./i18n.js";
import { chanceText, objectiveName, optionName, optionTitle } from "./options.js";
import { state } from "./state.js";
import { whySentence } from "./why.js";

// Whether the aim is certain or out of reach whatever is done.
const isSettled = ({ aim, entries: [best] }) => Boolean(aim) && (best.chance === 0 || best.chance === 1);

// In a row of options; in a sentence a lower bound is called one.
export const valueText = (answer, entry) => (answer.aim && !isSettled(answer) ? formatPercent(entry.chance) : formatNumber(entry.expected_final_score, 2));
export const statedText = (answer, entry) => (answer.aim && !isSettled(answer) ? chanceText(entry.chance, answer.aim) : valueText(answer, entry));

export function valueName(answer) {
  if (!answer.aim) return _("average final score");
  return isSettled(answer) ? settledText(answer.entries[0], answer.aim) : _("chance of {aim}", { aim: objectiveName(answer.aim) });
}

// `held` is the entry of the dice that the player has marked, null if none are.
export function drawHeadline(answer, held) {
  const [best, second] = answer.entries, shown = held || best, isBest = shown === best;
  const title = optionTitle(shown, answer.choosesHold);
  byId("answer").className = "hero";
  byId("answer").replaceChildren(element("strong", {}, shown.category ? title.replace(/ (?=\d+$)/, "\u00a0") : title), " ",
    element("span", { class: "value" }, element("b", {}, statedText(answer, shown)), " ", element("small", {}, valueName(answer))));
  byId("gap").textContent = isBest && second ? gapText(best, second, !isSettled(answer) && answer.aim) : "";
  byId("why").textContent = isBest && second ? whySentence(best, second, state.rules) : "";
}

// What the dice held lose against the best.
export function heldText(answer, held) {
  const [best] = answer.entries, dice = held.hold.length ? diceText(held.hold) : _("nothing");
  if (held.loss < 1e-6) return _("You hold {dice}: {value}, no option is better.", { dice, value: statedText(answer, held) });
  const isChance = answer.aim && !isSettled(answer), fields = { dice, best: optionName(best), loss: formatNumber(lossOf(held, best, isChance), 2) };
  return isChance ? _("You hold {dice}: {loss} % less than the best, {best}.", fields) : _("You hold {dice}: {loss} points less than the best, {best}.", fields);
}
