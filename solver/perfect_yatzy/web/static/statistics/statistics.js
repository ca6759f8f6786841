// The statistics of the games kept in this browser: what was scored and lost, luck removed; the dice; puzzles in a row.
import { signedText } from "../table/actions.js";
import { button, byId, chartWidth, element, figures, svg, table } from "../words/dom.js";
import { _, formatNumber, formatPercent, language, ngettext } from "../words/i18n.js";
import { LEVELS, levelName } from "../words/levels.js";
import { download, games, gamesOf, remember, removeGames, reviewGame } from "../store/memory.js";
import { personsOf } from "../store/game.js";
import { goOnWith, otherGames, removeGame } from "../store/storage.js";
import { streak } from "../puzzle/puzzle.js";
import { openReview, openSample } from "../review/review.js";
import { playFirstButton } from "../review/review-view.js";
import { hasSample, sampleReview } from "../review/sample.js";
import { currentRoom } from "../table/room.js";
import { loadRules } from "../store/rulesets.js";
import { onDraw, rules, state, totals } from "../store/state.js";

const LEVEL_GAMES = 20; // the level is that of the latest games
const EVEN = 0.05; // points: a smaller gap rounds to nothing
const SMOOTHED = 5; // games in the moving average of the chart
const HEIGHT = 110,
  LEFT = 30,
  TOP = 8,
  BELOW = 8; // for the lower half of a 0
let drawnFor = "",
  player = "",
  status = "",
  restore = null; // brings back what was removed last

// The upper tail of the chi-square distribution: how often fair dice differ at least as much.
export function fairness(counts) {
  const total = counts.reduce((sum, count) => sum + count, 0),
    mean = total / counts.length;
  const x = counts.reduce((sum, count) => sum + (count - mean) ** 2 / mean, 0) / 2,
    a = (counts.length - 1) / 2;
  let gamma = a % 1 ? Math.sqrt(Math.PI) : 1; // of a
  for (let k = a % 1 || 1; k < a; k++) gamma *= k;
  let term = (x ** a * Math.exp(-x)) / (gamma * a),
    sum = 0;
  for (let k = a; term > 1e-15 && k < a + 1e4; term *= x / ++k) sum += term;
  return 1 - sum;
}

// Draws the room anew if something else is to be shown; what is stored is read each time.
async function draw() {
  const key = `${currentRoom()} ${state.rules} ${language} ${player} ${status}`;
  if (currentRoom() !== "statistics") {
    drawnFor = status = "";
    restore = null;
    return;
  }
  if (key === drawnFor) return;
  drawnFor = key;
  const [kept, others] = await Promise.all([games(), unfinishedGames()]);
  if (drawnFor === key) drawRoom(kept, others);
}

function drawRoom(kept, others) {
  const all = kept.filter(({ record }) => record.rules === state.rules),
    names = [...new Set(all.flatMap(({ players }) => personsOf(players).map(({ name }) => name)))];
  if (!names.includes(player)) player = names[0] || "";
  const own = all.flatMap(({ players }) => players.filter(({ name }) => name === player)),
    days = streak();
  byId("statistics").replaceChildren(
    element(
      "div",
      { class: "felt-panel" },
      element(
        "h2",
        { id: "statistics-title", tabindex: -1 },
        _("Games: {game}", { game: rules().name }),
      ),
      ...(own.length
        ? levelView(own)
        : [element("p", { class: "lead" }, _("Your level appears after one game.")), scaleView()]),
    ),
    element(
      "p",
      { id: "statistics-status", role: "status", class: "hint" },
      status,
      ...(restore ? [" ", button(_("Undo"), undoRemoval, { id: "undo-removal" })] : []),
    ),
    ...(names.length > 1 ? [playerChoice(names)] : []),
    ...(own.length
      ? [gamesList(all), ...summary(own)]
      : [
          ...(hasSample(state.rules) ? [element("ol", { class: "games" }, sampleRow())] : []),
          element(
            "p",
            {},
            _(
              "Finished games are kept here, on this device: what you score, what errors cost, and whether you get better.",
            ),
          ),
          playFirstButton(),
        ]),
    ...(others.length ? [unfinishedList(others)] : []),
    ...(days
      ? [
          element(
            "p",
            { id: "streak" },
            ngettext(
              "Puzzle of the day: {count} day in a row.",
              "Puzzle of the day: {count} days in a row.",
              days,
              { count: formatNumber(days) },
            ),
          ),
        ]
      : []),
    element(
      "div",
      { class: "bar" },
      ...(kept.length
        ? [button(_("Export the games"), () => exportGames(kept), { id: "export" })]
        : []),
      button(_("Import games…"), () => byId("import-file").click(), { id: "import" }),
      element("input", {
        type: "file",
        id: "import-file",
        accept: ".jsonl,.json",
        hidden: true,
        on: { change: importGames },
      }),
      ...(kept.length
        ? [
            button(
              _("Forget all games"),
              async () => showRemoved(_("All games are forgotten."), await removeGames(kept)),
              { id: "forget-games", class: "quiet" },
            ),
          ]
        : []),
    ),
  );
}

