"""Random small rule sets with every mechanic of the rule model, alone and combined; a number
gives always the same.
"""

from dataclasses import replace
from itertools import product
from random import Random

from perfect_yatzy import RuleSet
from perfect_yatzy.core.patterns import Pattern
from perfect_yatzy.core.rules import Bonus, Category, Column, Joker

MECHANICS = (
    "steps",
    "times",
    "order",
    "columns",
    "strict",
    "requires",
    "joker",
    "saved",
    "first",
    "conditions",
)
ORDERS = ("free", "forced", "reversed", "upper-first")
MAX_BOXES = 5


def random_pattern(draw: Random, dice: int, faces: int, conditions: bool) -> Pattern:
    pay: dict[str, object] = {"score": "fixed", "points": draw.randint(1, 9)}
    if draw.random() < 0.6:
        pay = {"score": draw.choice(["matched", "sum"]), "plus": draw.choice([0, 0, 1, 3])}
    if conditions and draw.random() < 0.5:
        pay["factor"] = draw.randint(2, 3)
    if conditions and draw.random() < 0.4:
        low = draw.randint(dice, dice * faces)
        pay |= draw.choice([{"low": low}, {"high": low}, {"low": low, "high": low}])
    if conditions and draw.random() < 0.3:
        pay["only"] = tuple(sorted(draw.sample(range(1, faces + 1), draw.randint(1, faces - 1))))
    if conditions and dice > 1 and draw.random() < 0.3:
        pay["best"] = dice = draw.randint(1, dice - 1)
    kind = draw.choice(["face", "groups", "contains", "any"])
    if kind == "face":
        pay["face"] = draw.randint(1, faces)
    elif kind == "groups":
        first = draw.randint(1, dice)
        second = draw.randint(0, min(first, dice - first))
        pay |= {"groups": (first, second) if second else (first,), "distinct": draw.random() < 0.5}
    elif kind == "contains":
        pay["contains"] = tuple(sorted(draw.choices(range(1, faces + 1), k=draw.randint(1, dice))))
    return Pattern(kind, **pay)  # type: ignore[arg-type]


def random_boxes(
    draw: Random,
    dice: int,
    faces: int,
    used: set[str],
    columns: tuple[Column, ...],
    boxes_of_sheet: int,
) -> list[Category]:
    """Two or three rows with a box for each copy and column, in the order of a loaded rule file."""
    boxes: list[Category] = []
    most = boxes_of_sheet // max(1, len(columns))
    rows = draw.randint(2, 3 if columns else 4)
    for i in range(min(rows, most)):
        upper = draw.random() < 0.55
        patterns = [Pattern("face", face=draw.randint(1, faces))]
        if not upper or draw.random() < 0.4:
            patterns = [
                random_pattern(draw, dice, faces, "conditions" in used)
                for _ in range(draw.randint(1, 2))
            ]
        times = draw.randint(2, 3) if "times" in used and draw.random() < 0.5 else 1
        for copy in range(times):
            if copy and len(boxes) >= most - 1:
                break
            name = f"box-{i}" + (f"-{copy + 1}" if times > 1 else "")
            row = f"box-{i}" if times > 1 else ""
            boxes.append(Category(name, name, tuple(patterns), upper=upper, row=row, copy=copy))
    boxes = boxes[:most]
    if not columns:
        return boxes
    found = []
    for (number, column), box in product(enumerate(columns), boxes):
        by = column.factor
        patterns = tuple(replace(p, factor=p.factor * by, plus=p.plus * by) for p in box.patterns)
        name, row = f"{box.id}.{column.id}", box.row or box.id
        found.append(replace(box, id=name, patterns=patterns, row=row, column=number))
    return found


def random_rules(
    seed: int, mechanics: tuple[str, ...] | None = None, boxes: int = MAX_BOXES
) -> RuleSet:
    """The rule set of a number with these mechanics (default: about half of them) and at most so
    many boxes.
    """
    draw = Random(seed)
    used = (
        set(mechanics) if mechanics is not None else {m for m in MECHANICS if draw.random() < 0.45}
    )
    dice = draw.choice([1, 2, 2, 3])
    faces = draw.randint(2, 4 if dice < 3 else 3)
    columns: tuple[Column, ...] = ()
    if "columns" in used:
        orders = [draw.choice(ORDERS) if "order" in used else "free" for _ in range(2)]
        columns = tuple(
            Column(f"c{i}", f"C{i}", order, draw.choice([1, 1, 2]))
            for i, order in enumerate(orders)
        )
    categories = random_boxes(draw, dice, faces, used, columns, boxes)
    ids = [category.id for category in categories]
    order = draw.choice(ORDERS) if "order" in used and not columns else "free"
    bonus = None
    if any(category.upper for category in categories):
        steps = draw.randint(2, 3) if "steps" in used else 1
        thresholds, points = (
            sorted(draw.sample(range(1, 11), steps)),
            sorted(draw.sample(range(1, 20), steps)),
        )
        pairs = tuple(zip(thresholds, points, strict=True))
        bonus = Bonus(*pairs[-1], pairs[:-1])
    tracked = draw.choice(ids)
    if "requires" in used:
        others = [c for c in ids if c != tracked]
        for box in draw.sample(others, draw.randint(1, len(others))):
            i = ids.index(box)
            categories[i] = replace(categories[i], requires=tracked)
    joker = None
    if "joker" in used:
        mode, conditions = ["none", "free", "forced", "maximum"], ["filled", "points"]
        choices = ids, [0, 3], mode, conditions, conditions, ["always", "matching-box-open"]
        joker = Joker(*map(draw.choice, choices))
        if joker.depends_on_points and "requires" in used:
            joker = replace(joker, category=tracked)
    rolls, first = draw.randint(1, 3), ((draw.choice(ids), 2),) if "first" in used else ()
    crossing = "only-if-nothing-scores" if "strict" in used else "free"
    game = RuleSet(
        f"random-{seed}", "Random", dice, faces, rolls, tuple(categories), bonus=bonus, order=order
    )
    game = replace(
        game, joker=joker, first_roll_bonus=first, columns=columns, crossing_out=crossing
    )
    return replace(game, saved_rolls="saved" in used)
