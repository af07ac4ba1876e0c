"""New lakes for tests, each a copy of one empty lake: to create its tables takes a second."""

import itertools
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from monitor.clock import Clock
from monitor.store.engine.database import Store
from monitor.store.lake import connect, lake_store
from monitor.store.lake.create import create_lake
from monitor.store.lake.lake_store import LakeStore
from monitor.store.lake.lake_tx import LAKE, LakeTx
from tests.postgres import Postgres, running_postgres
from tests.store.build import HandClock

EMPTY = "empty"


class AnyOrderTx(LakeTx):
    """A transaction for a whole test, which writes both kinds of tables in any order. Each change of the kind commits,
    and nothing is deferred to its end.
    """

    def defer(self, name: str, /, *, batch: pa.Table | None = None, **params: Any) -> None:
        self.execute(name, batch=batch, **params)

    def _enter(self, database: str) -> None:
        if self._writes not in (None, database) and database == LAKE:
            self._cursor.execute("COMMIT")
            self._writes = None
            self.begin()
        super()._enter(database)


class Lakes:
    """The lakes of one PostgreSQL server. `data` is the folder of all their files, whose names never repeat."""

    def __init__(self, server: Postgres, data: Path, engine: duckdb.DuckDBPyConnection) -> None:
        self.server, self.data, self._engine = server, data, engine
        self._numbers = itertools.count()

    @contextmanager
    def new(self, clock: Clock, *, any_order: bool = True) -> Iterator[LakeStore]:
        """Open a new lake, and remove it. With `any_order`, a write may change control tables before large ones."""
        name = self.create()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(connect, "duckdb_with_extensions", lambda *_: self._engine.cursor())
            if any_order:
                patch.setattr(lake_store, "LakeTx", AnyOrderTx)
            store = Store.open(self.server.url(name), data=str(self.data), clock=clock)
            try:
                yield store
            finally:
                store.close()
                for attached in ("lake", "control"):
                    self._engine.execute(f"DETACH {attached}")
        self.server.run(f"DROP DATABASE {name} WITH (FORCE)")

    @contextmanager
    def in_folder(self, data: Path) -> Iterator[None]:
        """Store the files of the lakes that are created in the block in another folder."""
        usual, self.data = self.data, data
        yield
        self.data = usual

    def create(self) -> str:
        """Return the name of a new database with an empty lake."""
        name = f"lake_{next(self._numbers)}"
        self.server.run(f"CREATE DATABASE {name} TEMPLATE {EMPTY}")
        self.server.run(f"UPDATE lake.ducklake_metadata SET value = '{self.data}/' WHERE key = 'data_path'", name)
        return name

    def open(self, database: str, clock: Clock) -> LakeStore:
        """Open a lake with a DuckDB of its own, as another process does."""
        return Store.open(self.server.url(database), data=str(self.data), clock=clock)


@contextmanager
def running_lakes() -> Iterator[Lakes]:
    with tempfile.TemporaryDirectory(prefix="driftd-lakes-") as data, running_postgres() as server:
        server.run(f"CREATE DATABASE {EMPTY}")
        create_lake(server.url(EMPTY), data, HandClock().now())
        engine = connect.duckdb_with_extensions(1024, 2)
        try:
            yield Lakes(server, Path(data), engine)
        finally:
            engine.close()
