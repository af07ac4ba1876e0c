"""A lake whose writes need a lease."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from monitor.domain.audit import Head
from monitor.store.engine.database import Store
from monitor.store.engine.disk_reserve import NoReserve
from monitor.store.engine.table_scan import TableScan
from monitor.store.engine.transaction import Tx
from monitor.store.lake.lease import Term

if TYPE_CHECKING:
    from monitor.store.lake.lake_store import LakeStore


class Holder(Protocol):
    """What holds a lease in this process."""

    def required(self) -> Term:
        """Return the term of a write. Raises LeaseLost when this process does not hold the lease."""
        ...


class LeasedStore(Store):
    """The lake for the holder of a lease. A write of another process, or of an earlier term, raises LeaseLost."""

    kind = "lake"

    def __init__(self, store: "LakeStore", lease: Holder) -> None:
        self._store, self._lease = store, lease

    @property
    def name(self) -> str:
        return self._store.name

    @property
    def disk(self) -> NoReserve:
        return self._store.disk

    def bytes_stored(self) -> int:
        return self._store.bytes_stored()

    @property
    def written(self) -> Mapping[str, int]:
        return self._store.written

    @property
    def shared(self) -> bool:
        return self._store.shared

    @property
    def compacting(self) -> bool:
        return self._store.compacting

    @property
    def audit_head(self) -> Head:
        return self._store.audit_head

    def read(self) -> AbstractContextManager[Tx]:
        return self._store.read()

    def write(self) -> AbstractContextManager[Tx]:
        return self._store.write_in(self._lease.required())

    def table_names(self) -> list[str]:
        return self._store.table_names()

    def scan_table(self, table: str) -> TableScan:
        return self._store.scan_table(table)

    def interrupt_reads(self, older_than_s: float) -> int:
        return self._store.interrupt_reads(older_than_s)

    def probe(self) -> None:
        self._store.probe()

    def close(self) -> None:
        self._store.close()


class SliceStore(LeasedStore):
    """The lake for a process that replays a slice. Its outcomes do not wait for the writes of other processes."""

    def append(self) -> AbstractContextManager[Tx]:
        return self._store.write_in(self._lease.required(), alone=False)
