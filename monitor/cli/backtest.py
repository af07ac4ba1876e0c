"""`driftd backtest`: what would have alerted on a history? Reads no configuration and reaches no daemon."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from monitor.cli.output import note
from monitor.cli.progress import progress
from monitor.errors import MalformedRecord, UsageError


def backtest(
    file: Annotated[
        Path, typer.Argument(metavar="[FILE|-]", help="JSON lines, one deployment a line; - is standard input.")
    ] = Path("-"),
) -> None:
    """What would have alerted? Histories in, alerts out: JSON lines, one deployment a line, in the order given.

    A line that cannot be read is told on standard error with its number; the others are answered, the exit code is 2.
    """
    unread = 0
    with progress("backtest") as advance:
        for number, (line, done, total) in enumerate(_lines(file), start=1):
            unread += not _answer(number, line)
            if total:
                advance(done, total)
    if unread:
        raise typer.Exit(2)


def _lines(file: Path) -> Iterator[tuple[bytes, int, int]]:
    """Each line, with how many bytes are read by then, of how many; standard input has no end to measure by."""
    if str(file) == "-":
        yield from ((line, 0, 0) for line in sys.stdin.buffer if line.strip())
        return
    try:
        total, done = file.stat().st_size, 0
        with file.open("rb") as lines:
            for line in lines:
                done += len(line)
                if line.strip():
                    yield line, done, total
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None


def _answer(number: int, line: bytes) -> bool:
    """Writes the alerts of one history; False when it could not be read."""
    from monitor.drift.backtest import backtest_document

    try:
        document = backtest_document(_parsed(line))
    except MalformedRecord as error:
        note(f"line {number}: {error}")
        return False
    sys.stdout.write(json.dumps(document) + "\n")
    sys.stdout.flush()
    return True


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise MalformedRecord(f"this is no JSON: {error}") from None
    if not isinstance(document, dict):
        raise MalformedRecord(f"a JSON object is wanted, this is {type(document).__name__}")
    return document
