// The chart of a distribution of final scores: a bar for each score, the middle nine tenths of all games in a stronger
// colour, the points so far and the average marked. A click chooses a score.
import { chartWidth, svg } from "../words/dom.js";
import { _, formatNumber, formatPercent } from "../words/i18n.js";

const MIN_DRAWN_CHANCE = 1e-5; // scores with smaller chances at both ends are not drawn
const TICK_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const EDGE = 10,
  TOP = 26,
  TOP_OF_BARS = 44, // below both labels
  HEIGHT = 130,
  AXIS = 20,
  LABEL = 7; // pixels; LABEL is about the width of a character
const SMOOTH = 8; // points on both sides: single scores go up and down by what boxes can pay

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
    base = TOP_OF_BARS + HEIGHT;
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
      "aria-label": spreadText(distribution, marks.mean),
    },
    ...axis(scoresOfAxis(first, last, width), width, base, xOf),
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

function scoresOfAxis(first, last, width) {
  const tick = TICK_STEPS.find((n) => (last - first) / n <= width / 48) || 1000,
    lowest = Math.ceil(first / tick) * tick;
  return Array.from(
    { length: Math.floor((last - lowest) / tick) + 1 },
    (_each, i) => lowest + tick * i,
  );
}

const axis = (scores, width, base, xOf) => [
  svg("line", { x1: EDGE, x2: width - EDGE, y1: base, y2: base, class: "axis" }),
  ...scores.map((score) =>
    svg(
      "text",
      { x: xOf(score).toFixed(1), y: base + 15, "text-anchor": "middle" },
      formatNumber(score),
    ),
  ),
];

// The distribution as a smooth curve with one score on it, in a box: `line`, and the areas `below` and `above` the score,
// as paths of SVG and of a canvas; `xOf` is where a score lies. The highest point of the curve is at `top`.
export function curveOf(distribution, points, { width, top, base }) {
  const { chances, lowest } = distribution,
    [first, last] = drawnScores(distribution),
    scores = Array.from({ length: last - first + 1 }, (_each, i) => first + i);
  const xOf = (score) =>
    EDGE + ((Math.min(last, Math.max(first, score)) - first) * (width - 2 * EDGE)) / (last - first);
  const heights = scores.map((score) => {
    let sum = 0;
    for (let by = -SMOOTH; by <= SMOOTH; by++)
      sum += (SMOOTH + 1 - Math.abs(by)) * (chances[score + by - lowest] ?? 0);
    return sum;
  });
  const scale = (base - top) / Math.max(...heights),
    at = (score) =>
      `${xOf(score).toFixed(1)} ${(base - heights[score - first] * scale).toFixed(1)}`;
  const area = (part) =>
    part.length
      ? `M${xOf(part[0]).toFixed(1)} ${base}L${part.map(at).join("L")}L${xOf(part.at(-1)).toFixed(1)} ${base}Z`
      : "";
  return {
    line: `M${scores.map(at).join("L")}`,
    below: area(scores.filter((score) => score <= points)),
    above: area(scores.filter((score) => score >= points)),
    xOf,
    drawn: [first, last],
  };
}

// The picture of a result: where the score lies among the games of perfect play.
export function resultCurve(container, distribution, { mean, points }) {
  const width = chartWidth(container),
    base = TOP + HEIGHT,
    box = { width, top: TOP, base },
    { line, below, above, xOf, drawn } = curveOf(distribution, points, box);
  const label = _("average {mean}", { mean: formatNumber(mean, 1) }),
    x = xOf(mean),
    own = xOf(points);
  const isFree = (score) => Math.abs(xOf(score) - x) > ((label.length + 4) * LABEL) / 2;
  return svg(
    "svg",
    {
      viewBox: `0 0 ${width} ${base + AXIS}`,
      role: "img",
      "aria-label": spreadText(distribution, mean),
    },
    svg("path", { d: below, class: "below" }),
    svg("path", { d: above, class: "above" }),
    svg("path", { d: line, class: "line" }),
    ...axis(scoresOfAxis(...drawn, width).filter(isFree), width, base, xOf),
    svg("text", { x: x.toFixed(1), y: base + 15, "text-anchor": "middle" }, label),
    svg("line", { x1: x, x2: x, y1: TOP + 20, y2: base, class: "mean" }),
    svg(
      "g",
      { class: "own" },
      svg("line", { x1: own, x2: own, y1: TOP - 14, y2: base }),
      svg("circle", { cx: own, cy: TOP - 14, r: 5 }),
    ),
  );
}

const spreadText = ({ percentiles }, mean) =>
  _(
    "Distribution of the final score: nine of ten games end between {low} and {high}, the average is {mean}",
    {
      low: formatNumber(percentiles["5"]),
      high: formatNumber(percentiles["95"]),
      mean: formatNumber(mean, 1),
    },
  );

// The points so far stand at the left, the average beside its line; labels never overlap.
function lines({ mean, total }, first, last, width, base, xOf) {
  const parts = [],
    x = xOf(Math.max(first, Math.min(last, mean)));
  const label = _("average {mean}", { mean: formatNumber(mean, 1) }),
    isRight = x + 6 + label.length * LABEL > width;
  parts.push(
    svg("line", { x1: x, x2: x, y1: TOP_OF_BARS - 36, y2: base, class: "mean" }),
    svg(
      "text",
      {
        x: x + (isRight ? -5 : 5),
        y: TOP_OF_BARS - 28,
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
  if (isInside)
    parts.push(svg("line", { x1: at, x2: at, y1: TOP_OF_BARS - 18, y2: base, class: "total" }));
  parts.push(
    svg(
      "text",
      {
        x: Math.min(at + (isInside ? 5 : 0), width - text.length * LABEL),
        y: TOP_OF_BARS - 10,
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