const playerChoice = (names) =>
  element(
    "p",
    {},
    element(
      "label",
      {},
      _("Player"),
      " ",
      element(
        "select",
        {
          id: "statistics-player",
          on: {
            change: (event) => {
              player = event.target.value;
              draw();
            },
          },
        },
        ...names.map((name) => element("option", { value: name, selected: name === player }, name)),
      ),
    ),
  );

// --- what is removed can be brought back until the room is left ---

async function showStatus(text, bringBack = null) {
  status = text;
  restore = bringBack;
  drawnFor = "";
  await draw();
}

async function showRemoved(text, bringBack) {
  await showStatus(text, bringBack);
  byId("undo-removal")?.focus();
}

async function undoRemoval() {
  await restore();
  await showStatus(_("It is back."));
  byId("statistics-title").focus();
}

const removeButton = (name, remove) =>
  button("✕", remove, { class: "quiet remove", "aria-label": _("Remove: {game}", { game: name }) });

// Points lost a game, without luck, and the levels of computer players between which that is.
function levelView(own) {
  const latest = own.slice(-LEVEL_GAMES),
    mean = (field) => latest.reduce((sum, each) => sum + each[field], 0) / latest.length,
    lost = mean("lost"),
    share = lost / mean("start"),
    at = LEVELS.findIndex((level) => share >= level.share),
    weaker = LEVELS[at - 1],
    stronger = LEVELS[at];
  const fields = {
    weaker: weaker && levelName(weaker.number),
    stronger: levelName(stronger.number),
    name: levelName(stronger.number),
  };
  const level = element(
    "p",
    { id: "level" },
    element("b", {}, formatNumber(lost, 1)),
    " ",
    element(
      "span",
      {},
      _("points lost a game"),
      " ",
      element(
        "small",
        {},
        lost < stronger.share * mean("start") + EVEN
          ? _("as {name}", fields)
          : at === 0
            ? _("below {name}", fields)
            : _("between {weaker} and {stronger}", fields),
      ),
    ),
  );
  const step = weaker ? (weaker.share - share) / (weaker.share - stronger.share) : 0; // from the level below
  return [level, scaleView((Math.max(0, at - 1) + step) / (LEVELS.length - 1))];
}

// The levels as a line from the weakest to perfect play, with a mark at a share of it.
function scaleView(share = null) {
  return element(
    "div",
    { class: "scale", "aria-hidden": "true" },
    ...LEVELS.map(({ number }) =>
      element("span", {}, element("i", {}), element("small", {}, levelName(number))),
    ),
    share === null ? "" : element("b", { style: `--share: ${share.toFixed(3)}` }),
  );
}

// All finished games, the latest first; a tap opens the review.
function gamesList(all) {
  return element(
    "section",
    { "aria-labelledby": "all-games" },
    element("h3", { id: "all-games" }, _("All games")),
    element("ol", { class: "games" }, ...all.toReversed().map(gameRow)),
  );
}

// A day in words, of a date or of milliseconds; a file may have anything.
function dayText(date) {
  const day = new Date(date || NaN),
    parts = { day: "numeric", month: "short", year: "numeric" };
  return Number.isNaN(day.getTime())
    ? _("without a date")
    : new Intl.DateTimeFormat(language, parts).format(day);
}

