"""Entry point of the command ``yatzy`` and of ``python -m perfect_yatzy``."""

import sys


def run() -> None:
    """Run the command; an interrupt during its imports also ends in one line and exit code 130."""
    try:
        from .cli import main

        main(prog_name="yatzy")
    except KeyboardInterrupt:
        print("yatzy: interrupted", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    run()
