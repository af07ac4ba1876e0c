"""`driftd backtest`: the alerts of a recorded history. A file needs no configuration and no daemon."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from monitor.api.schema import HistoryItem, ListPage
from monitor.cli.connection.client import connect
from monitor.cli.options import DEFAULT_CONFIG, CaFile, ConfigPath, MetricName, TokenFile, Url
from monitor.cli.terminal.output import note
from monitor.cli.terminal.progress import progress
from monitor.errors import MalformedRecord, UsageError

MIN_NIGHTS = 2  # nights before the first night that can raise an alert


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A line of the input. `number` counts all lines from 1, including blank ones; `done` and `total` are bytes, 0 if
    unknown.
    """

    number: int
    text: bytes
    done: int = 0
    total: int = 0


def backtest(
    *,
    file: Annotated[
        Path, typer.Argument(metavar="[FILE|-]", help="JSON Lines, one deployment per line; - is standard input.")
    ] = Path("-"),
    from_store: Annotated[
        str | None, typer.Option("--from-store", metavar="DEPLOYMENT", help="Read the stored nights of a deployment.")
    ] = None,
    set_name: Annotated[str | None, typer.Option("--set", "-s", help="With --from-store: read one set only.")] = None,
    metric: MetricName = None,
    write: Annotated[
        Path | None,
        typer.Option("--write", help="Write the histories as JSON Lines to a file, without computing alerts."),
    ] = None,
    alpha: Annotated[float | None, typer.Option(help="Override alpha and alpha_change.")] = None,
    horizon: Annotated[int | None, typer.Option(min=1, help="Override the horizon, in nights.")] = None,
    baseline_nights: Annotated[int | None, typer.Option(min=0, help="Override the baseline nights.")] = None,
    seed: Annotated[int | None, typer.Option(help="Has no effect. Accepted for compatibility.")] = None,
    k: Annotated[
        int | None, typer.Option("--k", min=1, help="Override k, the number of samples of a night that has none.")
    ] = None,
    config: ConfigPath = DEFAULT_CONFIG,
    url: Url = None,
    token_file: TokenFile = None,
    ca_file: CaFile = None,
) -> None:
    """Compute which alerts a recorded history raises. Input and output are JSON Lines, one deployment per line.

    An invalid line is reported on standard error with its number and field. The other lines are processed, and the exit
    code is 2. docs/backtest.md describes every field.
    """
    if set_name is not None and from_store is None:
        raise UsageError("--set requires --from-store DEPLOYMENT")
    if metric is not None and from_store is None:
        raise UsageError("--metric requires --from-store DEPLOYMENT")
    given = {"alpha": alpha, "alpha_change": alpha, "horizon": horizon, "baseline_nights": baseline_nights}
    settings = {name: value for name, value in {**given, "seed": seed, "k": k}.items() if value is not None}
    if from_store is None:
        _run(_lines(file), settings, write)
        return
    with connect(config_path=config, url=url, token_file=token_file, ca_file=ca_file) as api:
        page = api.get(
            "/api/v1/histories", ListPage[HistoryItem], deployment=from_store, set_name=set_name, metric=metric
        )
    for item in page.items:
        if len(item.nights) <= MIN_NIGHTS:
            note(f"{item.id}: {len(item.nights)} nights are too few for alerts; driftd drift list has their verdicts")
    stored = [item.model_dump_json(exclude_none=False).encode() for item in page.items]
    _run((_Line(number=n, text=_without_empty(line)) for n, line in enumerate(stored, start=1)), settings, write)


def _without_empty(line: bytes) -> bytes:
    """Return the history without empty fields: a null would set labels for every night."""
    document = json.loads(line)
    if document["unknown_conditions"] is None:
        del document["unknown_conditions"]
    for night in document["nights"]:
        if night["labels"] is None:
            del night["labels"]
    return json.dumps(document).encode()


def _run(lines: Iterator[_Line], settings: dict[str, Any], write: Path | None) -> None:
    unread, ids = 0, dict[str, int]()
    try:
        out = sys.stdout if write is None else write.open("w", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--write {write} cannot be written: {error.strerror}") from None
    with progress("backtest") as advance:
        for line in lines:
            unread += not _answer(line, settings, ids, out, alerts=write is None)
            if line.total:
                advance(line.done, line.total)
    if write is not None:
        out.close()
        note(f"{len(ids)} {'history' if len(ids) == 1 else 'histories'} written to {write}")
    if unread:
        raise typer.Exit(2)


def _lines(file: Path) -> Iterator[_Line]:
    """Yield each line that is not blank. Standard input has no known length."""
    if str(file) == "-":
        numbered = enumerate(sys.stdin.buffer, start=1)
        yield from (_Line(number=number, text=text) for number, text in numbered if text.strip())
        return
    try:
        total, done = file.stat().st_size, 0
        with file.open("rb") as lines:
            for number, text in enumerate(lines, start=1):
                done += len(text)
                if text.strip():
                    yield _Line(number=number, text=text, done=done, total=total)
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None


def _answer(line: _Line, settings: dict[str, Any], ids: dict[str, int], out: TextIO, *, alerts: bool) -> bool:
    """Write the alerts of one history, or the history. Return False if it is invalid. `ids` are earlier ids by line."""
    from monitor.drift.backtest import write_alerts
    from monitor.drift.backtest_json import read_history

    try:
        parsed = _parsed(line.text) | settings
        history = read_history(parsed)
        if history.id in ids:
            raise MalformedRecord(f"id: {history.id!r} is already used in line {ids[history.id]}; ids must be unique")
    except MalformedRecord as error:
        note(f"line {line.number}: {error}")
        return False
    ids[history.id] = line.number
    out.write(json.dumps(_alerts(write_alerts(history), parsed) if alerts else parsed) + "\n")
    out.flush()
    return True


def _alerts(document: dict[str, Any], parsed: dict[str, Any]) -> dict[str, Any]:
    """Return the alerts with the conditions that they rest on and that the tool of imported runs did not record."""
    unknown = parsed.get("unknown_conditions")
    return document | {"unknown_conditions": unknown} if unknown else document


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        document = json.loads(line, object_pairs_hook=_each_field_once)
    except (ValueError, RecursionError) as error:
        raise MalformedRecord(f"invalid JSON: {error}") from None
    if not isinstance(document, dict):
        raise MalformedRecord(f"expected a JSON object, found {type(document).__name__}")
    return document


def _each_field_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object. Reject repeated names: JSON parsers silently keep the last value."""
    made = dict(pairs)
    if len(made) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise MalformedRecord(f"{twice}: repeated in one object; field names must be unique")
    return made
