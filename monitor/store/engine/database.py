"""The store: what the database file and the lake share."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, overload

from monitor.clock import Clock
from monitor.domain.audit import Head
from monitor.domain.object_store import LakeData
from monitor.store.engine.disk_reserve import DiskReserve, NoReserve, ReserveSize
from monitor.store.engine.table_scan import TableScan
from monitor.store.engine.transaction import Tx

if TYPE_CHECKING:
    from monitor.store.engine.file_store import FileStore
    from monitor.store.lake.lake_store import LakeStore

__all__ = ["Store", "Tx"]


class Store(ABC):
    """A database with the tables of driftd: one file, or a lake with a PostgreSQL database. Both run the same
    statements. `tests/store/test_store_contract.py` tests both.
    """

    kind: ClassVar[Literal["file", "lake"]]

    @overload
    @staticmethod
    def open(
        where: Path,
        *,
        clock: Clock,
        memory_limit_mb: int = 1024,
        threads: int | None = None,
        reserve: ReserveSize | None = None,
    ) -> "FileStore": ...

    @overload
    @staticmethod
    def open(
        where: str, *, clock: Clock, data: LakeData, memory_limit_mb: int = 1024, threads: int | None = None
    ) -> "LakeStore": ...

    @staticmethod
    def open(
        where: Path | str,
        *,
        clock: Clock,
        data: LakeData = "",
        memory_limit_mb: int = 1024,
        threads: int | None = None,
        reserve: ReserveSize | None = None,
    ) -> "FileStore | LakeStore":
        """Open or create the store at a path, or open the lake at `postgresql://USER@HOST/DATABASE`.

        `data` has the Parquet files of the lake. `threads` are those of queries, by default one for each
        processor that the process may use. `reserve` is the free space that the disk of a file keeps.

        Raises StoreLocked when another process owns the file, SchemaTooNew when a newer driftd wrote the store,
        ConfigError when it is not a usable database, StoreUnavailable when it cannot be reached now.
        """
        # Here, because both are subclasses, and a process needs one of them.
        if isinstance(where, Path):
            from monitor.store.engine.file_store import FileStore

            return FileStore.open_file(
                where, memory_limit_mb=memory_limit_mb, threads=threads, clock=clock, reserve=reserve
            )
        from monitor.store.lake.lake_store import LakeStore

        return LakeStore.open_lake(where, data, memory_limit_mb=memory_limit_mb, threads=threads, clock=clock)

    @property
    @abstractmethod
    def name(self) -> str:
        """Return the path of the file, or the URL of the lake without its password."""

    @property
    @abstractmethod
    def disk(self) -> DiskReserve | NoReserve:
        """Return the reserve of the disk of the store. A lake has none: its files are not on a disk of this process."""

    @abstractmethod
    def bytes_stored(self) -> int:
        """Return the size of the store in bytes."""

    @property
    @abstractmethod
    def written(self) -> Mapping[str, int]:
        """Return a number for each table that grows with each commit that changed its rows. A missing table has 0."""

    @property
    @abstractmethod
    def shared(self) -> bool:
        """Return whether other processes may write this store at the same time."""

    @property
    @abstractmethod
    def compacting(self) -> bool:
        """Return whether writes wait for the end of a compaction."""

    @property
    @abstractmethod
    def audit_head(self) -> Head:
        """Return the newest committed entry of the audit log."""

    @abstractmethod
    def read(self) -> AbstractContextManager[Tx]:
        """Yield a read-only snapshot.

        Raises ReadInterrupted when the client of the request disconnected, or the store stops.
        """

    @abstractmethod
    def write(self) -> AbstractContextManager[Tx]:
        """Yield one transaction. When the block ends, all of it is stored, or none of it: in a lake, this holds for
        the large tables and for the control tables each, and the large tables are first.

        Raises StoreUnavailable when the store cannot be written now.
        """

    def append(self) -> AbstractContextManager[Tx]:
        """Yield a write of ingest, which appends rows to large tables.

        In a lake, such writes of several processes run at the same time. Another process may change control tables
        between a check of them in such a write and its commit.
        """
        return self.write()

    @abstractmethod
    def table_names(self) -> list[str]:
        """Return the tables of the database, sorted."""

    @abstractmethod
    def scan_table(self, table: str) -> TableScan:
        """Read every value of a table. Raises NotFound for another name, BlockDamaged for a wrong checksum."""

    def abandon_compaction(self) -> None:  # noqa: B027 - a lake has none
        """End a running compaction or copy without effect, because driftd stops."""

    @abstractmethod
    def interrupt_reads(self, older_than_s: float) -> int:
        """End older reads with ReadInterrupted, because driftd stops. Return their number."""

    @abstractmethod
    def probe(self) -> None:
        """Raise StoreUnavailable unless the store accepts writes."""

    @abstractmethod
    def close(self) -> None:
        """Wait for open transactions, then close the store. A second call does nothing."""