function gameRow(game) {
  const { record, players } = game,
    own = players.find(({ name }) => name === player) || players[0],
    others = players.filter((each) => each !== own).map(({ name }) => name),
    date = dayText(record.date),
    name = `${formatNumber(own.result)}, ${date}`;
  const row = rowButton(
    date,
    others.length ? _("with {names}", { names: others.join(", ") }) : _("alone"),
    own,
    () => openReview(record),
  );
  return element(
    "li",
    {},
    row,
    removeButton(name, async () =>
      showRemoved(_("Removed: {game}.", { game: name }), await removeGames([game])),
    ),
  );
}

// A finished game; `own` has its result, luck and points lost, and is null while they are not known.
const rowButton = (title, text, own, onClick) =>
  button(
    [
      element("b", { class: "game-result" }, own ? formatNumber(own.result) : "…"),
      " ",
      element("span", { class: "game-name" }, title, " ", element("small", {}, text)),
      ...(own
        ? [
            [_("luck"), own.luck],
            [_("errors"), -own.lost],
          ]
        : []
      ).flatMap(([name, points]) => [
        " ",
        element(
          "span",
          { class: "game-figure" },
          element("small", {}, name),
          " ",
          signedText(points),
        ),
      ]),
    ],
    onClick,
    { class: "game-row" },
  );

// The sample in place of a first game.
function sampleRow() {
  const rowOf = (own) => rowButton(_("Sample game"), _("what a review shows"), own, openSample);
  const row = element("li", { id: "sample" }, rowOf(null));
  sampleReview(state.rules).then(
    ({ found: [{ result, luck, points_lost: lost }] }) => {
      const hasFocus = row.contains(document.activeElement);
      row.replaceChildren(rowOf({ result, luck, lost }));
      if (hasFocus) row.firstChild.focus();
    },
    () => row.remove(),
  );
  return row;
}

// --- games that are not finished, of tabs that are open or closed ---

// { text of where it stands, date, game }; those of rules that are not there any more are left out.
async function unfinishedGames() {
  const found = [];
  for (const game of await otherGames()) {
    const { rules: spec, players } = JSON.parse(game.step);
    const known = await loadRules(spec).catch(() => null);
    if (!known) continue;
    const { card } = players[0],
      turns = known.categories.length,
      turn = Object.keys(card).length + 1,
      fields = { turn: formatNumber(Math.min(turn, turns)), turns: formatNumber(turns) };
    found.push({
      game,
      points: formatNumber(totals(players[0], known).all),
      title: known.name,
      text: [
        turn > turns ? _("Game over") : _("Turn {turn} of {turns}", fields),
        dayText(game.time),
        players
          .slice(1)
          .map(({ name }) => name)
          .filter(Boolean)
          .join(", "),
      ]
        .filter(Boolean)
        .join(" · "),
    });
  }
  return found;
}

const unfinishedList = (others) =>
  element(
    "section",
    { "aria-labelledby": "other-games", id: "unfinished" },
    element("h3", { id: "other-games" }, _("Games at other tables")),
    element("ol", { class: "games" }, ...others.map(unfinishedRow)),
  );

// A game that another tab holds is neither opened nor removed here.
function unfinishedRow({ game, points, title, text }) {
  const name = [
    element("b", { class: "game-result" }, points),
    " ",
    element("span", { class: "game-name" }, title, " ", element("small", {}, text)),
    " ",
  ];
  if (game.isHeld)
    return element(
      "li",
      {},
      element(
        "div",
        { class: "game-row" },
        ...name,
        element("small", {}, _("open in another tab")),
      ),
    );
  const remove = async () => {
    const bringBack = await removeGame(game);
    if (bringBack) showRemoved(_("Removed: {game}.", { game: `${title}, ${text}` }), bringBack);
    else showStatus(_("This game is open in another tab."));
  };
  return element(
    "li",
    {},
    button([...name, element("small", {}, _("Go on"))], () => goOnWith(game), {
      class: "game-row",
    }),
    removeButton(`${title}, ${text}`, remove),
  );
}

