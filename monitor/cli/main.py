"""The `driftd` command. It turns errors into messages and exit codes."""

import gc
import os
import sys
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

from monitor.cli.lazy import LazyGroup, register, without_flag_types
from monitor.errors import DriftdError
from monitor.printable import printable_lines
from replay.errors import ReplayError

# Imports create a million objects and free few: at the default threshold of 700, collections take a tenth of a start.
GC_THRESHOLDS = (50_000, 20, 100)
PRIVATE = 0o077  # files of driftd contain texts of users: the database, its log and copies, reports, exports, keys
app = typer.Typer(
    name="driftd",
    help="Detects the same night that a model or prompt change made an LLM product worse, and sends an alert.",
    cls=LazyGroup,
    no_args_is_help=True,
    rich_markup_mode="rich",
)
register(app)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run one command. Only the current user can read the files that it creates.

    Exit code: 0 success, 1 a finding or a failure that the command reports, 2 wrong usage or configuration, 3 no
    verdict on a change. An expected error is one message on standard error. Any other error is a bug and keeps its
    traceback.
    """
    gc.set_threshold(*GC_THRESHOLDS)
    command = without_flag_types(typer.main.get_command(app))
    umask = os.umask(PRIVATE)
    try:
        command.main(args=None if arguments is None else list(arguments), prog_name="driftd")
    except DriftdError as error:
        sys.exit(_report(str(error), error.exit_code))
    except ReplayError as error:  # an invalid set, key or target
        sys.exit(_report(str(error), 2))
    finally:
        os.umask(umask)
    sys.exit(0)


def _report(message: str, exit_code: int) -> int:
    sys.stderr.write(printable_lines(message) + "\n")
    return exit_code


def _print_version(requested: bool) -> None:
    if requested:
        from importlib.metadata import version  # imported here, because only this flag needs it

        sys.stdout.write(f"driftd {version('driftd')}\n")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass
