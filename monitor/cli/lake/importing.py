"""`driftd lake import` and `driftd lake compare`: a database file and a lake."""

import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Final

import typer

from monitor.api.schema.wire import Wire
from monitor.cli.lake.section import lake_config, place_of
from monitor.cli.options import DEFAULT_CONFIG, AsJson, ConfigPath
from monitor.cli.terminal.output import note, print_json, print_line, print_table
from monitor.clock import SystemClock
from monitor.config.resources import resources
from monitor.config.salt import NAME as SALT
from monitor.store.lake.imports.compare import ComparedTable, compare_file
from monitor.store.lake.imports.copy import ImportProgress, import_file

REPORT_S: Final = 5.0  # between two lines about the progress
FILES_OF_A_DATABASE: Final = (SALT, "traffic_reports", "exhibits", "results-spool")  # in the folder of a database file
Source = Annotated[
    Path, typer.Argument(metavar="FILE", help="A database file, or the folder of an export or a backup.")
]


class ComparedItem(Wire):
    """A table of the file and of the lake; `columns` have other values."""

    table: str
    rows: int
    rows_in_lake: int
    digest: str
    digest_in_lake: str
    equal: bool
    columns: list[str]


class ComparisonItem(Wire):
    """The comparison of a file with a lake."""

    source: str
    equal: bool
    tables: list[ComparedItem]


class ImportItem(ComparisonItem):
    """An import. `continued`: an earlier call stored a part of the rows; `added` rows are of this call. `copy_files`
    are those next to the file that the work folder lacks.
    """

    continued: bool
    added: int
    work_folder: str
    copy_files: list[str]


def import_(source: Source, *, config: ConfigPath = DEFAULT_CONFIG, as_json: AsJson = False) -> None:
    """Import a database file into an empty lake, and compare every table. No process may use either of them.

    The same command continues an interrupted import. The file is not changed. Until all rows are stored and equal,
    `driftd serve` refuses the lake.

    Exit code: 0 when file and lake are equal, 1 when a table differs, 2 when the import is refused.
    """
    settings = lake_config(config)
    url, data = place_of(settings.store)
    done = import_file(
        url,
        data,
        source,
        clock=SystemClock(),
        memory_limit_mb=resources(settings).memory_limit_mb.value,
        threads=settings.store.threads,
        progress=_Progress(),
    )
    folder = settings.store.folder
    item = ImportItem(
        source=done.source,
        equal=done.equal,
        tables=_items(done.tables),
        continued=done.continued,
        added=done.added,
        work_folder=str(folder),
        copy_files=_files_to_copy(Path(done.source), folder),
    )
    if as_json:
        print_json(item)
    else:
        _print_import(item)
    raise typer.Exit(0 if item.equal else 1)


def compare(source: Source, *, config: ConfigPath = DEFAULT_CONFIG, as_json: AsJson = False) -> None:
    """Compare the number and a digest of the rows of every table of a database file with those of the lake.

    After its first start on the lake, driftd changes rows: compare before it.

    Exit code: 0 when file and lake are equal, 1 when a table differs, 2 when one of them cannot be read.
    """
    settings = lake_config(config)
    url, data = place_of(settings.store)
    tables = compare_file(
        url,
        data,
        source,
        memory_limit_mb=resources(settings).memory_limit_mb.value,
        threads=settings.store.threads,
        progress=_Comparing(),
    )
    items = _items(tables)
    item = ComparisonItem(source=str(source.resolve()), equal=all(one.equal for one in items), tables=items)
    if as_json:
        print_json(item)
    else:
        print_tables(item.tables)
        print_line(_result(item))
    raise typer.Exit(0 if item.equal else 1)


def print_tables(tables: Sequence[ComparedItem]) -> None:
    """Print the tables that have rows on one side."""
    columns = ("table", "rows of the file", "rows of the lake", "digest of the file", "digest of the lake", "equal")
    rows = [
        (one.table, one.rows, one.rows_in_lake, one.digest, one.digest_in_lake, _equal(one))
        for one in tables
        if one.rows or one.rows_in_lake
    ]
    print_table(columns, rows, "both have no rows")


class _Progress:
    """Prints the progress of an import on standard error: its rows, their rate and the remaining time."""

    def __init__(self) -> None:
        self._began_s = self._reported_s = time.monotonic()
        self._first: int | None = None  # rows that were stored before
        self._comparing = _Comparing()

    def __call__(self, now: ImportProgress) -> None:
        if now.compared:
            self._comparing(now.table)
            return
        now_s = time.monotonic()
        if self._first is None:
            self._first, self._began_s = now.rows, now_s
        if now_s - self._reported_s < REPORT_S:
            return
        self._reported_s = now_s
        rate = (now.rows - self._first) / max(now_s - self._began_s, 1e-3)
        left = f", {(now.total - now.rows) / rate:,.0f} s left" if rate else ""
        note(f"{now.table}: {now.rows:,} of {now.total:,} rows stored, {rate:,.0f} a second{left}")


class _Comparing:
    """Prints the table that is compared on standard error."""

    def __init__(self) -> None:
        self._reported_s = time.monotonic()

    def __call__(self, table: str) -> None:
        if (now_s := time.monotonic()) - self._reported_s >= REPORT_S:
            self._reported_s = now_s
            note(f"{table}: compared with the file")


def _print_import(item: ImportItem) -> None:
    if not item.equal:
        print_tables([one for one in item.tables if not one.equal])
    stored = sum(one.rows_in_lake for one in item.tables)
    how = f", {item.added:,} of them by this call" if item.continued else ""
    print_line(f"imported {item.source}: {stored:,} rows of {len(item.tables)} tables{how}")
    print_line(_result(item))
    if item.copy_files:
        print_line(f"copy to {item.work_folder} before `driftd serve`: {', '.join(item.copy_files)}")


def _result(item: ComparisonItem) -> str:
    if item.equal:
        return "file and lake are equal: the number and the digest of the rows of every table"
    return f"file and lake differ in {', '.join(one.table for one in item.tables if not one.equal)}"


def _equal(one: ComparedItem) -> str:
    if one.equal:
        return "yes"
    return "no" + (f": {', '.join(one.columns)}" if one.columns else "")


def _items(tables: Sequence[ComparedTable]) -> list[ComparedItem]:
    return [ComparedItem.model_validate(asdict(one) | {"equal": one.equal}) for one in tables]


def _files_to_copy(source: Path, folder: Path) -> list[str]:
    """Return the files and folders next to a database file that the folder of the lake's process lacks."""
    place = source.parent if source.is_file() else source
    here = [name for name in FILES_OF_A_DATABASE if (place / name).exists()]
    return [str(place / name) for name in here if not (folder / name).exists()]
