"""``python -m solver`` is the command ``yatzy``."""

from .cli import main

main(prog_name="yatzy")
