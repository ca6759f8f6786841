"""The command `yatzy rules`, which lists, shows and checks rule sets, and prints their schema."""

from __future__ import annotations

import sys

import click

from ...words import _
from ..console import echo_answer, echo_lines, wrap_columns
from ..options import YatzyCommands, json_option, language_option, rules_argument


@click.group(cls=YatzyCommands)
def rules() -> None:
    """List, show and check rule sets; print their schema."""


@rules.command("list")
@language_option
@json_option
def rules_list(lang: str, as_json: bool) -> None:
    """List the built-in rule sets and their switches."""
    from ...game.rule_loader import builtin_ids, load_rules
    from ...game.translations import localized
    from ...service.answers import picked

    rule_sets = [localized(load_rules(name), lang) for name in builtin_ids()]
    width = max(len(rule_set.id) for rule_set in rule_sets)
    lines = []
    entries = []
    for rule_set in rule_sets:
        switches = rule_set.switches
        lines.append(f"{rule_set.id:<{width}}  {rule_set.summary or rule_set.name}")
        lines += [f"{'':<{width}}    +{switch.id}: {switch.summary}" for switch in switches]
        entry = picked(rule_set, "id", "name", "summary")
        entries.append(entry | {"switches": [switch.id for switch in switches]})
    echo_answer(wrap_columns(lines), as_json, rules=entries)


@rules.command("show")
@rules_argument
@language_option
@click.option(
    "--json", "as_json", is_flag=True, help="Print the canonical form as one JSON object."
)
def rules_show(rules: str, lang: str, as_json: bool) -> None:
    """Show a rule set and its categories."""
    from ...approximation.approximate_cost import rule_set_facts
    from ...game.rule_loader import load_rules
    from ...game.translations import localized
    from ..views.rules_text import rules_lines

    rule_set = localized(load_rules(rules), lang)
    facts = rule_set_facts(rule_set)
    echo_answer(
        wrap_columns(rules_lines(rule_set, facts)),
        as_json,
        key=rule_set.key,
        name=rule_set.name,
        fingerprint=rule_set.fingerprint,
        facts=facts,
        rules=rule_set.canonical(),
    )


@rules.command("check")
@click.argument("file", type=click.Path())
def rules_check(file: str) -> None:
    """Check a rule file, and estimate the cost of a solve.

    Reports every mistake with its line and field, also in the switches.
    """
    from ...approximation.approximate_cost import rule_set_facts
    from ...game.rule_loader import RuleFileError, load_rules
    from ...game.rule_remarks import remarks
    from ..views.rules_text import rules_check_lines

    try:
        rule_set = load_rules(file)
        for switch in rule_set.switches:
            if switch.id not in rule_set.active_switches:
                load_rules(f"{file}+{switch.id}")
    except RuleFileError as error:
        click.echo(str(error), err=True)
        sys.exit(error.exit_code)
    facts = rule_set_facts(rule_set)
    for remark in remarks(rule_set):
        click.echo(_("{file}: note: {remark}", file=file, remark=remark), err=True)
    echo_lines(rules_check_lines(rule_set, facts))


@rules.command("schema")
def rules_schema() -> None:
    """Print the JSON Schema of a rule file, for editors.

    A rule file names it in its first line:

    \b
      yatzy rules schema > rule-file.schema.json
      #:schema ./rule-file.schema.json
    """
    import json

    from ...game.rule_fields import rule_file_schema

    click.echo(json.dumps(rule_file_schema(), indent=2))
