"""`driftd db export` and `driftd db import`: tables as Parquet files."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from monitor.api.schema.backups import OrderBackup
from monitor.cli.connection.session import Session, with_session
from monitor.cli.db_backup import received_order
from monitor.cli.terminal.output import print_line, print_table
from monitor.clock import SystemClock
from monitor.errors import UsageError
from monitor.store.backup import restore as restoring
from monitor.store.backup.layout import open_backup


@with_session
def export(
    session: Session,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new folder.")],
    tables: Annotated[
        list[str] | None, typer.Option("--table", metavar="TABLE", help="Only this table. Repeatable. Default: all.")
    ] = None,
    since: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"],
            help="Only rows since this UTC time or date, of tables with a time.",
            metavar="TIME",
        ),
    ] = None,
) -> None:
    """Export tables as Parquet files of one moment, also while the daemon ingests. Sealed texts stay encrypted.

    The same command continues an interrupted export.
    """
    if folder.suffix == ".tar":
        raise UsageError("an export is a folder with one Parquet file for each table; name a folder")
    order = OrderBackup(kind="parquet", tables=tables or None, since=since and since.replace(tzinfo=UTC))
    item, manifest = received_order(session.api, order, folder)
    rows = [(table, rows, f"{table}.parquet") for table, rows in manifest.tables.items()]
    session.show(item, lambda: print_table(("table", "rows", "file"), rows, "no table"))


def import_(
    source: Annotated[Path, typer.Argument(metavar="EXPORT", help="The folder of an export.")],
    into: Annotated[Path, typer.Option("--into", metavar="FOLDER", help="An empty or a new folder.")],
) -> None:
    """Create a database in an empty folder from an export. Tables that the export lacks are empty.

    Set store.path to the new file, then start driftd.
    """
    manifest, layout = open_backup(source)
    path = restoring.import_export(manifest, layout, into, SystemClock().now())
    print_line(f"created {path}: {sum(manifest.tables.values())} rows of {len(manifest.tables)} tables")
