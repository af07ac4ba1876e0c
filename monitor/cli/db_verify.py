"""`driftd db verify`: a backup, an export, or the database."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from monitor.api.schema.audit import AuditVerification
from monitor.api.schema.database import TableItem, TablesItem
from monitor.api.schema.wire import Wire
from monitor.cli.connection.client import Api, connect
from monitor.cli.options import DEFAULT_CONFIG, AsJson, CaFile, ConfigPath, TokenFile, Url
from monitor.cli.terminal.output import print_json, print_line
from monitor.store.backup.layout import open_backup
from monitor.store.backup.manifest import BackupDamaged
from monitor.store.backup.transfer import demand_lengths, read_chunk


class VerifiedBackup(Wire):
    """What a verification of a backup found: the first damaged bytes, or null."""

    backup: str
    ok: bool
    error: str | None


class VerifiedDatabase(Wire):
    """What a verification of the database found."""

    ok: bool
    tables: list[TableItem]
    audit: AuditVerification


def verify(
    source: Annotated[
        Path | None,
        typer.Argument(metavar="[BACKUP]", help="The folder or the tar file of a backup or an export."),
    ] = None,
    *,
    config: ConfigPath = DEFAULT_CONFIG,
    url: Url = None,
    token_file: TokenFile = None,
    ca_file: CaFile = None,
    as_json: AsJson = False,
) -> None:
    """Verify every byte of a backup; without BACKUP, every value of the database and the chain of the audit log.

    The exit code is 1 when something was changed.
    """
    if source is not None:
        found = _verified(source)
        sentence = f"{source}: {found.error or 'ok: every byte is as it was written'}"
        _show(found, [sentence], ok=found.ok, as_json=as_json)
        return
    with connect(config_path=config, url=url, token_file=token_file, ca_file=ca_file) as api:
        database = _verified_database(api)
    _show(database, _sentences(database), ok=database.ok, as_json=as_json)


def _verified(source: Path) -> VerifiedBackup:
    error = None
    try:
        manifest, layout = open_backup(source)
        for chunk in manifest.chunks():
            read_chunk(layout, chunk)
        demand_lengths(manifest, layout)
    except BackupDamaged as damage:
        error = str(damage)
    return VerifiedBackup(backup=str(source), ok=error is None, error=error)


def _verified_database(api: Api) -> VerifiedDatabase:
    names = api.get("/api/v1/database/tables", TablesItem).tables
    tables = [api.get("/api/v1/database/verification", TableItem, table=name) for name in names]
    audit = api.get("/api/v1/audit/verification", AuditVerification)
    ok = audit.ok and all(table.error is None for table in tables)
    return VerifiedDatabase(ok=ok, tables=tables, audit=audit)


def _sentences(found: VerifiedDatabase) -> list[str]:
    damaged = [f"table {table.table}: {table.error}" for table in found.tables if table.error is not None]
    damaged += [f"broken link of the audit log: {each.reason}" for each in found.audit.breaks]
    rows = sum(table.rows or 0 for table in found.tables)
    return damaged or [f"ok: {rows} rows of {len(found.tables)} tables, {found.audit.entries} entries of the audit log"]


def _show(document: Wire, sentences: Sequence[str], *, ok: bool, as_json: bool) -> None:
    if as_json:
        print_json(document)
    else:
        for sentence in sentences:
            print_line(sentence)
    if not ok:
        raise typer.Exit(1)
