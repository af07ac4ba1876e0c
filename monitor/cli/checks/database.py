"""The database file: there, whole, writable, and whose."""

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


def check_file(path: Path, seen: ReadOnlyDatabase, *, daemon: str | None) -> Line:
    """A file that could be opened: with a daemon at `daemon`, that one owns another."""
    if daemon is not None:
        return fail(
            CHECK,
            f"the daemon at {daemon} does not have {path} open: it serves another file; stop it, or choose other ports",
        )
    if not _writable(path):
        return fail(CHECK, f"{path} is read-only for this user; driftd must be able to write it")
    size = f"{path} can be opened, {path.stat().st_size / 2**20:.1f} MiB"
    if seen.pending:
        return warn(CHECK, f"{size}; its schema is older, the next start brings it up to date: make a copy before")
    return ok(CHECK, size)


def check_complete(path: Path, tx: Tx, now: datetime) -> Line:
    """Whether the file holds every transaction that was acknowledged, by the watermark outside its log."""
    waiting, stored = losses.unacknowledged(tx), mark_in(tx)
    found = compare(stored, read_mark(path.resolve()), now) if stored is not None else None
    if found is None and waiting:
        found = waiting[-1]
    if found is not None:
        return fail(COMPLETE, f"{path}: {found.sentence}")
    return ok(COMPLETE, f"{path} holds every transaction that was acknowledged")


def check_complete_at_daemon(api: Api) -> list[Line]:
    """The same, as the daemon that owns the file says it; nothing when it may not be asked."""
    try:
        items = api.list("/api/v1/losses", LossItem, limit=500).items
    except DriftdError as error:
        return [warn(COMPLETE, f"the daemon does not say whether rows are missing: {error}")]
    waiting = [item for item in items if item.acknowledged_at is None]
    if waiting:
        return [fail(COMPLETE, waiting[0].sentence)]
    return [ok(COMPLETE, "the daemon's database holds every transaction that was acknowledged")]


def check_unopened(path: Path, error: DriftdError, *, daemon: str | None) -> Line:
    """A file that could not be opened, which is as it should be when its daemon has it."""
    if isinstance(error, StoreLocked) and daemon is not None:
        return ok(CHECK, f"{path} belongs to the daemon at {daemon}")
    return fail(CHECK, str(error))


def check_absent(path: Path, *, daemon: str | None) -> Line:
    """No file yet: the first start makes it, where it may."""
    if daemon is not None:
        return fail(CHECK, f"{path} does not exist, but a daemon answers at {daemon}: it serves another file")
    folder = next(folder for folder in path.absolute().parents if folder.exists())
    if not folder.is_dir():
        return fail(CHECK, f"{path} cannot be made: {folder} is no folder; choose another store.path")
    if not _writable(folder):
        return fail(CHECK, f"{path} cannot be made: this user may not write into {folder}")
    return ok(CHECK, f"{path} does not exist yet; the first start makes it")


def _writable(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
