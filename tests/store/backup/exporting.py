"""An export of a small store as Parquet files, and the documented types of its columns."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from monitor.domain.evalset import SetKind
from monitor.store.backup import describe
from monitor.store.backup.backups import Backups, BackupState, Order
from monitor.store.backup.destination import destination_of
from monitor.store.backup.manifest import Manifest
from monitor.store.backup.transfer import transfer
from monitor.store.engine.file_store import FileStore
from monitor.store.sets.sealed_sets import write_revision
from monitor.store.traffic import interactions
from replay.evalsets.sealing import Sealer
from replay.types import Case, Message
from tests.store.build import START, HandClock, at, interaction

SEALED = "the private question x8Kq"
CALLS = 10


@contextmanager
def filled(store: FileStore, folder: Path, clock: HandClock) -> Iterator[Backups]:
    """Write calls and a sealed set, and yield what makes exports of them."""
    with store.write() as tx:
        interactions.insert(tx, [interaction(f"call-{n}", started_at=at(n)) for n in range(CALLS)])
        case = Case(id="a", input=(Message(role="user", content=SEALED),))
        sealer = Sealer(bytes(range(32)))
        write_revision(tx, name="private", kind=SetKind.FROZEN, cases=[case], sealer=sealer, now=START, origin="file")
    made = Backups(store, folder, clock, "1.0")
    yield made
    made.close()


def exported(exports: Backups, folder: Path, order: Order) -> Manifest:
    """Make an export and transfer it to the folder."""
    ordered = exports.order("anna", order)
    exports.run_ordered()
    found = exports.get(ordered.id)
    assert (found.error, found.state) == (None, BackupState.READY)
    assert found.manifest is not None
    manifest, place = found.manifest, destination_of(folder)
    transfer(manifest, place.begin(manifest), lambda c: exports.chunk(manifest.id, c.number), lambda _: None)
    place.finish(manifest)
    return manifest


def documented() -> dict[str, list[tuple[str, str]]]:
    """Return the columns of each table with their Parquet types, as docs/tables.md has them."""
    tables: dict[str, list[tuple[str, str]]] = {}
    for part in describe.document().split("\n## ")[1:]:
        name, *lines = part.splitlines()
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| `")]
        tables[name] = [(cell[0].strip("`"), cell[1]) for cell in cells]
    return tables
