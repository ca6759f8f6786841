// The end of a game: the final score or who has won, and how the score compares with perfect play from the empty card.
import { ask } from "./ask.js";
import { byId, element } from "./dom.js";
import { playerName } from "./game.js";
import { _, formatNumber, formatPercent, language } from "./i18n.js";
import { say } from "./say.js";
import { isCardFull, isFull, onDraw, redraw, rules, state, totals } from "./state.js";

const EVEN = 0.05; // points: a smaller gap rounds to nothing

let start = null; // what perfect play makes of an empty card: { rules, mean, approximate, distribution }
let wasOpen = false; // whether a game has ended on this page; one that had ended before is read with the page

const isGameOver = () => state.players.every(isFull);

// The headline: the final score; among several players who has won.
export function endText() {
  const points = totals().all, scores = state.players.map((player) => totals(player).all), most = Math.max(...scores);
  if (scores.length < 2 || !isGameOver()) return _("The card is full. Final score {points}.", { points: formatNumber(points) });
  const names = scores.flatMap((score, i) => (score === most ? [playerName(i)] : []));
  const fields = { names: new Intl.ListFormat(language, { type: "conjunction" }).format(names), name: names[0], points: formatNumber(most) };
  return names.length > 1 ? _("A tie with {points} points: {names}.", fields) : _("{name} wins with {points} points.", fields);
}

function drawEnd() {
  const box = byId("end");
  box.hidden = !isCardFull();
  if (box.hidden) { wasOpen = true; return; }
  if (start?.rules !== state.rules) request();
  const sentences = start?.mean === undefined ? [] : verdicts();
  box.replaceChildren(...sentences.map((sentence) => element("p", {}, sentence)));
  if (wasOpen) say(...sentences);
}

// The average is known at once; the share of lower games only where the distribution needs no long work.
async function request() {
  const own = start = { rules: state.rules }; // asked once for these rules
  if (rules().solved === false) return;
  for (const body of [{ rules: own.rules, spread: false }, { rules: own.rules, card: {} }]) { // as "What to expect" asks them
    const found = await ask("expect", body).catch(() => null);
    if (!found || start !== own) return;
    Object.assign(own, { mean: found.expected_final_score, approximate: found.approximate, distribution: found.distribution });
    redraw();
  }
}

function verdicts() {
  if (state.players.length > 1 && isGameOver()) {
    return state.players.map((player, i) => [playerName(i), totals(player).all]).sort((a, b) => b[1] - a[1]).map(([name, points]) => playerSentence(name, points));
  }
  const points = totals().all, share = shareBelow(points);
  return share === null ? [gapSentence(points)] : [gapSentence(points), _("{share} of games by perfect play end lower.", { share: formatPercent(share, 0) })];
}

function gapSentence(points) {
  const gap = points - start.mean, fields = { gap: formatNumber(Math.abs(gap), 1), mean: formatNumber(start.mean, 1) };
  if (Math.abs(gap) < EVEN) return start.approximate ? _("As much as the approximate strategy makes on average.") : _("As much as perfect play makes on average.");
  if (start.approximate) {
    return gap > 0 ? _("{gap} points above the average of the approximate strategy ({mean}).", fields)
      : _("{gap} points below the average of the approximate strategy ({mean}).", fields);
  }
  return gap > 0 ? _("{gap} points above the average of perfect play ({mean}).", fields) : _("{gap} points below the average of perfect play ({mean}).", fields);
}

const playerSentence = (name, points) => _("{name}, {points} points: {verdict}", { name, points: formatNumber(points), verdict: gapSentence(points) });

function shareBelow(points) {
  if (!start.distribution || start.approximate) return null;
  const { lowest, chances } = start.distribution;
  return chances.slice(0, Math.max(0, points - lowest)).reduce((sum, chance) => sum + chance, 0);
}

onDraw(drawEnd);
