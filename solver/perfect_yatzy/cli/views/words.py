"""The words of the printed guide in several languages.

They are text with dice and bold parts, and hold rules as sentences. The templates are in
``cli/words/en.toml``, which has sections with ``{fields}``, ``*bold parts*`` and plural forms
``{count:one die|# dice}``. Their translations are in the catalogues of :mod:`perfect_yatzy.words`,
where the context is the key.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any, Literal

from ...core.dice import Dice
from ...core.rules import RuleSet, prerequisites
from ...game.translations import languages, toml_text
from ...policies.hold_policy import bonus_box
from ...policies.hold_rules import Condition, DicePattern, HoldRule, all_categories, section
from ...words import DECIMAL_POINT, ENGLISH, LANGUAGES, pgettext
from .wording import category_name

CLI = Path(__file__).parent.parent
FOLDER = "words"
EACH = ("different", "row")  # patterns that name one die of each face


@dataclass(frozen=True)
class Span:
    """A part of a text."""

    text: str  # of dice, their faces as digits, separated by spaces
    kind: Literal["plain", "bold", "dice"] = "plain"


@dataclass(frozen=True)
class Text:
    """A text of several parts."""

    spans: tuple[Span, ...] = ()

    def __str__(self) -> str:
        return "".join(span.text for span in self.spans)

    def __add__(self, other: Text | str) -> Text:
        return Text((*self.spans, *text_of(other).spans))

    def __bool__(self) -> bool:
        return bool(self.spans)


NO_TEXT = Text()


def text_of(value: Text | str) -> Text:
    """Return a text, or plain words as one."""
    if isinstance(value, Text):
        return value
    return Text((Span(value),)) if value else NO_TEXT


def joined(texts: Iterable[Text | str], separator: str = " ") -> Text:
    """Return texts with a separator between them. Empty ones are left out."""
    result = NO_TEXT
    for text in texts:
        if text:
            result = result + separator + text if result else text_of(text)
    return result


def capitalised(text: str) -> str:
    """Return words with a capital first letter. The rest is unchanged."""
    return text[:1].upper() + text[1:]


def dice_text(dice: Dice) -> Text:
    """Return dice as a part of a text."""
    return Text((Span(" ".join(map(str, dice)), "dice"),))


class Words:
    """The catalogue of one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.table = _catalogue(language)

    def fill(self, key: str, **values: object) -> Text:
        """Return a template with its fields filled in."""
        spans: list[Span] = []
        is_bold = False  # each asterisk begins or ends a bold part, also one with fields
        for literal, name, plural_forms, _conversion in Formatter().parse(self.words(key)):
            first, *after_asterisks = literal.split("*")
            spans.append(Span(first, "bold" if is_bold else "plain"))
            for part in after_asterisks:
                is_bold = not is_bold
                spans.append(Span(part, "bold" if is_bold else "plain"))
            if name is not None:  # a field follows the literal
                for span in self._field(name, values[name], plural_forms).spans:
                    becomes_bold = is_bold and span.kind == "plain"
                    spans.append(Span(span.text, "bold") if becomes_bold else span)
        return Text(_merged(spans))

    def _field(self, name: str, value: object, plural_forms: str | None) -> Text:
        """Return what a field of a template becomes.

        It is one of its plural forms (with ``#`` for the count in words), a count in words, a
        number or a text.
        """
        if plural_forms:
            count = int(str(value))
            one, many = plural_forms.split("|")
            return text_of(one if count == 1 else many.replace("#", self.count(count)))
        if name == "count":
            return text_of(self.count(int(str(value))))
        if isinstance(value, Text):
            return value
        return text_of(self.number(value) if isinstance(value, float) else str(value))

    def words(self, key: str) -> str:
        """Return a template as it is in the catalogue."""
        return str(self.entry(key))

    def entry(self, key: str) -> Any:
        """Return an entry of the catalogue, which is a template or a list of words."""
        part, _dot, name = key.rpartition(".")
        return self.table[part][name] if part else self.table[name]

    def number(self, value: float, decimals: int = 1) -> str:
        """Return a number with the decimal sign of the language.

        A minus sign is as wide as a plus sign.
        """
        rounded = round(value, decimals)
        text = f"{abs(rounded):.{decimals}f}".replace(".", self.words("decimal"))
        return f"−{text}" if rounded < 0 else text

    def price(self, value: float) -> str:
        """Return a number with one decimal, or with two if it has two."""
        return self.number(value, 1 if abs(value * 10 - round(value * 10)) < 1e-6 else 2)

    def listed(self, names: Sequence[Text | str], last: str = "and") -> Text:
        """Return names as ``a, b and c``. `last` is the key of the last connection."""
        if len(names) < 2:
            return joined(names)
        return self.fill(f"guide.{last}", first=joined(names[:-1], ", "), last=text_of(names[-1]))

    def count(self, number: int) -> str:
        """Return a small number as a word, and others as digits."""
        words = self.entry("numbers.words")
        return words[number] if number < len(words) else str(number)

    def group(self, size: int, form: str) -> str:
        """Return a group of equal dice in one of its forms: ``name``, ``the`` or ``higher``."""
        names = self.entry(f"groups.{form}")
        if size <= len(names):
            return str(names[size - 1])
        return str(self.fill(f"groups.{form}_many", count=size))

    def pattern(self, groups: tuple[int, ...]) -> str:
        """Return groups of equal dice in words.

        Examples are ``three of a kind + pair``, ``two pairs`` and ``all different``.
        """
        large = [size for size in groups if size > 1]
        if not large:
            return self.words("groups.different")
        sizes = sorted(set(large), reverse=True)
        return " + ".join(self._alike(size, large.count(size)) for size in sizes)

    def _alike(self, size: int, number: int) -> str:
        """Return so many groups of one size, such as ``three of a kind`` or ``two pairs``."""
        if number == 1:
            return self.group(size, "name")
        if size == 2:
            return str(self.entry("groups.pairs")[number - 1])
        return str(self.fill("groups.several", number=number, group=self.group(size, "name")))


