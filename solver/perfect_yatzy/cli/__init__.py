"""The command `yatzy`. Answers go to standard output, everything else to standard error.

Modules that need numpy or numba are imported where they are used, so that help and completion are
fast.
"""

from __future__ import annotations

from collections.abc import Iterator

import click
from click.shell_completion import get_completion_class

from .._version import __version__
from ..words import N_
from .console import YatzyGroup

# The sections of the help, with their commands and the modules of `commands` where these are. Those
# that most people need come first. A module is imported when one of its commands is named.
SECTIONS = {
    N_("At the table"): {
        "play": "play",
        "hold": "ask",
        "score": "ask",
        "expect": "ask",
        "odds": "ask",
        "serve": "serve",
    },
    N_("Study"): {
        "review": "review",
        "puzzle": "review",
        "rate": "rate",
        "guide": "guide",
        "learn": "guide",
        "evaluate": "games",
        "simulate": "games",
    },
    N_("Tables and programs"): {
        "solve": "solve",
        "tables": "tables",
        "table": "tables",
        "rules": "rules",
        "site": "serve",
        "mcp": "serve",
    },
}
COMMANDS = [command for commands in SECTIONS.values() for command in commands]
VERSIONED = (
    "numpy",
    "numba",
    "llvmlite",
    "click",
    "dask",
    "distributed",
    "fastapi",
    "uvicorn",
    "pyarrow",
)
EPILOG = "Help for one command: yatzy COMMAND --help"


def print_version(context: click.Context, option: click.Parameter, wanted: bool) -> None:
    """Print the version, with --verbose also what a report of a bug needs, and exit."""
    if not wanted:
        return
    click.echo(f"yatzy, version {__version__}")
    if context.params["verbose"]:
        for line in versions():
            click.echo(line)
    context.exit()


def print_completion(context: click.Context, option: click.Parameter, shell: str | None) -> None:
    """Print the completion script for a shell, and exit."""
    if shell is None or context.resilient_parsing:
        return
    completion_class = get_completion_class(shell)
    assert completion_class is not None
    click.echo(completion_class(main, {}, "yatzy", "_YATZY_COMPLETE").source())
    context.exit()


def versions() -> Iterator[str]:
    """Yield what a report of a bug needs, in English: the versions, the machine and the tables."""
    import os
    import platform
    import sys
    from importlib.metadata import PackageNotFoundError, version

    import llvmlite.binding

    from .._files import HAS_LOCKS
    from .._kernel_cache import cache_path
    from ..core.resources import default_threads
    from ..errors import SolverError
    from ..tablebase.machine import available_memory
    from ..tablebase.store import stored, tables_folder
    from .commands.tables import stored_tables_lines

    yield f"python     {platform.python_version()} ({platform.python_implementation()}), {sys.executable}"
    for package in VERSIONED:
        try:
            yield f"{package:10} {version(package)}"
        except PackageNotFoundError:
            yield f"{package:10} not installed"
    yield f"system     {platform.platform()}"
    cpu = os.environ.get("NUMBA_CPU_NAME") or llvmlite.binding.get_host_cpu_name()
    yield f"processor  {cpu}, {default_threads()} threads"
    free = available_memory()
    yield f"memory     {'unknown' if free is None else f'{free >> 20} MiB free'}"
    yield f"files      {'with' if HAS_LOCKS else 'without'} locks, names in {sys.getfilesystemencoding()}"
    yield f"output     {sys.stdout.encoding}{', a terminal' if sys.stdout.isatty() else ''}"
    yield f"kernels    {cache_path()}"
    try:
        yield from (f"tables     {line}" for line in stored_tables_lines(stored(), tables_folder()))
    except SolverError as error:
        yield f"tables     {error}"


@click.group(
    cls=YatzyGroup,
    sections=SECTIONS,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--verbose", is_flag=True, is_eager=True, help="With --version: what a report of a bug needs."
)
@click.option(
    "-V",
    "--version",
    is_flag=True,
    expose_value=False,
    callback=print_version,
    help="Show the version and exit.",
)
@click.option(
    "--completion",
    type=click.Choice(["bash", "zsh", "fish"]),
    expose_value=False,
    callback=print_completion,
    help='Print the completion script for a shell: eval "$(yatzy --completion bash)".',
)
def main(verbose: bool) -> None:
    """Exact optimal play for Yatzy: which dice to hold, which category to take, what score to
    expect.
    """
    if verbose:
        raise click.NoSuchOption("--verbose")
