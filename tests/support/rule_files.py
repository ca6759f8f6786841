"""Rule files, written."""

import json
from datetime import date
from typing import Any

from perfect_yatzy import RuleSet

TINY = """
id = "tiny"
name = "Tiny"
dice = 2
faces = 4
rolls = 2
bonus = { threshold = 6, points = 5 }
categories = [
  { id = "threes", name = "Threes", upper = true, pattern = "face", face = 3 },
  { id = "fours", name = "Fours", upper = true, pattern = "face", face = 4 },
  { id = "chance", name = "Chance", pattern = "any" },
]
"""


def as_toml(rules: RuleSet) -> str:
    top = {
        k: v for k, v in rules.canonical().items() if v not in (None, {}, []) and k != "categories"
    }
    lines = [
        'id = "random"',
        'name = "Random"',
        *(f"{name} = {inline(value)}" for name, value in top.items()),
    ]
    for category in rules.canonical()["categories"]:
        lines += ["[[categories]]", f'name = "{category["id"]}"']
        lines += [
            f"{name} = {inline(value)}" for name, value in category.items() if value is not None
        ]
    return "\n".join(lines) + "\n"


def inline(value: Any) -> str:
    """A value in TOML, on one line."""
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(f"{json.dumps(k)} = {inline(v)}" for k, v in value.items() if v is not None)
            + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    return value.isoformat() if isinstance(value, date) else json.dumps(value)


def two_dice_sheet(
    key: str,
    *,
    faces: int = 6,
    upper: int = 6,
    sums: int = 11,
    least: int = 8,
    bonus: tuple[int, int],
) -> str:
    """A rule file of boxes for two dice: upper ones, a box for each of some sums, and for sums
    that are at least so much.
    """
    boxes = [
        *(
            f'id = "face-{f}", name = "F{f}", upper = true, pattern = "face", face = {f}'
            for f in range(1, upper + 1)
        ),
        *(
            f'id = "sum-{k}", name = "S{k}", pattern = "any", sum = {k}, points = 20'
            for k in range(2, 2 + sums)
        ),
        *(
            f'id = "least-{k}", name = "L{k}", pattern = "any", at_least = {k}'
            for k in range(3, 3 + least)
        ),
    ]
    bonus_text = "bonus = {{ threshold = {}, points = {} }}".format(*bonus)
    head = f'id = "{key}"\nname = "{key.title()}"\ndice = 2\nfaces = {faces}\nrolls = 2\n{bonus_text}\n'
    return head + "categories = [" + ", ".join(f"{{ {box} }}" for box in boxes) + "]\n"


COLUMNS = (
    ("free", 1),
    ("forced", 1),
    ("free", 2),
    ("reversed", 2),
    ("free", 3),
    ("upper-first", 3),
)


def six_columns(faces: int = 6, sums: int = 9) -> str:
    """A rule file with six columns for two dice, with different orders and factors."""
    column = '{{ id = "c{0}", name = "C{0}", order = "{1}", factor = {2} }}'
    columns = [column.format(i, *each) for i, each in enumerate(COLUMNS)]
    boxes = two_dice_sheet("six", faces=faces, upper=faces, sums=sums, least=0, bonus=(20, 10))
    return f"{boxes}columns = [{', '.join(columns)}]\n"
