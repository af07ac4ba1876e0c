"""Checks the database file: it exists, is complete and writable, and belongs to the expected daemon."""

import os
from datetime import datetime
from pathlib import Path

from monitor.api.schema import LossItem
from monitor.cli.checks.line import Line, fail, ok, warn
from monitor.cli.connection.client import Api
from monitor.errors import DriftdError, StoreLocked
from monitor.store.engine import losses
from monitor.store.engine.commit_mark import read_mark
from monitor.store.engine.connect import ReadOnlyDatabase
from monitor.store.engine.transaction import Tx
from monitor.store.engine.watermark import compare, mark_in

CHECK = "database"
COMPLETE = "database complete"


def check_file(path: Path, database_file: ReadOnlyDatabase, *, daemon: str | None) -> Line:
    """Return the line of a file that could be opened. A daemon at `daemon` then uses another file."""
    if daemon is not None:
        return fail(
            CHECK,
            f"the daemon at {daemon} does not have {path} open: it serves another file; stop it, or choose other ports",
        )
    if not _writable(path):
        return fail(CHECK, f"{path} is read-only for this user; driftd must be able to write it")
    size = f"{path} is readable, {path.stat().st_size / 2**20:.1f} MiB"
    if database_file.pending:
        return warn(CHECK, f"{size}; its schema is older, and the next start updates it; make a copy first")
    return ok(CHECK, size)


def check_complete(path: Path, tx: Tx, now: datetime) -> Line:
    """Return whether the file has every acknowledged transaction, by the journal file next to it."""
    waiting, stored = losses.unacknowledged(tx), mark_in(tx)
    found = compare(stored, read_mark(path.resolve()), now) if stored is not None else None
    if found is None and waiting:
        found = waiting[-1]
    if found is not None:
        return fail(COMPLETE, f"{path}: {found.sentence}")
    return ok(COMPLETE, f"{path} has every acknowledged transaction")


def check_complete_at_daemon(api: Api) -> list[Line]:
    """Return the same line from the daemon that has the file open; no line if the token does not allow it."""
    try:
        items = api.list("/api/v1/losses", LossItem, limit=500).items
    except DriftdError as error:
        return [warn(COMPLETE, f"the daemon does not report whether rows are missing: {error}")]
    waiting = [item for item in items if item.acknowledged_at is None]
    if waiting:
        return [fail(COMPLETE, waiting[0].sentence)]
    return [ok(COMPLETE, "the database of the daemon has every acknowledged transaction")]


def check_unopened(path: Path, error: DriftdError, *, daemon: str | None) -> Line:
    """Return the line of a file that could not be opened. This is correct when its daemon has it open."""
    if isinstance(error, StoreLocked) and daemon is not None:
        return ok(CHECK, f"{path} belongs to the daemon at {daemon}")
    return fail(CHECK, str(error))


def check_absent(path: Path, *, daemon: str | None) -> Line:
    """Return the line of a missing file: the first start creates it if the folder is writable."""
    if daemon is not None:
        return fail(CHECK, f"{path} does not exist, but a daemon answers at {daemon}: it serves another file")
    folder = next(folder for folder in path.absolute().parents if folder.exists())
    if not folder.is_dir():
        return fail(CHECK, f"{path} cannot be created: {folder} is not a folder; choose another store.path")
    if not _writable(folder):
        return fail(CHECK, f"{path} cannot be created: this user cannot write to {folder}")
    return ok(CHECK, f"{path} does not exist yet; the first start creates it")


def _writable(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
