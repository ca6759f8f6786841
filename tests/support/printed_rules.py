"""Hold rules as a reader of the printed guide understands them: from its sentences alone, in each
language.

Nothing here comes from the grammar of the rules or from the catalogues: the phrases in
../data/printed_guide.toml were written down from the printed guides. What a reader brings along are
the rules of the game: the names of the boxes, what they pay, and which box counts which face. A
sentence is read as a rule, which an oracle plays (naive_hold_rules.py).
"""

import re
import tomllib
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from perfect_yatzy import RuleSet
from perfect_yatzy.policies.hold_rules import Condition, DicePattern, HoldRule, hold_rule

PHRASES = tomllib.loads(
    (Path(__file__).parents[1] / "data" / "printed_guide.toml").read_text(encoding="utf-8")
)
Found = dict[str, str | None]  # the parts of a phrase
READ = {  # name of a phrase -> kind of a pattern or condition
    **dict.fromkeys(("alike", "most", "several", "unequal"), "groups"),
    "some": "dice",
    "all": "different",
    "score": "pays",
    "above": "above par",
    "below": "below par",
    "needs": "bonus needs",
    "rolls": "rolls left",
    "turns": "turns left",
}
STOP, ROLL_ALL, KEEP_MORE, KEEP_SUCH = 3, 4, 5, 6  # places among the actions
KEPT = {
    "different": 1,
    "row": 2,
}  # pattern -> which of the actions keeps its dice; the first does of all others


