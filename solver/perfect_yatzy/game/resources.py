"""The TOML files of the package: rule sets and names in other languages."""

from __future__ import annotations

from importlib.resources import files


def toml_names(folder: str) -> list[str]:
    """Names of the TOML files in a folder of this package, without ending, alphabetically."""
    entries = files(__package__).joinpath(folder).iterdir()
    return sorted(entry.name.removesuffix(".toml") for entry in entries if entry.name.endswith(".toml"))


def toml_text(folder: str, name: str) -> str:
    """Text of a TOML file in a folder of this package."""
    return files(__package__).joinpath(folder, f"{name}.toml").read_text(encoding="utf-8")
