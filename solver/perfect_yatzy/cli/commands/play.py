"""The command `yatzy play`, for a game in the terminal.

This module opens, resumes and records the game. The loop is in `terminal_game`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import RulesError, SolverError, StateError
from ...words import _
from ..console import confirm, echo_fitted, record_path
from ..options import (
    KnownWords,
    Number,
    YatzyCommand,
    field_option,
    is_given,
    language_option,
    places_option,
    rules_argument,
    seed_option,
    service_options,
)

if TYPE_CHECKING:
    from ...core.rules import RuleSet
    from ...play.session import SaveFile, Session
    from ...service.queries import QueryService
    from ..terminal_game import Advice, TerminalGame

# These are completed after --opponent. `parse_kind` reads them, and more.
KINDS = (
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "7",
    "8",
    "beginner",
    "novice",
    "casual",
    "practised",
    "skilled",
    "strong",
    "expert",
    "perfect",
    "mean",
    "safe",
    "bold",
    "win",
    "prices",
    "hold-rules",
    "most-points",
    "goal:",
    "field:",
    "process:",
)
# Options that may differ when a saved game is resumed. The others define the game.
SETTINGS = {
    "save",
    "record",
    "warn",
    "no_warn",
    "advice",
    "field",
    "places",
    "plain",
    "lang",
    "tables",
    "threads",
}


@click.command(cls=YatzyCommand)
@rules_argument
@click.option(
    "--players", default="", help="Names separated by commas, in the order of play [You]."
)
@click.option(
    "--opponent",
    "opponents",
    multiple=True,
    type=KnownWords(KINDS),
    metavar="KIND",
    help="A computer player: a level from 1 (beginner) to 8 (perfect), safe, bold, win, or another policy of yatzy "
    "evaluate. Several are possible.",
)
@click.option(
    "--dice",
    type=click.Choice(["program", "typed"]),
    default="program",
    show_default=True,
    help="The program rolls, or you type in the dice you rolled.",
)
@seed_option("Random seed of the program's dice [random].", default=None)
@click.option(
    "--same-dice",
    default="",
    metavar="TEXT",
    help="All players get the same dice, which this text fixes, as in a challenge of the page; at the end they are "
    "compared by the points that their errors lost.",
)
@click.option(
    "--warn",
    type=Number(0),
    metavar="POINTS",
    default=0.2,
    show_default=True,
    help="Warn about decisions that lose at least this many points.",
)
@click.option("--no-warn", is_flag=True, help="Never warn.")
@click.option(
    "--advice",
    type=click.Choice(["mean", "win"]),
    default="mean",
    show_default=True,
    help="Advice and warnings for the expected score, or for the chance to win.",
)
@field_option
@places_option
@click.option("--new", is_flag=True, help="Start a new game instead of the saved one.")
@click.option(
    "--yes", "-y", is_flag=True, help="With --new, discard the saved game without a confirmation."
)
@click.option("--plain", is_flag=True, help="Print scorecards as sentences, for a screen reader.")
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for the unfinished game [in the user's state folder].",
)
@click.option(
    "--record",
    type=click.Path(dir_okay=False),
    help="File for finished games [games.jsonl in the user's data folder].",
)
@language_option
@service_options
def play(
    rules: str,
    players: str,
    opponents: tuple[str, ...],
    dice: str,
    seed: int | None,
    same_dice: str,
    warn: float,
    no_warn: bool,
    advice: Advice,
    field: str | None,
    places: int | None,
    new: bool,
    yes: bool,
    plain: bool,
    save: Path | None,
    record: str | None,
    service: QueryService,
) -> None:
    """Play a game, with advice on request.

    Enter ? to see the best options, undo to undo a decision, help for all commands. A warning
    appears before a decision that loses at least --warn points. The game is saved after every
    action, and the next `yatzy play` resumes it.

    \b
      yatzy play
      yatzy play --opponent 3 --opponent win
      yatzy play maxi --players "Ann, Bo" --dice typed
    """
    import secrets

    from ...field.description import field_of_file
    from ...game.translations import localized
    from ...play.session import SaveFile
    from ...policies.computer_players import parse_kind
    from ..terminal_game import Quit, TerminalGame

    check_dice_options(dice, seed, same_dice)
    unseen: dict[str, Any] = {}  # a field that advice is for
    if field is not None:
        unseen["field"] = field_of_file(field)
        advice = "win"
    if places is not None:
        unseen["places"] = places
    save_file = SaveFile(save or default_save())
    record = checked_record(record, save_file)
    if new and save_file.seen is not None and not yes:
        confirm_discard(save_file)
    if save_file.seen is not None and not new:
        session = save_file.load()
        check_code(session, save_file)
        kinds = tuple(parse_kind(text).key for text in opponents)
        names = parse_players(players)
        requested = {
            "rules": service.rules(rules).fingerprint,
            "players": names,
            "opponents": kinds,
            "dice": dice,
            "seed": seed,
            "same_dice": same_dice,
        }
        check_same_game(session, requested, save_file)
        resuming = _(
            "Resuming the saved game ({path}): {session}. Use --new to start another.",
            path=save_file.path,
            session=_game_description(session),
        )
        echo_fitted(resuming)
    else:
        if seed is None and dice == "program":
            seed = secrets.randbelow(1 << 48)
        session = new_session(
            service.rules(rules), parse_players(players), opponents, seed, same_dice
        )
    if not no_warn or any(session.computers):
        check_advice(service, session.rules)
    localized_rules = localized(session.rules, service.language)
    service.register(localized_rules)
    computer_kinds = dict.fromkeys(filter(None, session.computers))  # each once, in their order
    computers = {kind: service.computer_player(localized_rules, kind) for kind in computer_kinds}
    min_warned_loss = None if no_warn else warn
    game = TerminalGame(
        session,
        localized_rules,
        service,
        save_file,
        min_warned_loss,
        plain,
        advice,
        computers,
        unseen,
    )
    save_file.write(session)
    try:
        game.run()
    except Quit:
        echo_fitted(
            _(
                "Saved in {path}. Resume with: {command}",
                path=save_file.path,
                command=resume_command(),
            )
        )
        return
    finish(game, record)


def check_advice(service: QueryService, rules: RuleSet) -> None:
    """Raise RulesError if perfect play, which warnings and computers need, takes too long."""
    try:
        service.check_mean(rules)
    except RulesError as error:
        text = _("{error}; or play without advice and computers: --no-warn", error=error)
        raise RulesError(text, code=error.code) from error


def default_save() -> Path:
    """Return the file of the unfinished game without --save, whose folder is made."""
    import platformdirs

    path = Path(platformdirs.user_state_dir("perfect-yatzy")) / "game.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        text = _("cannot save the game in {path}: {reason}", path=path, reason=error.strerror)
        raise SolverError(text) from error
    return path


def check_dice_options(dice: str, seed: int | None, same_dice: str) -> None:
    """Raise StateError if options about the program's dice come with typed ones.

    A text of --same-dice that is too long is refused as well.
    """
    from ...game import limits

    if dice == "typed":
        of_program = {"--seed": seed is not None, "--same-dice": bool(same_dice)}
        for option, is_used in of_program.items():
            if is_used:
                text = _(
                    "{option} can only be used when the program rolls, not with --dice typed",
                    option=option,
                )
                raise StateError(text)
    limits.check_length(same_dice, limits.MAX_NAME, "--same-dice")


def confirm_discard(save_file: SaveFile) -> None:
    """Ask whether --new may discard the saved game."""
    path = save_file.path
    try:
        session = save_file.load()
    except StateError:
        old = _("the file {path}, which is not a saved game", path=path)
    else:
        saved = _game_description(session)
        old = _("the unfinished game in {path} ({session})", path=path, session=saved)
    confirm(_("This discards {game}.", game=old), _("--new discards {game}; add --yes", game=old))


def check_code(session: Session, save_file: SaveFile) -> None:
    """Raise StateError if an opponent of a saved game is code, which would be run.

    It may be run if options name the opponents.
    """
    from ...policies.computer_players import is_code

    programs = [*filter(is_code, session.computers)]
    if programs and not is_given("opponents"):
        text = _(
            "an opponent of the game saved in {path} is code that is run ({code}); to agree, add {options}",
            path=save_file.path,
            code=programs[0],
            options=" ".join(f"--opponent {kind}" for kind in filter(None, session.computers)),
        )
        raise StateError(text)


def resume_command(without: str = "") -> str:
    """Return the command that resumes this game with the same settings, except for one option."""
    from shlex import join

    context = click.get_current_context()
    words = ["yatzy", "play"]
    for param in context.command.params:
        if param.name in SETTINGS - {without} and is_given(param.name):
            value = context.params[param.name]
            words += [param.opts[0]] if value is True else [param.opts[0], str(value)]
    return join(words)


def new_session(
    rules: RuleSet,
    players: tuple[str, ...],
    opponents: tuple[str, ...],
    seed: int | None,
    same_dice: str = "",
) -> Session:
    """Return a new game of persons, followed by computer players.

    Raises StateError for unknown kinds and names that are not allowed.
    """
    from ...play.record import check_names
    from ...play.session import Session
    from ...policies.computer_players import parse_kind

    kinds = [parse_kind(text) for text in opponents]
    names = list(players)
    for kind in kinds:
        name = _("Computer ({kind})", kind=kind.label)
        number = 2
        while name.lower() in map(str.lower, names):
            name = _("Computer {number} ({kind})", number=number, kind=kind.label)
            number += 1
        names.append(name)
    check_names(names)
    computers = [*("" for _person in players), *(kind.key for kind in kinds)] if kinds else []
    return Session(rules, tuple(names), seed, tuple(computers), same_dice)


def parse_players(text: str) -> tuple[str, ...]:
    """Return the names of the players.

    Raises StateError if there are none, two are the same, or one cannot be shown.
    """
    from ...play.record import check_names

    names = tuple(name.strip() for name in (text or _("You")).split(",") if name.strip())
    if not names:
        raise StateError(_("--players {text!r} has no names; separate names by commas", text=text))
    check_names(names)
    for i, name in enumerate(names):
        if name.lower() in map(str.lower, names[:i]):
            message = _(
                "two players are called {duplicate}; give each player a different name",
                duplicate=name,
            )
            raise StateError(message)
    return names


def _game_description(session: Session) -> str:
    from ..views.game_text import short_name

    dice = _("typed dice") if session.seed is None else _("the program's dice")
    return f"{session.rules.key}, {', '.join(map(short_name, session.players))}, {dice}"


def check_same_game(session: Session, requested: dict[str, Any], save_file: SaveFile) -> None:
    """Raise StateError if options of the command line do not match the saved game."""
    persons = tuple(name for i, name in enumerate(session.players) if not session.computer(i))
    saved = {
        "rules": session.rules.fingerprint,
        "players": persons,
        "opponents": tuple(filter(None, session.computers)),
        "dice": "typed" if session.seed is None else "program",
        "seed": session.seed,
        "same_dice": session.same_dice,
    }
    differences = [
        name for name, value in requested.items() if is_given(name) and saved[name] != value
    ]
    if differences:
        text = _(
            "the game saved in {path} ({session}) differs in {differences}; resume it with "
            "`{command}`, start another with --new, or keep both with --save FILE",
            path=save_file.path,
            session=_game_description(session),
            differences=", ".join(differences),
            command=resume_command(),
        )
        raise StateError(text)


def checked_record(record: str | None, save_file: SaveFile) -> str:
    """Return the file to record the finished game in, whose folder is made without --record.

    Raises SolverError if the game cannot be recorded there.
    """
    from ...play.record import check_writable

    if not record:
        folder = record_path().parent
        record = str(record_path())
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            text = _(
                "cannot write to {folder}: {reason}; choose a file with --record",
                folder=folder,
                reason=error.strerror,
            )
            raise SolverError(text) from error
    if Path(record).resolve() == save_file.path:
        text = _(
            "{record} is the file of the unfinished game; choose another file with --record",
            record=record,
        )
        raise SolverError(text)
    try:
        check_writable(record)
    except OSError as error:
        text = _(
            "cannot write {record}: {reason}; choose another file with --record",
            record=record,
            reason=error.strerror,
        )
        raise SolverError(text) from error
    return record


def finish(game: TerminalGame, record: str) -> None:
    """Record a finished game, and print its result and review.

    If it cannot be recorded, it stays saved.
    """
    from shlex import join

    from ...play.record import dated, write_games
    from ...play.review import review as grade_game
    from ...service.answers import approximate_fields
    from ..views.game_text import same_dice_line, winner_line
    from ..views.review_text import summary_lines
    from ..views.wording import approximate_lines

    game.show_cards()
    finished = game.session.game
    if len(finished.players) > 1:
        echo_fitted(f"{winner_line(game.session)}\n")
    try:
        write_games(record, [dated(finished)])
    except OSError as error:
        text = _(
            "cannot write {record}: {reason}; the game is still saved in {path}, record it with `{command}`",
            record=record,
            reason=error.strerror,
            path=game.save.path,
            command=f"{resume_command(without='record')} --record FILE",
        )
        raise SolverError(text) from error
    game.save.remove()
    echo_fitted(_("Recorded in {record}.\n", record=record))
    try:
        reviews = [grade_game(game.strategy, finished, i) for i in range(len(finished.players))]
        for review in reviews:
            echo_fitted("\n".join(summary_lines(game.rules, review)) + "\n")
        if game.session.same_dice and len(reviews) > 1:
            lost = [review.points_lost for review in reviews]
            echo_fitted(same_dice_line(finished.players, lost))
        for line in approximate_lines(approximate_fields(game.strategy)):
            click.echo(line)
    except RulesError as error:
        click.echo(_("There is no review yet: {error}\n", error=error))
    words = ["yatzy", "review"] + ([] if record == str(record_path()) else [record])
    echo_fitted(_("To see your errors: {command}", command=join(words)))