class PrintedGuide:
    """A reader of the text of a guide, as `yatzy guide` prints it; the rules have the names of
    boxes in its language.
    """

    def __init__(self, rules: RuleSet, language: str, text: str) -> None:
        self.rules, self.phrases = rules, PHRASES[language]
        # Japanese has no blanks between words, and its lines break between characters.
        self.has_blanks = self.phrases.get("blanks", True)
        self.and_, self.or_ = self.phrases["and"], self.phrases["or"]
        # A language may have several words for one, by what is counted.
        self.numbers = {
            word: number
            for number, words in enumerate(self.phrases["numbers"].split(), start=1)
            for word in words.split("/")
        }
        self.names = {self.joined(box.name): box.id for box in rules.categories}
        self.sections = [*self.phrases["upper"], *self.phrases["lower"]]
        by_length = sorted([*self.names, *self.sections], key=len, reverse=True)
        self.box = "(?:" + "|".join(map(re.escape, by_length)) + ")"
        self.rule_texts = [*numbered_sentences(text)]
        self.holds = tuple(self.read(sentence) for sentence in self.rule_texts)
        flat = self.joined(" ".join(text.split()))
        # Par of each upper box: the first list of upper boxes with a number each.
        upper = [box for box in rules.categories if box.face]
        found = re.search(
            self.joined(", ").join(
                rf"{re.escape(self.joined(box.name))}{self.joined(' ')}([+−]?\d+(?:[.,]\d+)?)"
                for box in upper
            ),
            flat,
        )
        par = found.groups() if upper and found else ()
        self.par = {
            box.id: Fraction(value.replace(",", "."))
            for box, value in zip(upper, par, strict=False)
        }
        # The upper sums that the bonus is paid from, as far as the legend names them.
        steps = re.search(
            self.joined(self.phrases["bonus"].replace("{steps}", rf"((?:\d+(?:, |{self.or_})?)+)")),
            flat,
        )
        self.steps = [int(step) for step in re.findall(r"\d+", steps[1])] if steps else []

    def joined(self, text: str) -> str:
        """A text as it is read, also across lines."""
        return text if self.has_blanks else text.replace(" ", "")

    def phrase(self, text: str) -> str:
        """A phrase as a regular expression."""
        number = "(?:" + "|".join([r"\d+", *sorted(self.numbers, key=len, reverse=True)]) + ")"
        parts = {
            "n": f"(?P<n>{number})",
            "m": f"(?P<m>(?i:{number}))",
            "f": r"(?P<f>\d+(?:–\d+)?)",
            "t": rf"(?P<t>\d+–\d+|{number})",
            "l": rf"(?P<l>{number}(?:(?:, |{self.and_}){number})*)",
            "p": r"(?P<p>\d+)",
            "b": f"(?P<b>{self.box})",
            "o": f"(?P<o>{self.box}(?:, {self.box})*(?:{self.or_}{self.box})?)",
            "a": f"(?P<a>{self.box}(?:, {self.box})*(?:{self.and_}{self.box})?)",
        }
        return self.joined(re.sub(r"\{([a-z])\}", lambda match: parts[match[1]], text))

    def read(self, sentence: str) -> HoldRule:
        actions = "|".join([*map(re.escape, self.phrases["actions"]), self.phrases["every"]])
        sentence = self.joined(sentence)
        for kind, phrase in self.phrases["patterns"].items():
            whole = self.joined(
                rf"{self.phrase(phrase)}(?:{self.phrases['if']}(?P<if>.+))?: (?P<action>{actions})[.。]"
            )
            if match := re.fullmatch(whole, sentence):
                found = match.groupdict()
                conditions = self.read_conditions(found["if"]) if found["if"] else ()
                if conditions is not None:
                    return self.rule(kind.strip(), found, conditions)
        raise AssertionError(f"cannot read {sentence!r}")

    def rule(self, kind: str, found: Found, conditions: tuple[Condition, ...]) -> HoldRule:
        low, high = self.span(found["f"]) if found.get("f") else (1, self.rules.faces)
        sizes = (self.number(found["n"]),) if found.get("n") else ()
        if kind == "several":
            sizes *= self.number(found["m"])
        elif kind in ("unequal", "all"):
            sizes = tuple(
                self.number(part)
                for part in re.split(f"{self.joined(', ')}|{self.and_}", found["l"] or "")
            )
        elif kind == "most":
            sizes = (1,)
        if kind == "all":
            low, high, sizes = min(sizes), max(sizes), (len(sizes),)
        kind, done, action = READ.get(kind, kind), self.phrases["actions"], found["action"] or ""
        whole = kind == "different" and len(range(low, high + 1)) == sizes[0]
        if action not in done:  # every die of the faces that it names
            faces = [int(face) for face in re.findall(r"\d+", action)]
            assert kind in ("dice", "groups"), found
            assert faces == [*range(low, high + 1)], found
        elif kind == "dice":
            assert done.index(action) in (STOP, ROLL_ALL, KEEP_SUCH), found
        elif done.index(action) not in (STOP, ROLL_ALL):
            kept = KEEP_MORE if kind == "different" and not whole else KEPT.get(kind, 0)
            assert done.index(action) == kept, found
        boxes = tuple(self.names[name] for name in re.findall(self.box, found.get("o") or ""))
        is_open, lowest = bool((found.get("open") or "").strip()), bool(found.get("low"))
        pattern = DicePattern(
            kind, sizes, low, high, is_open, lowest, boxes, int(found.get("p") or 1)
        )  # type: ignore[arg-type]
        return hold_rule(
            self.rules,
            pattern,
            conditions,
            {done[STOP]: "stop", done[ROLL_ALL]: "roll all"}.get(action, "keep"),  # type: ignore[arg-type]
        )

    def read_conditions(self, text: str) -> tuple[Condition, ...] | None:
        """The conditions of a sentence; None if it cannot be read so."""
        for kind, phrases in self.phrases["conditions"].items():
            for phrase in split_phrases(phrases):
                match = re.match(self.phrase(phrase), text)
                if not match:
                    continue
                condition, rest = self.condition(kind, match.groupdict()), text[match.end() :]
                if not rest:
                    return (condition,)
                for separator in (self.joined(", "), self.and_):
                    if rest.startswith(separator):
                        others = self.read_conditions(rest.removeprefix(separator))
                        if others is not None:
                            return (condition, *others)
        return None

    def condition(self, kind: str, found: Found) -> Condition:
        if found.get("top"):
            assert int(found["top"] or "") == self.rules.threshold
        low, high = 0, 0
        if text := found.get("t") or found.get("n"):
            low, high = self.span(text) if "–" in text else (self.number(text),) * 2
        names = re.findall(self.box, found.get("o") or found.get("a") or found.get("b") or "")
        ids = tuple(box for name in names for box in self.boxes(name))
        return Condition(READ.get(kind, kind), ids, low, high)  # type: ignore[arg-type]

    def boxes(self, name: str) -> list[str]:
        if name in self.names:
            return [self.names[name]]
        return [
            box.id for box in self.rules.categories if box.upper == (name in self.phrases["upper"])
        ]

    def number(self, text: str | None) -> int:
        text = (text or "").lower()
        return int(text) if text.isdigit() else self.numbers[text]

    @staticmethod
    def span(text: str | None) -> tuple[int, int]:
        low, _, high = (text or "").partition("–")
        return int(low), int(high or low)


def split_phrases(phrases: str) -> list[str]:
    """The alternatives of a phrase at its outer level."""
    parts, depth = [""], 0
    for letter in phrases:
        depth += (letter == "(") - (letter == ")")
        if letter == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def numbered_sentences(text: str) -> Iterator[str]:
    """The numbered sentences of the printed guide, without what each is worth."""
    lines = iter(text.splitlines())
    sentence, expected = "", 1
    for line in lines:
        if match := re.fullmatch(rf" {{0,3}}{expected} (\S.*)", line):
            sentence, expected = match[1], expected + 1
        elif sentence and line.startswith("    "):
            sentence += " " + line.strip()
        if match := re.fullmatch(r"(.*[.。])(?: {2,}[−+]?\d+[.,]\d+)?", sentence):
            yield match[1]
            sentence = ""
