// The course of a game: the average final score after each roll and each decision, and what it would be without errors.
// The area between the two lines is what the errors have cost so far; a click chooses a decision.
import { svg } from "../words/dom.js";
import { _, formatNumber } from "../words/i18n.js";
import { isMistake } from "../words/grades.js";

const LEFT = 36,
  RIGHT = 10,
  TOP = 22,
  AXIS = 18,
  WIDE = 480; // pixels
const heightFor = (width) => (width < WIDE ? 84 : 130); // on a phone the decision and the list share the screen

// The values after each event: [without errors, as played, index of the decision or -1].
export function courseOf(found) {
  const timeOf = (entry) => entry.turn * 1000 + entry.roll;
  const events = [
    ...found.rolls.map((roll) => [timeOf(roll), 0, roll.roll_luck, 0, -1]),
    ...found.decisions.map((decision, i) => [timeOf(decision), 1, 0, decision.loss, i]),
  ].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const course = [[found.start, found.start, -1]];
  for (const [, , luck, loss, decision] of events) {
    const [without, played] = course[course.length - 1];
    course.push([without + luck, played + luck - loss, decision]);
  }
  return course;
}

// `onChoose` is called with the index of the decision nearest to a click. Returns the picture; `picture.mark(i)` marks
// a decision.
export function courseChart(container, found, onChoose) {
  const course = courseOf(found),
    all = course.flatMap(([without, played]) => [without, played]);
  const low = Math.min(...all),
    high = Math.max(...all);
  const width = Math.max(240, container.clientWidth || 420),
    height = heightFor(width),
    base = TOP + height;
  const xOf = (at) => LEFT + (at * (width - LEFT - RIGHT)) / (course.length - 1 || 1);
  const yOf = (value) => base - ((value - low) / (high - low || 1)) * height;
  const line = (which) =>
    course.map((point, at) => `${xOf(at).toFixed(1)},${yOf(point[which]).toFixed(1)}`);
  const places = course.map((point, at) => [point[2], at]).filter(([decision]) => decision >= 0); // in the order of time
  const at = new Map(places);
  const mark = svg("line", { y1: TOP, y2: base, class: "here", x1: LEFT, x2: LEFT });
  const [without, played] = course[course.length - 1];
  const picture = svg(
    "svg",
    {
      viewBox: `0 0 ${width} ${base + AXIS}`,
      role: "img",
      class: "course",
      "aria-label": _(
        "Course of the game: the average final score went from {start} to {end}; without errors it would be {without}",
        {
          start: formatNumber(found.start, 1),
          end: formatNumber(played, 1),
          without: formatNumber(without, 1),
        },
      ),
    },
    ...axes(found, low, high, width, base, xOf, yOf, at),
    svg("polygon", { points: [...line(0), ...line(1).reverse()].join(" "), class: "errors" }),
    svg("polyline", { points: line(0).join(" "), class: "without-errors" }),
    svg("polyline", { points: line(1).join(" "), class: "expected" }),
    mark,
    ...found.decisions.flatMap((each, i) =>
      isMistake(each.grade)
        ? [
            svg("circle", {
              cx: xOf(at.get(i)).toFixed(1),
              cy: yOf(course[at.get(i)][1]).toFixed(1),
              r: 4,
              class: each.grade,
            }),
          ]
        : [],
    ),
  );
  picture.addEventListener("click", (event) => {
    const box = picture.getBoundingClientRect(),
      x = ((event.clientX - box.left) * width) / box.width;
    let nearest = places[0];
    for (const place of places)
      if (Math.abs(xOf(place[1]) - x) < Math.abs(xOf(nearest[1]) - x)) nearest = place;
    if (nearest) onChoose(nearest[0]);
  });
  picture.mark = (decision) => {
    for (const name of ["x1", "x2"]) mark.setAttribute(name, xOf(at.get(decision) ?? 0).toFixed(1));
  };
  return picture;
}

// The start, the highest and the lowest value at the left, the number of each turn below.
function axes(found, low, high, width, base, xOf, yOf, at) {
  const value = (number) =>
    svg("text", { x: LEFT - 6, y: yOf(number) + 4, "text-anchor": "end" }, formatNumber(number));
  const parts = [
    svg("text", { x: 0, y: 10 }, _("average final score")),
    svg("line", {
      x1: LEFT,
      x2: width - RIGHT,
      y1: yOf(found.start),
      y2: yOf(found.start),
      class: "axis",
    }),
  ];
  for (const number of [low, high])
    if (Math.abs(yOf(number) - yOf(found.start)) > 14) parts.push(value(number));
  parts.push(value(found.start));
  const firsts = found.decisions.flatMap((each, i) =>
    i === 0 || found.decisions[i - 1].turn !== each.turn ? [[each.turn, at.get(i)]] : [],
  );
  const every = Math.ceil((firsts.length * 22) / (width - LEFT - RIGHT));
  firsts.forEach(([turn, place], i) => {
    if (i % every === 0)
      parts.push(
        svg(
          "text",
          { x: xOf(place).toFixed(1), y: base + 14, "text-anchor": "middle" },
          formatNumber(turn),
        ),
      );
  });
  return parts;
}
