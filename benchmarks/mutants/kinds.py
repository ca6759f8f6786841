"""The kinds of small changes, on the syntax trees of Python and JavaScript, and what is left alone.

Left alone are annotations, comments, docstrings, texts and their calls, logging, layout, and what
only type checkers read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from tree_sitter import Node

# --- what is left alone ---

TYPES_ONLY = {"TypeVar", "NewType", "ParamSpec", "cast"}
WORDS = {"_", "ngettext", "pgettext", "N_"}
# Without effect on this system, or on anything but words and layout.
KEYS_LEFT_ALONE = {
    "strict",
    "encoding",
    "stacklevel",
    "help",
    "short_help",
    "metavar",
    "class",
    "style",
}
LOGGING = re.compile(r"\b(logging|logger|console)\b")
DRAWING = re.compile(r"svg|(.*\.)?pen\.\w+")  # on the page, on a picture
HAS_WORDS = re.compile(rb"\b(_|ngettext|pgettext|N_)\(")


def text_of(node: Node | None) -> str:
    """The source of a node; empty for a missing one."""
    return node.text.decode() if node and node.text else ""


def child(node: Node, field: str) -> str:
    """The source of a field of a node."""
    return text_of(node.child_by_field_name(field))


def is_call(node: Node) -> bool:
    """Whether the node is a call, in either language."""
    return node.type in ("call", "call_expression")


def key_of(node: Node) -> str:
    """The key of a pair or of a keyword argument."""
    return (child(node, "key") or child(node, "name")).strip("\"'")


def is_stub(function: Node) -> bool:
    """Whether a function has no code: an overload, a method of a protocol."""
    body = function.child_by_field_name("body")
    statements = body.named_children if body else []
    return all(re.fullmatch(r'\.\.\.|""".*', text_of(each), re.DOTALL) for each in statements)


def is_left_alone(node: Node) -> bool:
    """Whether nothing in this node is changed."""
    match node.type:
        case "comment" | "type":
            return True
        case "decorator":
            return not text_of(node).startswith(("@click.", "@options."))
        case "assignment":
            return child(node, "left") in ("__all__", "__slots__")
        case "if_statement":
            return child(node, "condition") == "TYPE_CHECKING"
        case "function_definition":
            return is_stub(node)
        case "subscript":
            return child(node, "value") == "Literal"
        case "pair" | "keyword_argument":
            return key_of(node) in KEYS_LEFT_ALONE
    if is_call(node):
        called = child(node, "function")
        if LOGGING.search(called) or DRAWING.fullmatch(called):
            return True
        return called in WORDS | TYPES_ONLY
    return False


