"""A strategy on one page, as a JSON file: prices of the boxes, rules for the holds, and how good it is.

::

    {"format": 1, "rules": "yatzy", "fingerprint": "...",
     "prices": {"ones": 6.9, ...},
     "bonus": {"lost": -14.2, "secured": 25.4, "par_point": 2.3},
     "holds": ["...", ...],
     "figures": {"perfect": 248.44, "prices_mean": 244.7, "mean": 236.2, "worst": 9.8, "worth": [4.1, ...]},
     "shorter": {"5": {"holds": ["...", ...], "figures": {"mean": 232.1, ...}}, ...}}

``bonus`` also has ``saved_roll`` and ``joker_turn`` if the rules have a use for them
(:mod:`perfect_yatzy.policies.price_sheet`). ``shorter`` may be missing. Rules that are not built in are written out
instead of their name. The sheets of the built-in rule sets are in ``sheets/``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._files import replacing
from ..errors import StateError, TableError, shown
from ..game.limits import MAX_GAME_BYTES, parse_json, read_limited
from ..game.rule_loader import rules_from_json, rules_to_json
from ..game.rules import RuleSet
from ..tablebase.store import tables_folder
from .price_sheet import PriceSheet, terms_of

if TYPE_CHECKING:
    from .hold_rules import HoldRule  # type: ignore[import-not-found,unused-ignore]

FORMAT = 1
FIELDS = {"format", "rules", "fingerprint", "prices", "bonus", "holds", "figures"}
LIST_FIELDS = {"holds", "figures"}
MAX_HOLD_RULES = 200


@dataclass(frozen=True)
class StrategySheet:
    """A strategy that fits on a page."""

    rules: RuleSet
    prices: PriceSheet  # what chooses the box
    # the first that fits chooses the hold. Empty: the prices choose it too, by computing the turn
    holds: tuple[HoldRule, ...] = ()
    # figures by name, in points unless it says otherwise: ``perfect`` (mean of perfect play), ``prices_mean`` (mean
    # if prices choose the holds too), ``mean`` (mean with the hold rules), ``worth`` (what each hold rule adds, in
    # their order), ``worst`` (the most that a single hold by the rules loses, on any card and roll),
    # ``losses_by_turn`` (points given away in each turn). A mean that was simulated has its 95 % interval beside
    # it: ``prices_mean_interval``
    figures: Mapping[str, Any] = field(default_factory=dict, hash=False)
    # shorter lists of hold rules by their length, each with its ``mean``, ``worth`` and ``worst``
    shorter: Mapping[int, tuple[tuple[HoldRule, ...], Mapping[str, Any]]] = field(default_factory=dict, hash=False)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Lengths of the lists of hold rules, ascending."""
        return (*sorted(self.shorter), len(self.holds)) if self.holds else ()

    def with_rules(self, size: int) -> StrategySheet:
        """The sheet with a list of hold rules of another length."""
        if size == len(self.holds):
            return replace(self, shorter={})
        if size not in self.shorter:
            known = ", ".join(map(str, self.sizes)) or "no"
            raise StateError(f"the sheet of {self.rules.key} has {known} rules for the holds, not {size}")
        holds, figures = self.shorter[size]
        common = {name: self.figures[name] for name in ("perfect", "prices_mean") if name in self.figures}
        return replace(self, holds=holds, figures={**common, **figures}, shorter={})

    def to_json(self) -> dict[str, Any]:
        """The sheet as JSON values."""
        boxes = (category.id for category in self.rules.categories)

        def plain(holds: tuple[HoldRule, ...], figures: Mapping[str, Any]) -> dict[str, Any]:
            return {"holds": [*map(str, holds)], "figures": dict(figures)}

        lists = {str(size): plain(*of_size) for size, of_size in sorted(self.shorter.items())}
        return {
            "format": FORMAT,
            "rules": rules_to_json(self.rules),
            "fingerprint": self.rules.fingerprint,
            "prices": dict(zip(boxes, self.prices.prices, strict=True)),
            "bonus": {name: self.prices.terms[name] for name in terms_of(self.rules)},
            **plain(self.holds, self.figures),
        } | ({"shorter": lists} if lists else {})

    @classmethod
    def from_json(cls, raw: Any, rules: RuleSet | None = None) -> StrategySheet:
        """The sheet that :meth:`to_json` has written."""
        if not isinstance(raw, dict) or raw.get("format") != FORMAT:
            raise StateError(f"not a strategy sheet of format {FORMAT}")
        if wrong := sorted(FIELDS ^ set(raw) - {"shorter"}):
            verb = "is missing" if wrong[0] in FIELDS else "is not a field of a strategy sheet"
            raise StateError(f"{shown(wrong[0])} {verb}")
        rules = rules or rules_from_json(raw["rules"])
        if raw["fingerprint"] != rules.fingerprint:
            raise StateError(f"the strategy sheet is for other rules than {rules.key}; learn it again")
        prices = _numbers(raw["prices"], "prices", [category.id for category in rules.categories])
        terms = _numbers(raw["bonus"], "bonus", terms_of(rules))
        sheet = PriceSheet(rules, [*prices.values()], terms)
        holds, shorter = _hold_rules(raw["holds"], rules), _shorter(raw.get("shorter", {}), rules)
        return cls(rules, sheet, holds, _figures(raw["figures"]), shorter)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the sheet to a JSON file; an old file is replaced in one step."""
        path = Path(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as file:
                file.write((json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n").encode())
        except OSError as error:
            raise TableError(f"cannot write {path}: {error.strerror or error}") from error

    @classmethod
    def load(cls, path: str | os.PathLike[str], rules: RuleSet | None = None) -> StrategySheet:
        """Read a sheet from a JSON file; see :meth:`from_json`."""
        try:
            return cls.from_json(_parsed(read_limited(Path(path), MAX_GAME_BYTES)), rules)
        except OSError as error:
            raise TableError(f"cannot read {path}: {error.strerror or error}") from error
        except ValueError as error:
            raise StateError(f"{path}: {error}") from error


def price_figures(perfect: float, mean: float, interval: float = 0.0) -> dict[str, Any]:
    """The figures of a price sheet, to four decimals."""
    figures = {"perfect": round(perfect, 4), "prices_mean": round(mean, 4)}
    return figures | ({"prices_mean_interval": round(interval, 4)} if interval else {})


def sheet_path(rules: RuleSet, tables: str | os.PathLike[str] | None = None) -> Path:
    """Where `yatzy learn` writes the sheet of a rule set, next to its table."""
    return tables_folder(tables) / f"{rules.key}-{rules.fingerprint[:12]}.sheet.json"


def find_sheet(rules: RuleSet, tables: str | os.PathLike[str] | None = None) -> StrategySheet | None:
    """The sheet of a rule set: the one next to its table, else the one in this package, else None."""
    path = sheet_path(rules, tables)
    if path.is_file():
        return StrategySheet.load(path, rules)
    return packaged_sheet(rules)


def packaged_sheet(rules: RuleSet) -> StrategySheet | None:
    """The sheet of a rule set in this package; None if there is none."""
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
    """The numbers of a JSON object with exactly these keys, in their order."""
    if not isinstance(raw, dict) or set(raw) != set(keys):
        raise StateError(f"{name} is {shown(raw)}; must have a number for each of {', '.join(keys) or 'nothing'}")
    return {key: raw[key] for key in keys}  # the price sheet checks the numbers


def _figures(raw: Any) -> dict[str, Any]:
    """Figures are numbers and lists of numbers."""
    if not isinstance(raw, dict):
        raise StateError(f"figures is {shown(raw)}; must be an object")
    for name, figure in raw.items():
        for number in figure if isinstance(figure, list) else [figure]:
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise StateError(f"figures: {shown(name)} is {shown(figure)}; must be a number or a list of numbers")
    return raw


def _hold_rules(raw: Any, rules: RuleSet) -> tuple[HoldRule, ...]:
    if not isinstance(raw, list) or not all(isinstance(text, str) for text in raw):
        raise StateError(f"holds is {shown(raw)}; must be a list of hold rules")
    if len(raw) > MAX_HOLD_RULES:
        raise StateError(f"holds has {len(raw):,} rules; at most {MAX_HOLD_RULES} are allowed")
    if not raw:
        return ()
    from .hold_rules import parse_hold_rule  # the language is not needed without rules

    return tuple(parse_hold_rule(rules, text) for text in raw)


def _shorter(raw: Any, rules: RuleSet) -> dict[int, tuple[tuple[HoldRule, ...], dict[str, Any]]]:
    """Shorter lists by their length."""
    parts = raw.values() if isinstance(raw, dict) else [None]
    if not all(isinstance(part, dict) and set(part) == LIST_FIELDS for part in parts):
        raise StateError(f"shorter is {shown(raw)}; must have holds and figures by the number of rules")
    found = {}
    for size, part in raw.items():
        holds = _hold_rules(part["holds"], rules)
        if str(len(holds)) != size:
            raise StateError(f"shorter: {shown(size)} has {len(holds)} hold rules")
        found[len(holds)] = holds, _figures(part["figures"])
    return found
