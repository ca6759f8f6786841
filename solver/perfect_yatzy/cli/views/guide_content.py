"""The guide in words, with every text of the page and the terminal.

The texts are made from the data of a guide and a catalogue.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from ...core.dice import Dice
from ...core.rules import Bonus, RuleSet, leaves_choice
from ...policies.guide import (
    RARE,
    Example,
    Guide,
    HoldExample,
    OpeningLine,
    Option,
    Stage,
    listed_rolls,
)
from ...policies.strategy_sheet import PriceSheet, StrategySheet, pars
from .wording import category_name
from .words import (
    NO_TEXT,
    Text,
    Words,
    capitalised,
    dice_text,
    hold_sentence,
    joined,
    legend,
    text_of,
    words_of,
)

T = TypeVar("T")

# least share of the give-up turns of a stage for a box to be listed there
MIN_SHARE = 0.01
MAX_GIVE_UPS = 6
MAX_OPENING_LINES = 30
MAX_ROLLS = 12  # rolls that are listed for a line
MANY_RULES = 14  # hold rules that leave no space below them for what to give up
MAX_SAMPLE = 6  # dice of a roll that is drawn


@dataclass(frozen=True)
class Row:
    """A line of a table."""

    name: Text
    value: str = ""  # at the right
    bar: float = -1.0  # length of a bar, 0 to 1, or negative for no bar
    points: str = ""  # of the odds, right of the chance


@dataclass(frozen=True)
class OpeningRow:
    """First rolls that are treated in the same way."""

    # the faces of a roll and whether they are held, or nothing if it would be too long
    sample: tuple[tuple[int, bool], ...]
    pattern: str
    heading: str  # the pattern at its first line, otherwise empty
    hold: str
    rolls: str  # the rolls of the line, or which of the pattern they are
    score: str
    share: str


@dataclass(frozen=True)
class Section:
    """A part of the guide under a heading."""

    id: str  # prices, bonus, holds, give_up, examples, losses, opening, longer or odds
    title: str
    note: Text = NO_TEXT  # below the title, if there is one
    # prices (with bars), hold rules (with their worth), stages, losses (with bars) and odds
    rows: tuple[Row, ...] = ()
    paragraphs: tuple[Text, ...] = ()  # of the bonus and the examples
    heads: tuple[str, ...] = ()  # of the columns of the opening rolls and the odds
    opening_rows: tuple[OpeningRow, ...] = ()
    dice_note: str = ""  # follows the note where dice are drawn

    @property
    def form(self) -> str:
        """How it is drawn, which is as texts, as a list of hold rules, or in its own way."""
        return {"bonus": "texts", "give_up": "texts", "examples": "texts", "longer": "holds"}.get(
            self.id, self.id
        )

    @property
    def is_boxed(self) -> bool:
        """Whether it is drawn in a box."""
        return self.id in ("bonus", "give_up")

    @property
    def texts(self) -> list[Text]:
        """The names of the rows and the paragraphs of a section that is drawn as texts."""
        return [*(row.name for row in self.rows), *self.paragraphs]


@dataclass(frozen=True)
class GuideContent:
    """All texts of a guide."""

    rules: RuleSet  # with the names of the categories in `language`, which the catalogue may lack
    words: Words
    title: str
    card_title: str
    lead: tuple[Text, ...]
    # by id, in order of reading, without those that have no content
    sections: dict[str, Section]


@dataclass(frozen=True)
class Sheet:
    """A sheet of paper, with the ids of the sections in each column and below them.

    Those below have the whole width.
    """

    columns: tuple[tuple[str, ...], ...]
    below: tuple[str, ...] = ()


def guide_content(guide: Guide, longer: StrategySheet | None = None) -> GuideContent:
    """Return the texts of a guide, in the language of the names of its rules or in English.

    English is used for a language without a catalogue. `longer` gives the sheet a longer list of
    hold rules, for readers who want more.
    """
    rules = guide.rules
    words = words_of(rules.language)
    sections = [
        *_sheet_sections(guide, longer, words),
        _give_up(guide, words),
        _examples(guide, words),
        _losses(guide, words),
        _opening(guide, words),
        _longer(rules, longer, words),
        _odds(guide, words),
    ]
    return GuideContent(
        rules,
        words,
        title=str(words.fill("guide.title", game=rules.name)),
        card_title=str(words.fill("guide.card_title", game=rules.name)),
        lead=tuple(_lead(guide, words)),
        sections={section.id: section for section in sections if section},
    )


def _lead(guide: Guide, words: Words) -> list[Text]:
    sheet = guide.sheet
    perfect = words.number(guide.perfect)
    only_perfect = words.fill("guide.lead_perfect", perfect=perfect)
    learn = f"yatzy learn {guide.rules.spec or guide.rules.key}"
    if sheet is None:
        return [only_perfect, words.fill("guide.no_sheet", command=learn)]
    if guide.rules.rolls_per_turn > 1 and not sheet.holds:
        return [only_perfect, words.fill("guide.lead_prices", command=f"{learn} --hold-rules 16")]
    mean = sheet.figures.get("mean" if sheet.holds else "prices_mean")
    if mean is None:
        return [only_perfect]
    counts = {"numbers": sheet.prices.n_numbers, "holds": len(sheet.holds)}
    return [words.fill("guide.lead_rules", **counts, mean=words.number(mean), perfect=perfect)]


def _sheet_sections(
    guide: Guide, longer: StrategySheet | None, words: Words
) -> list[Section | None]:
    sheet = guide.sheet
    rules = guide.rules
    if sheet is None:
        return []
    prices = sheet.prices.prices
    top = max(map(abs, prices)) or 1.0
    pairs = zip(rules.categories, prices, strict=True)
    rows = tuple(
        Row(text_of(box.name), words.price(price), max(0.0, price) / top) for box, price in pairs
    )
    title, note = ("title", "note") if leaves_choice(rules) else ("title_forced", "forced")
    bonus = tuple(_bonus(sheet.prices, rules, words))
    return [
        Section("prices", words.words(f"prices.{title}"), words.fill(f"prices.{note}"), rows),
        Section("bonus", words.words("prices.bonus"), paragraphs=bonus) if bonus else None,
        _holds(sheet, longer, rules, words),
    ]


def _bonus(prices: PriceSheet, rules: RuleSet, words: Words) -> list[Text]:
    """Return what the numbers other than prices mean."""
    texts = []
    if rules.bonus and any(pars(rules)):
        texts += [_bonus_parts(prices, rules.bonus, words), _pars_text(rules, words)]
    saved_roll = prices.terms["saved_roll"]
    if saved_roll:
        texts.append(words.fill("prices.saved_roll", value=words.price(saved_roll)))
    joker_turn = prices.terms["joker_turn"]
    if joker_turn:
        box = rules.categories[rules.joker_index].name
        texts.append(words.fill("prices.joker_turn", box=box, value=words.price(joker_turn)))
    return texts


def _bonus_parts(prices: PriceSheet, bonus: Bonus, words: Words) -> Text:
    """Return the steps of the upper bonus, and the numbers that are for it."""
    numbers = {}
    for name in ("secured", "lost", "par_point"):
        value = prices.terms[name]
        numbers[name] = ("+" if value > 0 else "") + _whole(value, words)
    thresholds, points = zip(*bonus.steps, strict=True)
    return words.fill(
        "prices.bonus_steps" if bonus.lower_steps else "prices.bonus_parts",
        points=words.listed([*map(str, points)], "or"),
        thresholds=words.listed([*map(str, thresholds)], "or"),
        threshold=bonus.threshold,
        **numbers,
    )


def _pars_text(rules: RuleSet, words: Words) -> Text:
    """Return par, which is the same whole number of dice in each upper box, or that of each."""
    upper = [(box, par) for box, par in zip(rules.categories, pars(rules), strict=True) if par]
    listed = ", ".join(f"{box.name} {_whole(par, words)}" for box, par in upper)
    dice = {round(par / box.face, 6) if box.face else 0.0 for box, par in upper}
    count = int(min(dice))
    is_each = count > 0 and dice == {count}
    key = "prices.par_each" if is_each else "prices.par_boxes"
    return words.fill(key, count=count, pars=listed)


def _whole(value: float, words: Words) -> str:
    """Return a number, without decimals if it is a whole one."""
    return words.price(value).removesuffix(words.words("decimal") + "0")


def _holds(
    sheet: StrategySheet, longer: StrategySheet | None, rules: RuleSet, words: Words
) -> Section | None:
    """Return the list of hold rules that comes first, with a legend of the words of both lists."""
    if not sheet.holds:
        return None
    # The worth of each rule may be unknown, or that of another list.
    worth = sheet.figures.get("worth", [])
    values = (
        [words.number(value) for value in worth]
        if len(worth) == len(sheet.holds)
        else [""] * len(sheet.holds)
    )
    rows = [
        Row(hold_sentence(rules, rule, words), value)
        for rule, value in zip(sheet.holds, values, strict=True)
    ]
    note = words.fill("holds.note") if any(values) else NO_TEXT
    explained = joined(legend(rules, [*sheet.holds, *(longer.holds if longer else ())], words))
    return Section("holds", words.words("holds.title"), note, tuple(rows), (explained,))


def _longer(rules: RuleSet, sheet: StrategySheet | None, words: Words) -> Section | None:
    """Return a longer list of hold rules, for a reader to whom the first one is too short."""
    if sheet is None:
        return None
    mean = words.number(sheet.figures["mean"])
    title = words.fill("holds.longer", count=len(sheet.holds), mean=mean)
    rows = tuple(Row(hold_sentence(rules, rule, words)) for rule in sheet.holds)
    return Section("longer", str(title), rows=rows)


def _give_up(guide: Guide, words: Words) -> Section | None:
    title = words.words("give_up.title")
    if not leaves_choice(guide.rules):
        return Section("give_up", title, words.fill("give_up.forced"))
    stages = [stage for stage in guide.stages if stage.give_ups]
    if not stages:
        return None

    def stage_text(stage: Stage) -> Text:
        """Return the boxes that perfect play gives up in a stage, the cheapest first."""
        entries = []
        frequent = [give_up for give_up in stage.give_ups if give_up.share >= MIN_SHARE]
        for give_up in frequent[:MAX_GIVE_UPS]:
            box = guide.rules.categories[give_up.category]
            share = f"{100 * give_up.share:.0f}"
            key = "give_up.one_die" if give_up.points else "give_up.zero"
            entries.append(
                words.fill(key, box=box.name, face=box.face, cost=give_up.cost, share=share)
            )
        turns_key = "give_up.stage_one" if stage.first == stage.last else "give_up.stage"
        return (
            words.fill(turns_key, first=stage.first, last=stage.last) + joined(entries, ", ") + "."
        )

    def is_rare(category: int) -> bool:
        """Return whether a box is rarely given up, in each stage."""
        for stage in stages:
            shares = [entry.share for entry in stage.give_ups if entry.category == category]
            if sum(shares) >= RARE:
                return False
        return True

    rows = tuple(Row(stage_text(stage)) for stage in stages)
    never = [box.name for category, box in enumerate(guide.rules.categories) if is_rare(category)]
    paragraphs = (words.fill("give_up.never", boxes=", ".join(never)),) if never else ()
    return Section("give_up", title, words.fill("give_up.note"), rows, paragraphs)


def _examples(guide: Guide, words: Words) -> Section | None:
    if not guide.examples:
        return None
    texts = [_example(guide.rules, example, words) for example in guide.examples]
    if guide.hold:
        texts.insert(1, _hold_example(guide.rules, guide.hold, words))
    return Section("examples", words.words("examples.title"), paragraphs=tuple(texts))


def _hold_example(rules: RuleSet, hold: HoldExample, words: Words) -> Text:
    """Return a roll with what the reader needs for the hold rules, and the rule that decides."""
    filled = hold.state.filled
    open_boxes = [box.name for i, box in enumerate(rules.categories) if not filled & 1 << i]
    return words.fill(
        "examples.hold",
        turn=hold.turn,
        dice=dice_text(hold.dice),
        count=hold.rolls_left,
        upper=hold.state.upper,
        boxes=words.listed(open_boxes),
        rule=hold.rule + 1,
        kept=dice_text(hold.kept),
    )


def _example(rules: RuleSet, example: Example, words: Words) -> Text:
    """Return a position, the subtraction for each option, and the decision."""
    names = [box.name for box in rules.categories]

    def subtraction(option: Option) -> Text:
        # The numbers are added as they are printed, so that the reader gets the same sum.
        price = round(option.price, 2)
        bonus = round(option.bonus, 1)
        value = option.points - price + bonus
        text = words.fill(
            "examples.option",
            box=names[option.category],
            points=option.points,
            price=words.price(price),
        )
        if bonus:
            key = "examples.option_more" if bonus > 0 else "examples.option_less"
            text = text + words.fill(key, bonus=words.number(abs(bonus)))
        sign = "+" if value >= 0.005 else ""  # a minus sign is part of the number
        return text + words.fill("examples.value", value=sign + words.price(value))

    key = "examples.position" if rules.bonus else "examples.position_plain"
    head = words.fill(
        key, turn=example.turn, dice=dice_text(example.dice), upper=example.state.upper
    )
    chosen = example.options[0]
    box = names[chosen.category]
    if chosen.loss:
        best = names[example.best.category]
        loss = words.number(chosen.loss, 1)
        decision = words.fill("examples.differs", box=box, best=best, loss=loss)
    else:
        decision = words.fill("examples.same", box=box)
    return joined([head, joined(map(subtraction, example.options), "; ") + ".", decision])


def _losses(guide: Guide, words: Words) -> Section | None:
    if not guide.losses:
        return None
    top = max(*guide.losses, 1e-9)
    losses = enumerate(guide.losses, start=1)
    rows = tuple(
        Row(text_of(str(turn)), words.number(loss, 2), loss / top) for turn, loss in losses
    )
    return Section(
        "losses",
        words.words("losses.title"),
        words.fill("losses.total", total=sum(guide.losses)),
        rows,
    )


def _odds(guide: Guide, words: Words) -> Section:
    rows = []
    for box, odds in zip(guide.rules.categories, guide.odds, strict=True):
        rows.append(
            Row(
                text_of(box.name),
                _percent(odds.chance, words),
                points=words.number(odds.expected_points),
            )
        )
    heads = tuple(words.words(f"odds.{name}") for name in ("box", "chance", "points"))
    return Section(
        "odds", words.words("odds.title"), words.fill("odds.note"), tuple(rows), heads=heads
    )


def _percent(share: float, words: Words) -> str:
    """Return a share in per cent with about two digits."""
    if share < 0.0095:
        decimals = 2
    elif share < 0.995:
        decimals = 1
    else:
        decimals = 0
    return f"{words.number(100 * share, decimals)}\u00a0%"


def _opening(guide: Guide, words: Words) -> Section | None:
    lines = guide.opening
    if not lines:
        return None
    most_probable = sorted(range(len(lines)), key=lambda i: -lines[i].chance)[:MAX_OPENING_LINES]
    listed = [lines[i] for i in sorted(most_probable)]  # in the order of the guide
    pairs = zip(listed, [None, *listed], strict=False)  # each with the one before it
    rows = tuple(_opening_row(guide.rules, line, before, words) for line, before in pairs)
    return Section(
        "opening",
        words.words("opening.title"),
        words.fill("opening.note"),
        opening_rows=rows,
        heads=tuple(words.words(f"opening.{name}") for name in ("rolls", "score", "share")),
        dice_note=words.words("opening.held") if any(row.sample for row in rows) else "",
    )


def _opening_row(
    rules: RuleSet, line: OpeningLine, before: OpeningLine | None, words: Words
) -> OpeningRow:
    low, high = words.number(line.lowest, 0), words.number(line.highest, 0)
    pattern = words.pattern(line.pattern) if line.pattern else words.words("opening.all_rolls")
    is_first = before is None or before.pattern != line.pattern
    return OpeningRow(
        sample=_sample(rules, line),
        pattern=pattern,
        heading=capitalised(pattern) if is_first else "",
        hold=_hold_words(rules, line, words),
        rolls=_rolls_words(rules, line, words),
        score=low if low == high else f"{low}–{high}",
        share=_percent(line.chance, words),
    )


def _sample(rules: RuleSet, line: OpeningLine) -> tuple[tuple[int, bool], ...]:
    """Return a roll of the line, with whether each die is held.

    It is the middle roll of the last entry, which has the highest faces held. If the turn stops, all
    dice are held. Rolls of more than MAX_SAMPLE dice are not shown.
    """
    if rules.dice > MAX_SAMPLE:
        return ()
    entry = line.entries[-1]
    roll = entry.rolls[len(entry.rolls) // 2]
    return tuple(marked_dice(roll, roll if line.stop else entry.hold))


def marked_dice(dice: Dice, held: Dice) -> list[tuple[int, bool]]:
    """Return each die, and whether it is held."""
    still_held = [*held]
    marked = []
    for face in dice:
        is_held = face in still_held
        if is_held:
            still_held.remove(face)
        marked.append((face, is_held))
    return marked


def _hold_words(rules: RuleSet, line: OpeningLine, words: Words) -> str:
    if line.faces:
        faces = words.listed([str(face) for face in line.faces], "and")
        return str(words.fill("opening.keep", what=words.fill("opening.every_face", faces=faces)))
    if line.stop:
        categories = {entry.category for entry in line.entries if entry.category}
        if len(categories) > 1:
            return words.words("opening.stop")
        return str(words.fill("opening.stop_box", box=category_name(rules, categories.pop())))
    if not line.kept:
        return words.words("opening.roll_all")
    return str(words.fill("opening.keep", what=_kept_words(line, words)))


def _kept_words(line: OpeningLine, words: Words) -> str:
    """Return the dice that are kept in words, such as ``the pair`` or ``three dice``."""
    kept = line.kept  # sizes of the groups of equal dice, descending
    singles = kept.count(1)
    if singles == len(kept):
        if len(line.entries) == 1:
            return " ".join(map(str, line.entries[0].hold))
        return str(words.fill("opening.run" if line.is_run else "opening.dice", count=singles))
    if len(kept) > 1 and set(kept) == {2}:
        if kept == (2, 2) and line.pattern.count(2) == 2:
            return words.words("groups.both_pairs")
        if line.which == "highest":
            return str(words.fill("groups.higher_pairs", count=len(kept)))
    if len(kept) == 1 and line.which == "highest":
        return words.group(kept[0], "higher")
    if len(kept) == 1 and kept[0] in line.pattern and line.which == "":
        return words.group(kept[0], "the")
    text = words.pattern(kept)
    return f"{text} + {words.fill('opening.dice', count=singles)}" if singles else text


def _rolls_words(rules: RuleSet, line: OpeningLine, words: Words) -> str:
    """Return which rolls are meant: all of the pattern, all others, or a list.

    The dice held or the category are named where they differ.
    """
    if line.faces or (line.whole_pattern and len({entry.category for entry in line.entries}) == 1):
        return words.words("opening.all")
    if line.majority and not _needs_labels(line):
        return words.words("opening.others")
    parts = []
    n_rolls = 0  # of the entries so far, also those that are not listed
    for entry in line.entries:
        rolls = listed_rolls(entry, line.pattern, rules.faces)
        listed = rolls[: max(0, MAX_ROLLS - n_rolls)]
        n_rolls += len(rolls)
        if not listed:
            continue
        label = category_name(rules, entry.category) if entry.category else _digits(entry.hold)
        text = " ".join(
            _digits(dice) + words.words("opening.other_dice") * others for dice, others in listed
        )
        parts.append(f"{label}: {text}" if _needs_labels(line) else text)
    more = (
        f" {words.fill('opening.more', count=n_rolls - MAX_ROLLS)}" if n_rolls > MAX_ROLLS else ""
    )
    return "; ".join(parts) + more


def _needs_labels(line: OpeningLine) -> bool:
    """Return whether each roll is listed with its hold or category.

    It is where :func:`_kept_words` does not say which these are.
    """
    if line.stop:
        return len({entry.category for entry in line.entries}) > 1
    # All dice are rolled again, or the only hold is named.
    if not line.kept or len(line.entries) == 1:
        return False
    # The roll shows of which face a single group is.
    is_one_group = len(line.kept) == 1 and line.kept[0] > 1
    return not is_one_group and line.which != "highest"


def _digits(dice: Dice) -> str:
    return "".join(map(str, dice))


def card_sides(content: GuideContent) -> list[Sheet]:
    """Return the sides of a card."""
    sides = Sheet((("prices", "bonus", "give_up"),)), Sheet((("holds",),))
    return [side for side in sides if content.sections.keys() & {*side.columns[0]}]


def guide_sheets(content: GuideContent) -> list[Sheet]:
    """Return the two sheets of a guide.

    Without a learned strategy there is one sheet of what is always known.
    """
    if "prices" not in content.sections:
        return [Sheet((("give_up", "opening", "odds"),))]
    has_many_rules = (
        "holds" in content.sections and len(content.sections["holds"].rows) > MANY_RULES
    )
    columns: tuple[tuple[str, ...], ...]
    if has_many_rules:
        columns = ("prices", "bonus", "give_up"), ("holds", "examples")
    else:
        columns = ("prices", "bonus"), ("holds", "examples", "give_up")
    return [Sheet(columns, below=("losses",)), Sheet((("longer", "opening", "odds"),))]


def column_groups(rows: Sequence[T], columns: int) -> list[Sequence[T]]:
    """Return rows shared out over columns, the first ones the longest."""
    size, n_longer = divmod(len(rows), columns)  # the first `n_longer` columns have one row more
    starts = [i * size + min(i, n_longer) for i in range(columns + 1)]
    return [rows[start:end] for start, end in pairwise(starts)]
