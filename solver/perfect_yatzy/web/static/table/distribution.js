// The chart of a distribution of final scores: a bar for each score, the middle nine tenths of all games in a stronger
// colour, the points so far and the average marked. A click chooses a score.
import { chartWidth, svg } from "../words/dom.js";
import { _, formatNumber, formatPercent } from "../words/i18n.js";

const MIN_DRAWN_CHANCE = 1e-5; // scores with smaller chances at both ends are not drawn
const TICK_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const EDGE = 10,
  TOP = 26,
  HEIGHT = 130,
  AXIS = 20,
  LABEL = 7; // pixels; LABEL is about the width of a character

export const chanceOfAtLeast = ({ chances, lowest }, score) =>
  Math.min(
    1,
    chances.slice(Math.max(0, score - lowest)).reduce((sum, chance) => sum + chance, 0),
  );

// First and last score of the chart.
export function drawnScores({ chances, lowest }) {
  let first = 0,
    last = chances.length - 1;
  while (first < last && chances[first] < MIN_DRAWN_CHANCE) first++;
  while (last > first && chances[last] < MIN_DRAWN_CHANCE) last--;
  return [lowest + first, lowest + last];
}

// `marks` are the scores to mark: { mean, total }; a total below all bars is marked at the edge.
export function distributionChart(container, distribution, marks, onScore) {
  const { chances, lowest, percentiles } = distribution,
    width = chartWidth(container),
    [first, last] = drawnScores(distribution);
  const step = (width - 2 * EDGE) / (last - first + 1),
    base = TOP + HEIGHT;
  const xOf = (score) => EDGE + (score - first + 0.5) * step;
  const max = chances.reduce((most, chance) => Math.max(most, chance), 0);
  const bars = [];
  for (let score = first; score <= last; score++) {
    const height = (HEIGHT * chances[score - lowest]) / max;
    const isUsual = score >= percentiles["5"] && score <= percentiles["95"];
    bars.push(
      svg("rect", {
        x: (xOf(score) - step / 2).toFixed(2),
        y: (base - height).toFixed(2),
        width: Math.max(0.6, step * 1.02).toFixed(2),
        height: height.toFixed(2),
        class: isUsual ? "usual" : "rare",
      }),
    );
  }
  const picture = svg(
    "svg",
    {
      viewBox: `0 0 ${width} ${base + AXIS}`,
      role: "img",
      "aria-label": _(
        "Distribution of the final score: nine of ten games end between {low} and {high}, the average is {mean}",
        {
          low: formatNumber(percentiles["5"]),
          high: formatNumber(percentiles["95"]),
          mean: formatNumber(marks.mean, 1),
        },
      ),
    },
    ...axis(first, last, width, base, xOf),
    ...bars,
    ...lines(marks, first, last, width, base, xOf),
  );
  picture.addEventListener("click", (event) => {
    const box = picture.getBoundingClientRect(),
      x = ((event.clientX - box.left) * width) / box.width;
    onScore(Math.max(first, Math.min(last, Math.round(first + (x - EDGE) / step - 0.5))));
  });
  return picture;
}

function axis(first, last, width, base, xOf) {
  const tick = TICK_STEPS.find((n) => (last - first) / n <= width / 48) || 1000;
  const parts = [svg("line", { x1: EDGE, x2: width - EDGE, y1: base, y2: base, class: "axis" })];
  for (let score = Math.ceil(first / tick) * tick; score <= last; score += tick) {
    parts.push(
      svg(
        "text",
        { x: xOf(score).toFixed(1), y: base + 15, "text-anchor": "middle" },
        formatNumber(score),
      ),
    );
  }
  return parts;
}

// The points so far stand at the left, the average beside its line; labels never overlap.
function lines({ mean, total }, first, last, width, base, xOf) {
  const parts = [],
    x = xOf(Math.max(first, Math.min(last, mean)));
  const label = _("average {mean}", { mean: formatNumber(mean, 1) }),
    isRight = x + 6 + label.length * LABEL > width;
  parts.push(
    svg("line", { x1: x, x2: x, y1: TOP - 12, y2: base, class: "mean" }),
    svg(
      "text",
      {
        x: x + (isRight ? -5 : 5),
        y: TOP - 10,
        "text-anchor": isRight ? "end" : "start",
        class: "mean",
      },
      label,
    ),
  );
  if (!total || total > last) return parts;
  const isInside = total >= first,
    at = isInside ? xOf(total) : EDGE / 2;
  const text = isInside
    ? _("now {points}", { points: formatNumber(total) })
    : _("← now {points}", { points: formatNumber(total) });
  if (isInside) parts.push(svg("line", { x1: at, x2: at, y1: TOP + 6, y2: base, class: "total" }));
  parts.push(
    svg(
      "text",
      {
        x: Math.min(at + (isInside ? 5 : 0), width - text.length * LABEL),
        y: TOP + 10,
        class: "total",
      },
      text,
    ),
  );
  return parts;
}

// The chances of reaching round scores, as rows of a table.
export function chanceRows(distribution) {
  const [first, last] = drawnScores(distribution),
    rows = [];
  for (let score = Math.ceil(first / 10) * 10; score <= last; score += 10) {
    rows.push([formatNumber(score), formatPercent(chanceOfAtLeast(distribution, score), 1)]);
  }
  return rows;
}