def words_of(language: str) -> Words:
    """Return the catalogue of a language, or the English one."""
    return Words(language if language in LANGUAGES else ENGLISH)


@cache
def _catalogue(language: str) -> dict[str, Any]:
    english: dict[str, Any] = tomllib.loads(toml_text(FOLDER, ENGLISH, CLI))
    if language == ENGLISH:
        return english
    decimal = "." if language in DECIMAL_POINT else ","
    table: dict[str, Any] = {"language": languages()[language], "decimal": decimal}
    for part, entries in english.items():
        if isinstance(entries, dict):
            table[part] = {
                name: _translated(f"{part}.{name}", value, language)
                for name, value in entries.items()
            }
    return table


def _translated(key: str, value: str | list[str], language: str) -> str | list[str]:
    """Return a template, or a list of words whose context ends with their place."""
    if isinstance(value, list):
        return [
            pgettext(f"{key}.{i}", word, language) for i, word in enumerate(value)
        ]  # marked elsewhere
    return pgettext(key, value, language)  # marked elsewhere


def _merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return the parts with neighbours of a kind merged, except for dice, and no empty ones."""
    result: list[Span] = []
    for span in spans:
        if result and span.kind != "dice" and result[-1].kind == span.kind:
            result[-1] = Span(result[-1].text + span.text, span.kind)
        elif span.text:
            result.append(span)
    return tuple(result)


def hold_sentence(rules: RuleSet, rule: HoldRule, words: Words) -> Text:
    """Return a rule as a sentence.

    An example is ``At least three alike of 3–6, if one roll is left: keep all of them.``
    """
    conditions = [_condition(rules, condition, words) for condition in rule.conditions]
    first, *rest = words.fill(
        "rule.sentence",
        pattern=_pattern(rules, rule.pattern, words),
        action=_action(rule, words),
        conditions=words.fill("rule.if", conditions=words.listed(conditions)) if conditions else "",
    ).spans
    return Text((Span(capitalised(first.text), first.kind), *rest))


def _action(rule: HoldRule, words: Words) -> Text:
    """Return what to do, so that it can be read in one way only."""
    pattern = rule.pattern
    if rule.action != "keep":
        return words.fill(f"rule.{rule.action.replace(' ', '_')}")
    if pattern.kind in EACH:
        if _is_whole(pattern):
            return words.fill("rule.keep_each")
        return words.fill("rule.keep_row" if pattern.kind == "row" else "rule.keep_each_more")
    if pattern.kind == "dice" and pattern.open:
        return words.fill("rule.keep_such")
    if pattern.kind == "dice" or (pattern.sizes == (1,) and pattern.low == pattern.high):
        every = [
            str(words.fill("rule.every", face=face))
            for face in range(pattern.low, pattern.high + 1)
        ]
        return words.fill("rule.keep_faces", faces=words.listed(every, "and"))
    return words.fill("rule.keep")


def legend(rules: RuleSet, holds: Sequence[HoldRule], words: Words) -> Iterator[Text]:
    """Yield what the words of some rules mean, as far as they occur."""
    patterns = [rule.pattern for rule in holds]
    conditions = {condition.kind for rule in holds for condition in rule.conditions}
    groups = [pattern for pattern in patterns if pattern.kind == "groups"]
    yield words.fill("legend.first")
    yield from _legend_of_use(rules, holds, words)
    if any(min(pattern.sizes) > 1 for pattern in groups):
        yield words.fill("legend.groups")
    if groups:
        yield words.fill("legend.pick")
    upper = next((box for box in rules.categories if box.face), None)
    if upper and any(pattern.open for pattern in patterns):
        yield words.fill("legend.open", box=upper.name, face=upper.face)
    if rules.joker and any(pattern.kind == "pays" for pattern in patterns):
        yield words.fill("legend.score")
    if "rolls left" in conditions:
        yield words.fill("legend.rolls")
    if "turns left" in conditions:
        yield words.fill("legend.turns")
    if "bonus needs" in conditions:
        steps = {least for bonus in rules.bonuses for least, _points in bonus.steps}
        thresholds = words.listed([*map(str, sorted(steps))], "or")
        if any(bonus.lower_steps for bonus in rules.bonuses):
            thresholds = words.fill("legend.next_step", steps=thresholds)
        yield words.fill("legend.needs", thresholds=thresholds)
    if {"above par", "below par"} & conditions:
        yield words.fill("legend.par", bonus=words.words("prices.bonus"))


def _legend_of_use(rules: RuleSet, holds: Sequence[HoldRule], words: Words) -> Iterator[Text]:
    """Yield when dice are of use, if a rule keeps any."""
    if {"keep", "stop"} & {rule.action for rule in holds}:
        yield words.fill("legend.use")
        if rules.joker and rules.joker.mode != "none":
            yield words.fill("legend.use_joker")
        if bonus_box(rules):
            yield words.fill("legend.use_bonus", box=rules.categories[rules.joker_index].name)


def _is_whole(pattern: DicePattern) -> bool:
    """Return whether every face of the range is asked for."""
    return pattern.kind in EACH and pattern.sizes[0] == pattern.high - pattern.low + 1


def _pattern(rules: RuleSet, pattern: DicePattern, words: Words) -> Text:
    """Return which dice a rule is for, such as ``At least three alike of 3–6``.

    Each kind of pattern has templates of its own, and some have one for patterns of all faces and
    one that names the faces.
    """
    if pattern.kind == "any":
        return words.fill("rule.any")
    if pattern.kind == "pays":
        boxes = words.listed([category_name(rules, name) for name in pattern.categories], "or")
        key = "rule.pays_least" if pattern.least > 1 else "rule.pays"
        return words.fill(key, box=boxes, points=pattern.least)
    if _is_whole(pattern):
        return words.fill(
            "rule.each", faces=words.listed([*map(str, range(pattern.low, pattern.high + 1))])
        )
    has_one_face = pattern.low == pattern.high
    names_faces = (pattern.low, pattern.high) != (1, rules.faces)
    faces = _faces(pattern, words)
    # These are parts of a key.
    faces_key = "_faces" if names_faces else ""
    open_key = "_open" if pattern.open else ""
    lowest = words.fill("rule.lowest") if pattern.lowest else NO_TEXT
    is_single_die = pattern.kind == "groups" and pattern.sizes == (1,)
    if is_single_die and not has_one_face:
        return words.fill(f"rule.single{faces_key}{open_key}", faces=faces) + lowest
    if is_single_die or pattern.kind == "dice":
        # The template without "open" always has the faces.
        return words.fill(f"rule.dice{faces_key if pattern.open else ''}{open_key}", faces=faces)
    of_faces = words.fill("rule.faces", faces=faces) if names_faces else NO_TEXT
    their_box_open = words.fill("rule.open") if pattern.open else NO_TEXT
    return _several_dice(pattern, of_faces, words) + their_box_open + lowest


def _several_dice(pattern: DicePattern, of_faces: Text, words: Words) -> Text:
    """Return one or several groups of equal dice, or one die of each of several faces."""
    size = pattern.sizes[0]
    n_groups = len(pattern.sizes)
    if pattern.kind in EACH:
        return words.fill(f"rule.{pattern.kind}", count=size, faces=of_faces)
    if len(set(pattern.sizes)) > 1:
        counts = words.listed([*map(words.count, pattern.sizes)])
        return words.fill("rule.groups", counts=counts, faces=of_faces)
    if n_groups > 1:
        number = words.count(n_groups)
        return words.fill("rule.groups_equal", number=number, count=size, faces=of_faces)
    if pattern.low == pattern.high:
        return words.fill("rule.group_one", count=size, faces=_faces(pattern, words))
    return words.fill("rule.group", count=size, faces=of_faces)


def _faces(pattern: DicePattern, words: Words) -> str:
    if pattern.low == pattern.high:
        return str(pattern.low)
    return str(words.fill("rule.face_range", low=pattern.low, high=pattern.high))


def _condition(rules: RuleSet, condition: Condition, words: Words) -> Text:
    if condition.kind in ("open", "closed", "only"):
        # Where boxes require others, an open box need not be next.
        words_for = "turn" if any(prerequisites(rules)) else "boxes"
        key = f"rule.{words_for}_{condition.kind}"
        return words.fill(
            key, boxes=_boxes(rules, condition, words), count=len(all_categories(rules, condition))
        )
    key = f"rule.{condition.kind.replace(' ', '_')}"
    if condition.kind == "scored":
        return words.fill(key, box=rules.categories[rules.tracked_index].name)
    if condition.kind in ("above par", "below par"):
        return words.fill(key, threshold=rules.threshold)
    if condition.low == condition.high:
        return words.fill(key, count=condition.low, number=condition.low)
    return words.fill(f"{key}_between", low=condition.low, high=condition.high)


def _boxes(rules: RuleSet, condition: Condition, words: Words) -> Text:
    """Return the boxes of a condition as a list.

    One *or* another is open or the only one, one *and* another are closed. With prerequisites a
    closed box may still be open later, and the sentence says that "this turn cannot fill one *or*
    another".
    """
    are_filled = condition.kind == "closed" and not any(prerequisites(rules))
    section_kind = condition.kind
    if condition.kind == "closed" and not are_filled:
        section_kind = "open"
    names = [
        words.words(f"rule.{section_kind}_{name}")
        if section(rules, name)
        else category_name(rules, name)
        for name in condition.categories
    ]
    return words.listed(names, "and" if are_filled else "or")
