"""``python -m perfect_yatzy`` is the command ``yatzy``; both begin here."""

import sys


def run() -> None:
    """Run the command; an interrupt while its modules are being read is one line, too."""
    try:
        from .cli import main

        main(prog_name="yatzy")
    except KeyboardInterrupt:
        print("yatzy: interrupted", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    run()
