"""The `driftd` command: where errors become sentences and exit codes."""

import os
import sys
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

from monitor.cli.lazy import LazyGroup, register
from monitor.errors import DriftdError
from monitor.printable import printable_lines
from replay.errors import ReplayError

PRIVATE = 0o077  # what driftd writes holds what users wrote: the database, its log and copies, reports, exports, keys
app = typer.Typer(
    name="driftd",
    help="Tells the person on call, the same night, that a model or prompt change made the product worse.",
    cls=LazyGroup,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
)
register(app)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run one command; the files that it makes belong to this user alone.

    Exit code 0 fine, 1 a finding or failure it was asked to report, 2 bad usage or configuration. An error raised on
    purpose is its sentence on standard error; anything else is a bug and keeps its traceback.
    """
    command = typer.main.get_command(app)
    umask = os.umask(PRIVATE)
    try:
        command.main(args=None if arguments is None else list(arguments), prog_name="driftd")
    except DriftdError as error:
        sys.exit(_report(str(error), error.exit_code))
    except ReplayError as error:  # a set, a key or a target as it was given
        sys.exit(_report(str(error), 2))
    finally:
        os.umask(umask)
    sys.exit(0)


def _report(sentence: str, exit_code: int) -> int:
    sys.stderr.write(printable_lines(sentence) + "\n")
    return exit_code


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # only this flag needs it

        sys.stdout.write(f"driftd {version('driftd')}\n")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    pass