def nodes_to_change(root: Node) -> Iterator[Node]:
    """All nodes in the order of the source, without what is left alone."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if not is_left_alone(node):
            yield node
            waiting += reversed(node.children)


# --- the kinds of changes ---

# Each function below yields the changes of one node.
Edit = tuple[int, int, str]  # the first byte, the byte after the last one, the new text
COMPARISONS = {
    "<": ("<=", ">"),
    "<=": ("<", ">="),
    ">": (">=", "<"),
    ">=": (">", "<="),
    "==": ("!=",),
    "!=": ("==",),
    "===": ("!==",),
    "!==": ("===",),
    "in": ("not in",),
    "not in": ("in",),
    "is": ("is not",),
    "is not": ("is",),
}
CONNECTIVES = {"and": "or", "or": "and", "&&": "||", "||": "&&", "??": "&&"}
SIGNS = {"+": "-", "-": "+", "+=": "-=", "-=": "+=", "++": "--", "--": "++"}
SIGNED = {
    "binary_operator",
    "binary_expression",
    "augmented_assignment",
    "augmented_assignment_expression",
    "update_expression",
}
STRINGS = {"string", "concatenated_string", "template_string"}
NUMBERS = {"integer", "float", "number"}
TRUTH = {"True": "False", "False": "True", "true": "false", "false": "true"}
WITH_DEFAULT = {
    "default_parameter",
    "typed_default_parameter",
    "assignment_pattern",
    "object_assignment_pattern",
}
NO_SWAPS = STRINGS | {
    "keyword_argument",
    "list_splat",
    "dictionary_splat",
    "spread_element",
    "comment",
    "dictionary",
    "object",
    "lambda",
    "arrow_function",
    "function_expression",
}
# Calls without which the code goes on with the argument, or with the object of the method.
PASSING = {
    "abs",
    "ceil",
    "clip",
    "copy",
    "floor",
    "int",
    "lower",
    "max",
    "maximum",
    "min",
    "minimum",
    "reverse",
    "reversed",
    "round",
    "slice",
    "sort",
    "sorted",
    "strip",
    "toLowerCase",
    "trim",
}
MODULES = {"np", "math", "Math"}
# What "+ 1" can follow.
SIMPLE = {"identifier", "attribute", "call", "subscript", "member_expression", "call_expression"}


def comparisons(node: Node) -> Iterator[Edit]:
    """Another comparison."""
    if node.type not in ("comparison_operator", "binary_expression"):
        return
    for token in node.children:
        if token.type == "in" and node.type == "binary_expression":
            continue  # JavaScript has no "not in"
        for other in COMPARISONS.get(token.type, ()):
            yield token.start_byte, token.end_byte, other


def connectives(node: Node) -> Iterator[Edit]:
    """`and` for `or`."""
    if node.type in ("boolean_operator", "binary_expression"):
        for token in node.children:
            if token.type in CONNECTIVES:
                yield token.start_byte, token.end_byte, CONNECTIVES[token.type]


def negations(node: Node) -> Iterator[Edit]:
    """No `not`."""
    if node.type == "not_operator" or (
        node.type == "unary_expression" and node.children[0].type == "!"
    ):
        yield node.start_byte, node.children[1].start_byte, ""


def signs(node: Node) -> Iterator[Edit]:
    """Plus for minus, and no minus in front."""
    if node.type in ("unary_operator", "unary_expression"):
        if node.children[0].type == "-":
            yield node.start_byte, node.children[1].start_byte, ""
        return
    if node.type not in SIGNED or any(each.type in STRINGS for each in node.children):
        return
    if node.type == "update_expression" and node.parent and node.parent.type == "for_statement":
        return  # a loop without an end
    for token in node.children:
        if token.type in SIGNS:
            yield token.start_byte, token.end_byte, SIGNS[token.type]


def other_numbers(text: str) -> list[str]:
    """The integers beside an integer, from 0; twice a fraction."""
    digits = text.replace("_", "")
    try:
        number = int(digits, 0)
        return [str(number + 1), *([str(number - 1)] if number else [])]
    except ValueError:
        pass
    try:
        return [repr(2 * float(digits) or 1.0)]
    except ValueError:  # a complex number, or a large integer of JavaScript
        return []


def ancestors(node: Node) -> list[str]:
    """The types of the nodes around a node, from the inner to the outer ones, without signs."""
    found = []
    while node.parent:
        node = node.parent
        found.append(node.type)
    return [each for each in found if each not in ("unary_operator", "unary_expression")]


def is_default(node: Node) -> bool:
    """Whether a constant is the default of a parameter, of an option or of a field of a class."""
    around = ancestors(node)
    if around[:1] == ["keyword_argument"]:
        return node.parent is not None and child(node.parent, "name") == "default"
    is_field = around[:4] == ["assignment", "expression_statement", "block", "class_definition"]
    return is_field or (around != [] and around[0] in WITH_DEFAULT)


def other_constants(node: Node) -> Iterator[Edit]:
    """Other numbers and truth values."""
    text = text_of(node)
    if node.type in NUMBERS:
        for other in other_numbers(text):
            yield node.start_byte, node.end_byte, other
    elif node.is_named and node.type in ("true", "false"):
        yield node.start_byte, node.end_byte, TRUTH[text]


def constants(node: Node) -> Iterator[Edit]:
    """Another constant."""
    if not is_default(node):
        yield from other_constants(node)


def defaults(node: Node) -> Iterator[Edit]:
    """Another default."""
    if is_default(node):
        yield from other_constants(node)


def positional(call: Node) -> list[Node]:
    """The arguments of a call, in their order; none of a generator."""
    arguments = call.child_by_field_name("arguments")
    if arguments is None or arguments.type not in ("argument_list", "arguments"):
        return []
    return arguments.named_children


def name_of(call: Node) -> tuple[str, str]:
    """The object and the name of what is called; the object is empty for a plain name."""
    owner, _, name = child(call, "function").rpartition(".")
    return owner, name


def off_by_one(node: Node) -> Iterator[Edit]:
    """One more at the end of a range or a slice, one less for a length."""
    ends: list[Node] = []
    if node.type == "slice":
        ends = node.named_children
    elif is_call(node):
        owner, name = name_of(node)
        if (owner, name) == ("", "range"):
            ends = positional(node)[:2][-1:]
        elif owner and name == "slice":
            ends = positional(node)
        elif (owner, name) == ("", "len"):
            yield node.start_byte, node.end_byte, f"({text_of(node)} - 1)"
    elif node.type == "member_expression" and child(node, "property") == "length":
        is_assigned = node.parent is not None and node.parent.child_by_field_name("left") == node
        if not is_assigned:
            yield node.start_byte, node.end_byte, f"({text_of(node)} - 1)"
    for end in ends:
        if end.type in SIMPLE:
            yield end.end_byte, end.end_byte, " + 1"


def argument_order(node: Node) -> Iterator[Edit]:
    """Two neighbouring arguments, swapped."""
    if not is_call(node) and node.type != "new_expression":
        return
    for first, second in pairwise(positional(node)):
        if first.type in NO_SWAPS or second.type in NO_SWAPS or first.text == second.text:
            continue
        between = (node.text or b"")[
            first.end_byte - node.start_byte : second.start_byte - node.start_byte
        ].decode()
        yield first.start_byte, second.end_byte, text_of(second) + between + text_of(first)


def missing_calls(node: Node) -> Iterator[Edit]:
    """A statement without its call, an argument or an object in the place of a call."""
    if HAS_WORDS.search(node.text or b""):
        return  # a test would miss the words
    if node.type == "expression_statement":
        inner = node.named_children[0] if len(node.named_children) == 1 else node
        if inner.type in ("await", "await_expression"):
            inner = inner.named_children[0]
        if is_call(inner) and not is_left_alone(inner):
            yield node.start_byte, node.end_byte, ";" if text_of(node).endswith(";") else "pass"
    elif is_call(node):
        owner, name = name_of(node)
        if name not in PASSING:
            return
        if owner and owner not in MODULES:
            yield node.start_byte, node.end_byte, owner
        elif (arguments := positional(node)) and arguments[0].type not in (
            "spread_element",
            "list_splat",
        ):
            yield node.start_byte, node.end_byte, f"({text_of(arguments[0])})"


def missing_keys(node: Node) -> Iterator[Edit]:
    """A key of a dictionary or an object, or a named argument, left out."""
    if node.type not in ("pair", "shorthand_property_identifier", "keyword_argument"):
        return
    if node.parent is None or node.parent.type not in ("dictionary", "object", "argument_list"):
        return
    if HAS_WORDS.search(node.text or b""):
        return
    start, end = node.start_byte, node.end_byte
    before, after = node.prev_sibling, node.next_sibling
    if after and after.type == ",":
        end = after.end_byte
    elif before and before.type == ",":
        start = before.start_byte
    yield start, end, ""


KINDS: dict[str, Callable[[Node], Iterator[Edit]]] = {
    "another comparison": comparisons,
    "and for or": connectives,
    "no not": negations,
    "another sign": signs,
    "another constant": constants,
    "another default": defaults,
    "off by one": off_by_one,
    "swapped arguments": argument_order,
    "missing call": missing_calls,
    "missing key": missing_keys,
}
