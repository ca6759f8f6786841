"""`--jsonl`: each line of the input is a request, each line of the output its answer, in the same order."""

from __future__ import annotations

import json
import sys
import traceback
from typing import IO, TYPE_CHECKING, Any

import click

from .._version import ANSWER_SCHEMA
from ..errors import RulesError, SolverError, StateError, _, shown
from ..game.limits import MAX_LINE_BYTES, parse_json

if TYPE_CHECKING:
    from ..service.queries import QueryService


def answer_lines(service: QueryService, query: str, defaults: dict[str, Any], lines: IO[bytes]) -> None:
    """Answer each line of a stream; `query` and `defaults` are for the fields that a request lacks."""
    from ..game.rule_loader import names_file

    while line := lines.readline(MAX_LINE_BYTES):
        if not line.strip():
            continue
        request: Any = None
        try:
            if not line.endswith(b"\n") and len(line) == MAX_LINE_BYTES:
                while (rest := lines.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
                    pass
                too_long = _("the line is longer than {most} bytes", most=MAX_LINE_BYTES)
                raise StateError(too_long, code="invalid-request")
            request = parse_line(line)
            spec = request.get("rules")
            if isinstance(spec, str) and spec != defaults.get("rules") and names_file(spec):
                # The sender of a request opens no files.
                text = _("rules is {value}; must be built-in rules, or the file that is given by --rules")
                raise RulesError(text.format(value=shown(spec)), code="unknown-rules", field="rules")
            output = json.dumps(service.answer(with_defaults({"query": query} | request, defaults)))
        except SolverError as error:
            output = error_line(error.as_json(), request)
        except Exception as error:
            # A bug in one request must not end the others: report it in place, with the traceback on stderr.
            traceback.print_exc()
            message = _("this is a bug: {error}", error=f"{type(error).__name__}: {error}")
            output = error_line({"error": message, "code": "internal-error"}, request)
        click.echo(output)
        sys.stdout.flush()


def parse_line(line: bytes) -> dict[str, Any]:
    """The request of a line; StateError if it is not a JSON object."""
    try:
        request = parse_json(line)
    except (ValueError, RecursionError) as error:
        raise StateError(_("the line is not JSON: {error}", error=error), code="invalid-request") from error
    if not isinstance(request, dict):
        raise StateError(_("the line is not a JSON object"), code="invalid-request")
    return request


def with_defaults(request: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """A request with the defaults of its query; one with a goal or opponents, also null, takes none of these."""
    from ..service.requests import COMMON_FIELDS, QUERY_FIELDS

    fields = COMMON_FIELDS | QUERY_FIELDS.get(str(request["query"]), frozenset())
    if request.keys() & {"goal", "opponents", "versus"}:
        fields = fields - {"goal", "opponents", "versus"}
        against = request.get("opponents") is not None or request.get("versus") is not None
        fields = fields if against else fields - {"ties"}
    return {name: value for name, value in defaults.items() if name in fields} | request


def error_line(error: dict[str, str], request: Any) -> str:
    """An error as the answer to a request, with the request's ``id``."""
    answer = {"schema": ANSWER_SCHEMA, **error}
    try:
        return json.dumps(answer | ({"id": request["id"]} if isinstance(request, dict) and "id" in request else {}))
    except RecursionError:  # the id is nested too deeply
        return json.dumps(answer)
