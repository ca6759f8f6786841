"""The rule files that people have added to a server.

Each gets a name made of its text, such as `own-1a2b3c4d5e6f`. From then on the name, with switches
or without, stands wherever that of a built-in rule set may stand. The files are kept in a folder
beside the tables, so that a server that is started again knows them. A file that is not there any
more is added again: it gets the same name.

A file that was removed may be needed once more, for a game that was played with it. It can be added
again with ``keep=False``: then it is known until the server ends, and neither stored nor listed.
"""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Lock

from .._files import read_file, replacing
from ..core.rules import RuleSet
from ..errors import RulesError, StorageError, shown
from ..game.limits import MAX_RULES_BYTES
from ..game.rule_fields import Problem, locate
from ..game.rule_loader import RuleFileError, builtin_ids, rules_from_text
from ..service.cache import WeightedLRUCache
from ..words import _
from .limits import MAX_OWN_RULES, MAX_OWN_RULES_READ

FOLDER = "own-rules"  # within that of the tables
NAME = re.compile(r"own-[0-9a-f]{12}")


def own_name(spec: str) -> str | None:
    """Return the name of a file that was added, without switches. It is None for other rules."""
    name = spec.partition("+")[0]
    return name if NAME.fullmatch(name) else None


def name_of(text: str) -> str:
    """Return the name of a rule file with this text."""
    return f"own-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


class OwnRules:
    """The rule files of one folder. Several threads may use it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # by name, the one added last at the end: what cannot be written lasts as long as the server
        self._unwritten: dict[str, str] = {}
        self._unlisted: dict[str, str] = {}  # in the same order
        self._rules: WeightedLRUCache[RuleSet] = WeightedLRUCache(MAX_OWN_RULES_READ)
        self._lock = Lock()

    def add(self, text: str, source: str, *, keep: bool = True) -> str:
        """Check a rule file, store it if it is to be kept, and return its name. Raises RulesError
        with every mistake, each with its line. The messages call the file `source`.
        """
        rules = rules_from_text(text, source)
        name = name_of(text)
        if rules.id in builtin_ids():
            message = _("is {value}, as that of a built-in rule set; choose another")
            problem = message.format(value=shown(rules.id))
            raise RuleFileError([Problem(source, locate(text, ("id",)), "id", problem)])
        with self._lock:
            if keep:
                self._keep(name, text)
                self._unlisted.pop(name, None)
            elif name not in self.names():
                self._unlisted = _with_last(self._unlisted, name, text)
            # Of listed and of unlisted files only those that were added last are kept.
            for names in (self.names(), [*self._unlisted]):
                for oldest in names[:-MAX_OWN_RULES]:
                    with suppress(OSError):
                        self._forget(oldest)
        return name

    def remove(self, name: str) -> str:
        """Forget a file, and return its text. Raises RulesError if the file is not there, and
        StorageError if it cannot be removed.
        """
        with self._lock:
            text = self._known_text(name)
            try:
                self._forget(name)
            except OSError as error:
                message = _("cannot write {path}: {reason}")
                reason = error.strerror or error
                raise StorageError(message.format(path=self.folder, reason=reason)) from error
        return text

    def names(self) -> list[str]:
        """Return the names of all files, those that were added last at the end."""
        added = {}
        with suppress(OSError), os.scandir(self.folder) as entries:
            for entry in entries:
                name = entry.name.removesuffix(".toml")
                if name != entry.name and NAME.fullmatch(name):
                    added[name] = entry.stat().st_mtime_ns
        written = sorted(added, key=lambda name: (added[name], name))
        unwritten = [*self._unwritten]  # a copy, because another thread may add one
        return [*written, *(name for name in unwritten if name not in added)]

    def rules(self, spec: str) -> RuleSet:
        """Return the rule set of a file that was added, with switches. Raises RulesError if the
        file is not there.
        """
        return self._rules.get_or_create(spec, lambda: self._read(spec))

    def known_rules(self, spec: str) -> RuleSet | None:
        """Return a rule set that is in memory, or None."""
        return self._rules.get(spec)

    def _keep(self, name: str, text: str) -> None:
        """Write a file, or keep its text in memory where it cannot be written.

        The caller holds the lock. Other threads find the file meanwhile if it has been added before.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with replacing(self._path(name)) as file:
                file.write(text.encode())
        except OSError:
            self._unwritten = _with_last(self._unwritten, name, text)
        else:
            self._unwritten.pop(name, None)

    def _forget(self, name: str) -> None:
        """Remove a file, wherever it is kept, and all that was read of it."""
        with suppress(FileNotFoundError, NotADirectoryError):
            self._path(name).unlink()
        self._unwritten.pop(name, None)
        self._unlisted.pop(name, None)
        self._rules.clear()  # it may be there with several switches

    def _read(self, spec: str) -> RuleSet:
        """Return the rule set of a file with switches, read now."""
        name, *switches = spec.split("+")
        text = self._known_text(name)
        rules = rules_from_text(text, f"{name}.toml", switches)
        # A message may say `yatzy solve` with these rules, which then takes a file.
        return replace(rules, spec="+".join((f"{rules.id}.toml", *rules.active_switches)))

    def _known_text(self, name: str) -> str:
        """Return the text of a file. Raises RulesError if there is none, or if it was changed."""
        for texts in (self._unwritten, self._unlisted):
            if (text := texts.get(name)) is not None:
                return text
        with suppress(OSError, ValueError):
            text = read_file(self._path(name), MAX_RULES_BYTES).decode()
            if name_of(text) == name:
                return text
        message = _(
            "the rule file of {name} is not on this server any more; "
            "add the file again: it gets the same name"
        )
        raise RulesError(message.format(name=name), code="unknown-rules")

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.toml"


def _with_last(texts: dict[str, str], name: str, text: str) -> dict[str, str]:
    """Return a copy with one more text, which is at the end."""
    return {other: kept for other, kept in texts.items() if other != name} | {name: text}
