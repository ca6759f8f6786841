"""The TOML files of the package: rule sets, names in other languages, the words of the guide."""

from __future__ import annotations

from pathlib import Path

GAME = Path(__file__).parent


def toml_names(folder: str) -> list[str]:
    """Names of the TOML files in a folder of this package, without ending, alphabetically."""
    return sorted(path.stem for path in (GAME / folder).glob("*.toml"))


def toml_text(folder: str, name: str, package: Path = GAME) -> str:
    """Text of a TOML file in a folder of a package."""
    return (package / folder / f"{name}.toml").read_text(encoding="utf-8")
