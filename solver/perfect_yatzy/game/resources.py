"""The TOML files of the package: rule sets, names in other languages, the words of the guide."""

from __future__ import annotations

from importlib.resources import files


def toml_names(folder: str, package: str = __package__) -> list[str]:
    """Names of the TOML files in a folder of a package, without ending, alphabetically."""
    entries = files(package).joinpath(folder).iterdir()
    return sorted(entry.name.removesuffix(".toml") for entry in entries if entry.name.endswith(".toml"))


def toml_text(folder: str, name: str, package: str = __package__) -> str:
    """Text of a TOML file in a folder of a package."""
    return files(package).joinpath(folder, f"{name}.toml").read_text(encoding="utf-8")