function summary(own) {
  const mean = (field) => own.reduce((sum, each) => sum + each[field], 0) / own.length,
    count = own.length;
  const paid = own.filter(({ bonus }) => bonus !== null);
  return [
    figures(
      [
        [ngettext("game", "games", count, {}), formatNumber(count)],
        [_("average"), formatNumber(mean("result"), 1)],
        [_("best game"), formatNumber(Math.max(...own.map(({ result }) => result)))],
        ...(count > LEVEL_GAMES // else it is the level
          ? [
              [
                _("lost per game"),
                formatNumber(mean("lost"), 1),
                mean("lost") < EVEN ? null : "lost",
              ],
            ]
          : []),
        [_("luck per game"), signedText(mean("luck"))],
      ],
      { class: "figures parts" },
    ),
    ...(count > 1
      ? [
          element("h3", {}, _("Points lost per game, without luck")),
          lossChart(own.map(({ lost }) => lost)),
        ]
      : []),
    table(
      _("Where they are lost"),
      [_("Where they are lost"), _("lost per game")],
      [
        [_("Keeping dice"), formatNumber(mean("holds"), 1)],
        [_("Choosing a box"), formatNumber(mean("boxes"), 1)],
      ],
    ),
    ...(paid.length > 1
      ? [
          element(
            "p",
            {},
            _("Upper bonus in {share} of games.", {
              share: formatPercent(paid.filter(({ bonus }) => bonus).length / paid.length, 0),
            }),
          ),
        ]
      : []),
    element("p", { class: "hint", id: "faces-line" }, facesText(own)),
  ];
}

function facesText(own) {
  const counts = Array.from({ length: rules().faces }, (_face, i) =>
    own.reduce((sum, { faces }) => sum + (faces[i + 1] || 0), 0),
  );
  const fields = {
    counts: counts
      .map((count, i) => _("{face}: {count}", { face: i + 1, count: formatNumber(count) }))
      .join(" · "),
    share: formatPercent(fairness(counts), 0),
  };
  return _(
    "Faces rolled, {counts}. Fair dice are at least as uneven in {share} of all such series.",
    fields,
  );
}

function lossChart(lost) {
  const width = chartWidth(byId("statistics")),
    most = Math.max(...lost, 1),
    base = TOP + HEIGHT;
  const xOf = (i) => LEFT + ((i + 0.5) * (width - LEFT)) / lost.length,
    yOf = (loss) => base - (loss / most) * HEIGHT;
  const average = lost.map((_loss, i) => {
    const last = lost.slice(Math.max(0, i + 1 - SMOOTHED), i + 1);
    return last.reduce((sum, loss) => sum + loss, 0) / last.length;
  });
  const line = (values) =>
    values.map((value, i) => `${xOf(i).toFixed(1)},${yOf(value).toFixed(1)}`).join(" ");
  return svg(
    "svg",
    {
      viewBox: `0 0 ${width} ${base + BELOW}`,
      role: "img",
      class: "course",
      "aria-label": _("Points lost per game: {first} at first, {last} in the latest games", {
        first: formatNumber(average[0], 1),
        last: formatNumber(average.at(-1), 1),
      }),
    },
    ...[0, most].map((value) =>
      svg("text", { x: LEFT - 6, y: yOf(value) + 4, "text-anchor": "end" }, formatNumber(value)),
    ),
    svg("line", { x1: LEFT, x2: width, y1: base, y2: base, class: "axis" }),
    svg("polyline", { points: line(lost), class: "without-errors" }),
    svg("polyline", { points: line(average), class: "expected" }),
  );
}

const exportGames = (kept) =>
  download(kept.map(({ record }) => record)).catch(({ message }) => showStatus(message));

// Every game is reviewed before it is kept: one that is wrong or unfinished is left out, and counted.
async function importGames(event) {
  const [file] = event.target.files;
  if (!file) return;
  let added = 0,
    left = 0;
  try {
    for (const record of await gamesOf(await file.text())) {
      try {
        await loadRules(record.rules);
        if (await remember(record, await reviewGame(record), true)) added += 1;
        else left += 1;
      } catch {
        left += 1;
      }
    }
    status = ngettext(
      "{added} game added, {left} left out: known, wrong or unfinished.",
      "{added} games added, {left} left out: known, wrong or unfinished.",
      added,
      { added: formatNumber(added), left: formatNumber(left) },
    );
  } catch (error) {
    status = error.message;
  }
  event.target.value = "";
  await showStatus(status);
}

document.addEventListener("room", draw);
onDraw(draw);
