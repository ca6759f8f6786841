"""Hold a strategy on one page, as a JSON file: prices of the boxes, hold rules, and how good it is.

README.md explains it. *Par* is what the filled upper boxes should have made: the threshold, shared out
in proportion to what each box can pay at most. A full card has its true value, the upper bonus. In a
forced order prices change no choice. The file looks like this::

    {"format": 1, "rules": "yatzy", "fingerprint": "...",
     "prices": {"ones": 6.9, ...},
     "bonus": {"lost": -14.2, "secured": 25.4, "par_point": 2.3},
     "holds": ["...", ...],
     "figures": {"perfect": 248.44, "prices_mean": 244.7, "mean": 236.2, "worst": 9.8, "worth": [4.1, ...]},
     "shorter": {"5": {"holds": ["...", ...], "figures": {"mean": 232.1, ...}}, ...}}

``bonus`` also has ``saved_roll`` and ``joker_turn`` if the rules have a use for them. ``shorter``
may be missing. Rules that are not built in are written out instead of their name.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from itertools import pairwise
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .._files import replacing
from ..core.dice import Floats, Ints
from ..core.objectives import final_bonus
from ..core.rules import Bonus, RuleSet, leaves_choice
from ..core.scoring import possible_points, upper_sums
from ..core.state import EMPTY_STATE, State
from ..core.state_space import StateSpace, state_space
from ..errors import StateError, TableError, shown
from ..game.limits import MAX_GAME_BYTES, parse_json, read_limited
from ..game.rule_loader import rules_from_json, rules_to_json
from ..settings import Folder
from ..tablebase.store import tables_folder
from .hold_rules import HoldRule, parse_hold_rule

MAX_PRICE = 1e6  # the largest number of a sheet, which keeps sums of them finite
UPPER_TERMS = ("lost", "secured", "par_point")  # the terms of the upper bonus
CELL_TERMS = (*UPPER_TERMS, "saved_roll")
BONUS_TERMS = (*CELL_TERMS, "joker_turn")
BLOCK_VALUES = 1 << 20  # values written at once, which bounds the memory beside the table


@dataclass(frozen=True)
class PriceSheet:
    """Prices of the boxes and of the bonus, as a value function."""

    rules: RuleSet
    prices: Sequence[float]
    # the other numbers, 0 if left out
    terms: dict[str, float] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "prices", tuple(self.prices))
        object.__setattr__(self, "terms", dict.fromkeys(BONUS_TERMS, 0.0) | self.terms)
        boxes = [c.id for c in self.rules.categories]
        if len(self.prices) != len(boxes):
            raise StateError(
                f"{len(self.prices)} prices; {self.rules.key} has {len(boxes)} categories"
            )
        numbers: list[tuple[str, Any]] = [
            *zip(boxes, self.prices, strict=True),
            *self.terms.items(),
        ]
        for name, number in numbers:
            is_number = isinstance(number, Real) and not isinstance(number, bool)
            if not is_number or not abs(float(number)) <= MAX_PRICE:
                raise StateError(
                    f"{name} is {shown(number)}; must be a number up to {MAX_PRICE:.0f}"
                )
        used = terms_of(self.rules)
        for name, number in self.terms.items():
            if number and name not in used:
                raise StateError(
                    f"{self.rules.key} has no use for {name}; it is {number}, must be 0"
                )

    @property
    def n_numbers(self) -> int:
        """How many numbers choices depend on.

        Prices of upper boxes that rise evenly with the face are two numbers.
        """
        number = len(terms_of(self.rules))
        if not leaves_choice(self.rules):
            return number
        number += len(self.prices)
        by_face = sorted(
            (box.face, self.prices[c]) for c, box in enumerate(self.rules.categories) if box.face
        )
        if _are_on_a_line(by_face):
            number += 2 - len(by_face)
        return number

    def bonus_value(self, filled: int, upper: int) -> float:
        """Return the value of the bonus at the start of a turn, in points."""
        if filled == self.rules.full_mask:
            return float(upper_sums(self.rules).bonus(upper))
        features = bonus_features(self.rules, filled, np.array([upper]))[0]
        return float(features @ [self.terms[name] for name in UPPER_TERMS])

    def values(self, start: State = EMPTY_STATE) -> Floats:
        """Return the value function as a table."""
        space = state_space(self.rules, start)
        values = np.empty(space.size)
        self.write_values(values, space)
        return values

    def write_values(
        self, values: Floats, space: StateSpace, layers: Iterable[Ints] | None = None
    ) -> None:
        """Write the value function to a table, for some rows of each layer and for full cards.

        `layers` are the rows of each layer that are written, by default all.
        """
        card_numbers, cell_numbers = self.weights
        for block in state_blocks(space, space.layers if layers is None else layers):
            of_cards = block.cards @ card_numbers
            values[block.places] = of_cards[:, None] + block.cells @ cell_numbers
        values[space.layer_slice(space.categories)] = final_bonus(space)

    @property
    def weights(self) -> tuple[Floats, Floats]:
        """The numbers that multiply the features of cards and of cells (:class:`StateBlock`)."""
        of_cards = np.array([*self.prices, self.terms["joker_turn"]])
        of_cells = np.array([self.terms[name] for name in CELL_TERMS])
        return of_cards, of_cells

    def rounded(self, step: float = 0.1) -> PriceSheet:
        """Return the sheet with every number a multiple of a step, as it is printed."""
        places = max(0, -math.floor(math.log10(step)))

        def nearest(number: float) -> float:
            return round(round(number / step) * step, places) + 0.0  # + 0.0: no negative zero

        terms = {name: nearest(number) for name, number in self.terms.items()}
        return PriceSheet(self.rules, [*map(nearest, self.prices)], terms)


def _are_on_a_line(points: Sequence[tuple[int, float]]) -> bool:
    """Return whether at least three points are on a line. They are sorted."""
    slopes = []
    for (x, y), (next_x, next_y) in pairwise(points):
        if next_x == x:
            return False
        slopes.append((next_y - y) / (next_x - x))
    return len(slopes) > 1 and max(slopes) - min(slopes) < 1e-9


def terms_of(rules: RuleSet) -> tuple[str, ...]:
    """Return the numbers other than prices that a rule set uses."""
    bonus = UPPER_TERMS if rules.bonus and any(c.upper for c in rules.categories) else ()
    saved = ("saved_roll",) if rules.saved_rolls else ()
    joker = ("joker_turn",) if rules.joker and rules.joker.bonus else ()
    return (*bonus, *saved, *joker)


def pars(rules: RuleSet) -> tuple[float, ...]:
    """Return the threshold of each bonus, shared out over the boxes of its column.

    They share it by the most that each can pay.
    """
    sums = upper_sums(rules)
    possible = possible_points(rules)
    most = {c: max(possible[c]) for c in sums.counting}  # by category
    total = sums.to_come(0)  # by column
    columns = [box.column for box in rules.categories]
    return tuple(
        sums.thresholds[k] * most[c] / total[k] if most.get(c) else 0.0
        for c, k in enumerate(columns)
    )


def has_step_ahead(bonus: Bonus, made: Ints, to_come: Ints | int) -> npt.NDArray[np.bool_]:
    """Return whether a step of a bonus is ahead of the sum of its column.

    It must be within reach with the points to come.
    """
    is_ahead = [(made < least) & (least <= made + to_come) for least, _points in bonus.steps]
    return np.asarray(np.any(is_ahead, axis=0))


def bonus_features(rules: RuleSet, filled: int, upper: Ints) -> Floats:
    """Return what the numbers of the bonus multiply, ``(n, 3)``.

    These are bonuses lost and secured, and points above par.
    """
    sums = upper_sums(rules)
    par = pars(rules)
    features = np.zeros((len(upper), 3))
    if rules.bonus is None:
        return features
    columns = zip(rules.bonuses, sums.split(upper), sums.to_come(filled), strict=True)
    for column, (bonus, made, to_come) in enumerate(columns):
        boxes = [
            c for c in sums.counting if rules.categories[c].column == column and filled >> c & 1
        ]
        secured = made >= bonus.threshold
        lost = ~secured & ~has_step_ahead(bonus, made, to_come)
        above_par = np.where(lost | secured, 0.0, made - math.fsum(par[c] for c in boxes))
        features += np.column_stack([lost, secured, above_par])
    return features


@dataclass(frozen=True)
class StateBlock:
    """The states of some cards with the same upper boxes filled, as features.

    The numbers of a sheet multiply them.
    """

    # (cards, cells): places of the states in the table, where a cell is a number of saved rolls and an
    # upper sum
    places: Ints
    # (cards, categories + 1): 1 for each open box, and their number if the joker's box holds points
    cards: Floats
    # (cells, 4), by CELL_TERMS: bonus lost, bonus secured, else points above par, and saved rolls
    cells: Floats


def state_blocks(space: StateSpace, layers: Iterable[Ints]) -> Iterator[StateBlock]:
    """Yield the states of some rows of each layer, without those of full cards."""
    layout = space.layout
    for rows in layers:
        if not len(rows) or space.filled[rows[0]] == space.categories:
            continue
        for lane_set in np.unique(layout.lane_sets[rows]):
            alike = rows[layout.lane_sets[rows] == lane_set]
            is_open = layout.masks[alike, None] >> np.arange(space.categories) & 1 == 0
            # turns left once the joker's box is paid
            joker_turns = np.where(alike >= space.cards, is_open.sum(axis=1), 0)
            cards = np.column_stack([is_open, joker_turns]).astype(np.float64)
            cells = _cells(space, int(alike[0]))
            places = layout.offsets[alike, None] + np.arange(len(cells))
            at_once = max(1, BLOCK_VALUES // len(cells))
            for first in range(0, len(alike), at_once):
                some = slice(first, first + at_once)
                yield StateBlock(places[some], cards[some], cells)


def _cells(space: StateSpace, row: int) -> Floats:
    """Return ``StateBlock.cells`` of a row, in the order of its states.

    These are all upper sums for each number of saved rolls.
    """
    layout = space.layout
    lane_set = layout.lane_sets[row]
    upper = layout.lane_upper[lane_set, : layout.lane_count[lane_set]]
    saved = np.arange(int(space.most_saved[space.filled[row]]) + 1)
    features = bonus_features(space.rules, int(layout.masks[row]), upper)
    return np.column_stack([np.tile(features, (len(saved), 1)), np.repeat(saved, len(upper))])


class SheetWriter:
    """Writer of the values of one sheet after another to the same rows of a table.

    It keeps the features of these rows, and so takes a fraction of the time that
    :meth:`PriceSheet.write_values` takes.
    """

    def __init__(self, space: StateSpace, layers: Iterable[Ints]) -> None:
        empty = StateBlock(
            np.empty((0, 0), np.int64), np.empty((0, space.categories + 1)), np.empty((0, 4))
        )
        blocks = [empty, *state_blocks(space, layers)]
        self._cards = np.concatenate([block.cards for block in blocks])
        self._cells = np.concatenate([block.cells for block in blocks])
        self.places = np.concatenate([block.places.ravel() for block in blocks])
        # The value of a place is the sum of those of a card and of a cell of its block. For each place
        # these are the lines of both in the arrays above.
        card_lines = []
        cell_lines = []
        first_card = 0  # the first line of the block in each array
        first_cell = 0
        for block in blocks:
            card, cell = np.indices(block.places.shape)
            card_lines.append(first_card + card.ravel())
            cell_lines.append(first_cell + cell.ravel())
            first_card += len(block.cards)
            first_cell += len(block.cells)
        self._card_lines = np.concatenate(card_lines)
        self._cell_lines = np.concatenate(cell_lines)

    def write(self, sheet: PriceSheet, values: Floats) -> None:
        """Write the values of the states of the rows, without full cards, to their places."""
        card_numbers, cell_numbers = sheet.weights
        of_cards = self._cards @ card_numbers
        of_cells = self._cells @ cell_numbers
        values[self.places] = of_cards[self._card_lines] + of_cells[self._cell_lines]


FORMAT = 1
FIELDS = {"format", "rules", "fingerprint", "prices", "bonus", "holds", "figures"}
LIST_FIELDS = {"holds", "figures"}
MAX_HOLD_RULES = 200


@dataclass(frozen=True)
class StrategySheet:
    """A strategy that fits on a page."""

    rules: RuleSet
    prices: PriceSheet  # chooses the box
    # The first rule that fits chooses the hold. Without rules the prices choose it, by the turn.
    holds: tuple[HoldRule, ...] = ()
    # Figures by name, in points. ``perfect`` is the mean of perfect play, ``prices_mean`` the mean if
    # prices choose holds, too (with ``prices_mean_interval``, 95 %, if simulated), and ``mean`` that
    # with the rules. ``worth`` has what each rule is worth, in their order, ``worst`` the loss of the
    # worst single hold by the rules, on any card and roll, and ``losses_by_turn`` the points given
    # away.
    figures: Mapping[str, Any] = field(default_factory=dict, hash=False)
    # shorter lists of hold rules by their length, each with its ``mean``, ``worth`` and ``worst``
    shorter: Mapping[int, tuple[tuple[HoldRule, ...], Mapping[str, Any]]] = field(
        default_factory=dict, hash=False
    )

    @property
    def sizes(self) -> tuple[int, ...]:
        """Lengths of the lists of hold rules, ascending."""
        return (*sorted(self.shorter), len(self.holds)) if self.holds else ()

    def with_rules(self, size: int) -> StrategySheet:
        """Return the sheet with a list of hold rules of another length."""
        if size == len(self.holds):
            return replace(self, shorter={})
        if size not in self.shorter:
            known = ", ".join(map(str, self.sizes)) or "no"
            raise StateError(
                f"the sheet of {self.rules.key} has {known} rules for the holds, not {size}"
            )
        holds, figures = self.shorter[size]
        common = {
            name: self.figures[name] for name in ("perfect", "prices_mean") if name in self.figures
        }
        return replace(self, holds=holds, figures={**common, **figures}, shorter={})

    def to_json(self) -> dict[str, Any]:
        """Return the sheet as JSON values."""

        def list_fields(holds: tuple[HoldRule, ...], figures: Mapping[str, Any]) -> dict[str, Any]:
            return {"holds": [*map(str, holds)], "figures": dict(figures)}

        boxes = (category.id for category in self.rules.categories)
        content = {
            "format": FORMAT,
            "rules": rules_to_json(self.rules),
            "fingerprint": self.rules.fingerprint,
            "prices": dict(zip(boxes, self.prices.prices, strict=True)),
            "bonus": {name: self.prices.terms[name] for name in terms_of(self.rules)},
            **list_fields(self.holds, self.figures),
        }
        if self.shorter:
            content["shorter"] = {
                str(size): list_fields(*self.shorter[size]) for size in sorted(self.shorter)
            }
        return content

    @classmethod
    def from_json(cls, raw: Any, rules: RuleSet | None = None) -> StrategySheet:
        """Return the sheet that :meth:`to_json` has written."""
        if not isinstance(raw, dict) or raw.get("format") != FORMAT:
            raise StateError(f"not a strategy sheet of format {FORMAT}")
        wrong = sorted(FIELDS ^ (set(raw) - {"shorter"}))  # missing or unknown fields
        if wrong:
            verb = "is missing" if wrong[0] in FIELDS else "is not a field of a strategy sheet"
            raise StateError(f"{shown(wrong[0])} {verb}")
        rules = rules or rules_from_json(raw["rules"])
        if raw["fingerprint"] != rules.fingerprint:
            raise StateError(
                f"the strategy sheet is for other rules than {rules.key}; learn it again"
            )
        prices = _numbers(raw["prices"], "prices", [category.id for category in rules.categories])
        sheet = PriceSheet(
            rules, [*prices.values()], _numbers(raw["bonus"], "bonus", terms_of(rules))
        )
        holds = _hold_rules(raw["holds"], rules)
        shorter = _shorter(raw.get("shorter", {}), rules)
        return cls(rules, sheet, holds, _figures(raw["figures"]), shorter)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the sheet to a JSON file. An old file is replaced in one step."""
        path = Path(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as file:
                file.write(
                    (json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n").encode()
                )
        except OSError as error:
            raise TableError(f"cannot write {path}: {error.strerror or error}") from error

    @classmethod
    def load(cls, path: str | os.PathLike[str], rules: RuleSet | None = None) -> StrategySheet:
        """Read a sheet from a JSON file, as :meth:`from_json` does."""
        try:
            return cls.from_json(_parsed(read_limited(Path(path), MAX_GAME_BYTES)), rules)
        except OSError as error:
            raise TableError(f"cannot read {path}: {error.strerror or error}") from error
        except ValueError as error:
            raise StateError(f"{path}: {error}") from error


def price_figures(perfect: float, mean: float, interval: float = 0.0) -> dict[str, Any]:
    """Return the figures of a price sheet, to four decimals."""
    figures = {"perfect": round(perfect, 4), "prices_mean": round(mean, 4)}
    if interval:
        figures["prices_mean_interval"] = round(interval, 4)
    return figures


def sheet_path(rules: RuleSet, tables: Folder = None) -> Path:
    """Return where `yatzy learn` writes the sheet of a rule set, next to its table."""
    return tables_folder(tables) / f"{rules.key}-{rules.fingerprint[:12]}.sheet.json"


def find_sheet(rules: RuleSet, tables: Folder = None) -> StrategySheet | None:
    """Return the sheet of a rule set.

    It is the one next to its table, else the one in this package, else None.
    """
    path = sheet_path(rules, tables)
    return StrategySheet.load(path, rules) if os.path.isfile(path) else packaged_sheet(rules)


def packaged_sheet(rules: RuleSet) -> StrategySheet | None:
    """Return the sheet of a rule set in this package, None if there is none."""
    file = files(__package__).joinpath("sheets", f"{rules.key}.json")
    if not file.is_file():
        return None
    raw = _parsed(file.read_bytes())
    # A rule file of a user's may have the key of a built-in rule set.
    return StrategySheet.from_json(raw, rules) if raw["fingerprint"] == rules.fingerprint else None


def _parsed(content: bytes) -> Any:
    try:
        return parse_json(content)
    except (ValueError, RecursionError) as error:
        raise StateError(f"not a strategy sheet ({error})") from error


def _numbers(raw: Any, name: str, keys: Any) -> dict[str, float]:
    """Return the numbers of a JSON object with exactly these keys, in their order."""
    if not isinstance(raw, dict) or set(raw) != set(keys):
        raise StateError(
            f"{name} is {shown(raw)}; must have a number for each of {', '.join(keys) or 'nothing'}"
        )
    return {key: raw[key] for key in keys}  # the price sheet checks the numbers


def _figures(raw: Any) -> dict[str, Any]:
    """Check figures, which are numbers and lists of numbers, and return them."""
    if not isinstance(raw, dict):
        raise StateError(f"figures is {shown(raw)}; must be an object")
    for name, figure in raw.items():
        for number in figure if isinstance(figure, list) else [figure]:
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise StateError(
                    f"figures: {shown(name)} is {shown(figure)}; must be a number or a list of numbers"
                )
    return raw


def _hold_rules(raw: Any, rules: RuleSet) -> tuple[HoldRule, ...]:
    if not isinstance(raw, list) or not all(isinstance(text, str) for text in raw):
        raise StateError(f"holds is {shown(raw)}; must be a list of hold rules")
    if len(raw) > MAX_HOLD_RULES:
        raise StateError(f"holds has {len(raw):,} rules; at most {MAX_HOLD_RULES} are allowed")
    return tuple(parse_hold_rule(rules, text) for text in raw)


def _shorter(raw: Any, rules: RuleSet) -> dict[int, tuple[tuple[HoldRule, ...], dict[str, Any]]]:
    """Return shorter lists by their length."""
    if not isinstance(raw, dict) or not all(
        isinstance(part, dict) and set(part) == LIST_FIELDS for part in raw.values()
    ):
        raise StateError(
            f"shorter is {shown(raw)}; must have holds and figures by the number of rules"
        )
    shorter = {}
    for size, part in raw.items():
        holds = _hold_rules(part["holds"], rules)
        if str(len(holds)) != size:
            raise StateError(f"shorter: {shown(size)} has {len(holds)} hold rules")
        shorter[len(holds)] = (holds, _figures(part["figures"]))
    return shorter
