"""The tests to run after a change in a folder of the package, as tests/README.md lists them."""

from pathlib import PurePosixPath

PACKAGE = PurePosixPath("solver/perfect_yatzy")

# Folder of the package -> folders and files of tests, or patterns of them, the nearest first. "."
# has the modules beside the folders.
NEAREST = {
    "core": (
        "tests/core",
        "tests/game",
        "tests/objectives",
        "tests/tablebase",
        "tests/strategy",
        "tests/policies",
        "tests/rl",
    ),
    "game": ("tests/game", "tests/core", "tests/tablebase", "tests/strategy", "tests/service"),
    "objectives": ("tests/objectives", "tests/strategy", "tests/tablebase", "tests/policies"),
    "tablebase": ("tests/tablebase", "tests/core", "tests/strategy", "tests/cli", "tests/cluster"),
    "strategy": (
        "tests/strategy",
        "tests/play",
        "tests/service",
        "tests/tablebase",
        "tests/policies",
    ),
    "two_players": ("tests/two_players", "tests/cluster", "tests/service"),
    "approximation": ("tests/approximation", "tests/service"),
    "field": ("tests/field", "tests/service"),
    "policies": ("tests/policies", "tests/cli", "tests/service"),
    "prices": ("tests/prices", "tests/play", "tests/cli"),
    "play": ("tests/play", "tests/service", "tests/cli"),
    "rl": ("tests/rl",),
    "cluster": ("tests/cluster", "tests/service"),
    "service": ("tests/service", "tests/cli", "tests/web"),
    "cli": ("tests/cli", "tests/test_messages.py", "tests/test_docs.py"),
    "web": ("tests/web/test_server.py", "tests/web", "tests/service"),
    "web/site": ("tests/web/test_site.py", "tests/web/test_engine.py", "tests/web"),
    "web/static": (
        "tests/web/test_page_modules.py",
        "tests/web/test_page*.py",
        "tests/web/test_site.py",
    ),
    "web/static/engine": (
        "tests/web/test_engine.py",
        "tests/web/test_page_modules.py",
        "tests/web/test_site.py",
    ),
    ".": (
        "tests/test_frames.py",
        "tests/test_messages.py",
        "tests/service",
        "tests/cli",
        "tests/tablebase",
    ),
}


def nearest_tests(path: str) -> tuple[str, ...]:
    """The tests of the folder of a file, or of the next folder above it that has some."""
    folder = PurePosixPath(path).relative_to(PACKAGE).parent
    while str(folder) not in NEAREST:
        folder = folder.parent
    return NEAREST[str(folder)]
