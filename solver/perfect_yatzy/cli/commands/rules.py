"""The rule sets: list, show, check."""

from __future__ import annotations

import json
import sys

import click

from ..._version import ANSWER_SCHEMA
from ..console import folded, language_option, rules_argument


@click.group()
def rules() -> None:
    """The rule sets: list, show one, check one of your own."""


@rules.command("list")
@language_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def rules_list(lang: str, as_json: bool) -> None:
    """The built-in rule sets."""
    from ...game.rule_loader import builtin_ids, load_rules
    from ...game.translations import localized

    known = [localized(load_rules(name), lang) for name in builtin_ids()]
    if as_json:
        entries = [
            {"id": r.id, "name": r.name, "summary": r.summary, "switches": [s.id for s in r.switches]} for r in known
        ]
        click.echo(json.dumps({"schema": ANSWER_SCHEMA, "rules": entries}))
        return
    width = max(len(r.id) for r in known)
    lines = []
    for r in known:
        lines.append(f"{r.id:<{width}}  {r.summary or r.name}")
        lines += [f"{'':<{width}}    +{switch.id}: {switch.summary}" for switch in r.switches]
    click.echo(folded(lines))


@rules.command("show")
@rules_argument
@language_option
@click.option("--json", "as_json", is_flag=True, help="The canonical form, as JSON.")
def rules_show(rules: str, lang: str, as_json: bool) -> None:
    """What a rule set says, category by category."""
    from dataclasses import asdict

    from ...game.rule_loader import load_rules
    from ...game.translations import localized
    from ...model.estimates import rule_set_stats
    from ..views.text import rules_text

    rule_set = localized(load_rules(rules), lang)
    found = asdict(rule_set_stats(rule_set))
    if as_json:
        about = {
            "schema": ANSWER_SCHEMA,
            "key": rule_set.key,
            "name": rule_set.name,
            "fingerprint": rule_set.fingerprint,
        }
        click.echo(json.dumps(about | {"facts": found, "rules": rule_set.canonical()}))
    else:
        click.echo(folded(rules_text(rule_set, found)))


@rules.command("check")
@click.argument("file", type=click.Path())
def rules_check(file: str) -> None:
    """Check a rule file of your own, and say what a solve takes.

    Every mistake by line and field, those of its switches too.
    """
    from ...game.rule_loader import RuleFileError, load_rules
    from ...model.estimates import remarks, rule_set_stats

    try:
        rule_set = load_rules(file)
        for switch in rule_set.switches:
            if switch.id not in rule_set.active_switches:
                load_rules(f"{file}+{switch.id}")
    except RuleFileError as error:
        for problem in error.problems:
            click.echo(str(problem), err=True)
        sys.exit(error.exit_code)
    found = rule_set_stats(rule_set)
    for remark in remarks(rule_set):
        click.echo(f"{file}: note: {remark}", err=True)
    size = len(rule_set.categories)
    count = "1 category" if size == 1 else f"{size} categories"
    click.echo(f"{rule_set.name} ({rule_set.key}) is in order: {count}, highest score {found.maximum}")
    click.echo(
        f"{found.values:,} values, {max(1, found.bytes >> 20):,} MB on disk, {found.memory >> 20:,} MB of memory; "
        f"a solve takes about {max(0.1, found.seconds):.1f} s with two threads"
    )
