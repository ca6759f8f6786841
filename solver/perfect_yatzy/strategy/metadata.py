"""Where a table of results comes from: the metadata of every Arrow table, Parquet file and JSON Lines file."""

from __future__ import annotations

from .._version import __version__
from ..game.rules import RuleSet


def metadata(rules: RuleSet | None, policy: str, **more: object) -> dict[str, str]:
    """What identifies results, as text.

    ``rules`` (key of the rule set), ``fingerprint`` (SHA-256 of its canonical form), ``policy`` (what the strategy
    maximises: ``mean``, ``goal:280`` or ``utility``) and ``perfect_yatzy`` (version of this package).

    Parameters
    ----------
    rules
        None if the results do not know their rules.
    policy
        Empty if they do not know what is maximised.
    more
        Further entries, such as a seed.
    """
    known = {"rules": rules.key, "fingerprint": rules.fingerprint} if rules else {}
    entries = known | ({"policy": policy} if policy else {}) | more | {"perfect_yatzy": __version__}
    return {name: str(value) for name, value in entries.items()}


def value_name(policy: str) -> str:
    """Name of the column of values: ``expected_remaining``, ``chance`` or ``expected_utility``."""
    return {"mean": "expected_remaining", "utility": "expected_utility"}.get(policy, "chance")
