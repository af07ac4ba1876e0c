"""`driftd db backup` and `driftd db restore`."""

import time
from pathlib import Path
from typing import Annotated

import typer

from monitor.api.schema.backups import BackupItem, DiscardBackup, OrderBackup
from monitor.cli.connection.client import Api
from monitor.cli.connection.session import Session, with_session
from monitor.cli.terminal.output import note, print_line
from monitor.errors import NotFound, Retryable
from monitor.store.backup import manifest as manifests
from monitor.store.backup import restore as restoring
from monitor.store.backup.destination import Destination, destination_of
from monitor.store.backup.layout import open_backup
from monitor.store.backup.manifest import Chunk, Manifest
from monitor.store.backup.transfer import transfer

POLL_S = 0.2
REPORT_S = 10.0  # between two lines about the progress
BACKUPS = "/api/v1/backups"


@with_session
def backup(
    session: Session,
    destination: Annotated[
        Path, typer.Argument(metavar="FOLDER_OR_FILE", help="A new folder, or a new file whose name ends with .tar.")
    ],
) -> None:
    """Write a consistent backup of the database to a folder or a tar file, also while the daemon ingests.

    The same command continues an interrupted backup. Keys of sealed sets are not part of it.
    """
    item, manifest = received_order(session.api, OrderBackup(), destination)
    session.show(item, lambda: print_line(_written(manifest, destination)))


def restore(
    source: Annotated[Path, typer.Argument(metavar="BACKUP", help="The folder or the tar file of a backup.")],
    into: Annotated[Path, typer.Option("--into", metavar="FOLDER", help="An empty or a new folder.")],
) -> None:
    """Restore the database of a backup into an empty folder. No daemon may use the folder.

    The same command continues an interrupted restore. Set store.path to the restored file, then start driftd.
    """
    manifest, layout = open_backup(source)
    path = restoring.restore(manifest, layout, into, _Progress(manifest.bytes))
    print_line(
        f"restored {path}: {sum(manifest.tables.values())} rows as of {manifest.created_at:%Y-%m-%d %H:%M:%SZ}; "
        f"newest entry of the audit log {manifest.audit_head}"
    )


def received_order(api: Api, order: OrderBackup, path: Path) -> tuple[BackupItem, Manifest]:
    """Order a backup or an export, or continue an interrupted one, and store it at `path`."""
    place = destination_of(path)
    begun = place.begun()
    item = _continued(api, begun) if begun is not None else None
    item = _ready(api, item or api.post(BACKUPS, order, BackupItem))
    return item, _received(api, item, place)


def _received(api: Api, item: BackupItem, place: Destination) -> Manifest:
    """Store the files of a backup that is ready at `place`, and remove the copy of the daemon."""
    assert item.manifest is not None, "it is ready"
    manifest = manifests.parse(item.manifest.model_dump_json(), f"backup {item.id}")

    def fetch(chunk: Chunk) -> bytes:
        return api.page(f"{BACKUPS}/{item.id}/chunk", number=chunk.number)

    transfer(manifest, place.begin(manifest), fetch, _Progress(manifest.bytes))
    place.finish(manifest)
    api.post(f"{BACKUPS}/{item.id}/discard", DiscardBackup(), BackupItem)
    return manifest


def _continued(api: Api, begun: Manifest) -> BackupItem | None:
    """Return the backup that was begun; None when the daemon does not have it any more."""
    try:
        item = api.get(f"{BACKUPS}/{begun.id}", BackupItem)
    except NotFound:
        note(f"the daemon no longer has the copy of {begun.id}; the backup begins again")
        return None
    note(f"the backup {begun.id} continues")
    return item


def _ready(api: Api, item: BackupItem) -> BackupItem:
    """Wait until the copy is ready. Raises Retryable when it failed."""
    api.make_backup()
    while item.state == "copying":
        time.sleep(POLL_S)
        item = api.get(f"{BACKUPS}/{item.id}", BackupItem)
    if item.state == "failed":
        raise Retryable(f"backup {item.id} failed: {item.error}")
    return item


def _written(manifest: Manifest, destination: Path) -> str:
    return (
        f"wrote {destination}: {manifest.bytes / 2**20:.1f} MiB, {sum(manifest.tables.values())} rows of "
        f"{len(manifest.tables)} tables; newest entry of the audit log {manifest.audit_head}"
    )


class _Progress:
    """Prints the progress of a transfer on standard error, every ten seconds."""

    def __init__(self, total: int) -> None:
        self._total, self._reported_s = total, time.monotonic()

    def __call__(self, done: int) -> None:
        if (now_s := time.monotonic()) - self._reported_s >= REPORT_S:
            self._reported_s = now_s
            note(f"{done / 2**20:.0f} of {self._total / 2**20:.0f} MiB")
