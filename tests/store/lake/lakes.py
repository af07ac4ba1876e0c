"""New lakes for tests, each a copy of one empty lake: to create its tables takes a second.

Their Parquet files are in a folder, with `LAKE_DATA=s3` in a real object store.
"""

import itertools
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from monitor.clock import Clock
from monitor.domain.object_store import LakeData, ObjectData
from monitor.store.engine.database import Store
from monitor.store.lake import connect, lake_store
from monitor.store.lake.create import create_lake
from monitor.store.lake.lake_store import LakeStore
from monitor.store.lake.lake_tx import LAKE, LakeTx
from monitor.store.lake.marker import MARKER
from tests.postgres import Postgres, running_postgres
from tests.store.build import HandClock
from tests.store.lake.gateway import KEYS, REGION, Gateway, running_gateway

EMPTY = "empty"
BUCKET = "lakes"
ENDPOINT = "DRIFTD_TEST_ENDPOINT"  # the environment variable with the address of the object store, for processes
ON_S3 = os.environ.get("LAKE_DATA") == "s3"


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


def place(text: str) -> LakeData:
    """Return the data of a lake that a process got as an argument."""
    if not text.startswith("s3://"):
        return text
    return ObjectData.of(text, endpoint=os.environ[ENDPOINT], region=REGION, keys=KEYS)


class Lakes:
    """The lakes of one PostgreSQL server. `data` has all their files, whose names never repeat; `files` is the folder
    where a test finds them, also those of an object store.
    """

    def __init__(
        self, server: Postgres, files: Path, engine: duckdb.DuckDBPyConnection, gateway: Gateway | None = None
    ) -> None:
        self.server, self.files, self.gateway, self._engine = server, files, gateway, engine
        self._numbers, self._prefixes = itertools.count(), itertools.count()

    @property
    def data(self) -> LakeData:
        return _data(self.files, self.gateway)

    def section(self, database: str) -> dict[str, Any]:
        """Return the section `store` of a configuration."""
        section = {"url": self.server.url(database), "data": str(self.data)}
        if self.gateway is None:
            return section
        keys = {"access_key_id": KEYS.id, "secret_access_key": KEYS.secret}
        return section | {"object_store": {"endpoint": self.gateway.endpoint, **keys}}

    @contextmanager
    def new(self, clock: Clock, *, any_order: bool = True) -> Iterator[LakeStore]:
        """Open a new lake, and remove it. With `any_order`, a write may change control tables before large ones."""
        name = self.create()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(connect, "duckdb_with_extensions", lambda *_: self._engine.cursor())
            if any_order:
                patch.setattr(lake_store, "LakeTx", AnyOrderTx)
            store = Store.open(self.server.url(name), data=self.data, clock=clock)
            try:
                yield store
            finally:
                store.close()
                for attached in ("lake", "control"):
                    self._engine.execute(f"DETACH {attached}")
        self.server.run(f"DROP DATABASE {name} WITH (FORCE)")

    @contextmanager
    def in_folder(self, folder: Path) -> Iterator[None]:
        """Store the files of the lakes that are created in the block in another folder, or below another prefix."""
        usual = self.files
        if self.gateway is not None:
            folder = usual.parent / f"prefix-{next(self._prefixes)}"
        self.files = folder
        yield
        self.files = usual

    def create(self) -> str:
        """Return the name of a new database with an empty lake."""
        name = f"lake_{next(self._numbers)}"
        if self.gateway is not None and not self.files.exists():
            self.files.mkdir()
            (self.files / MARKER).write_text('{"lake": "lake-of-a-test"}')
        self.server.run(f"CREATE DATABASE {name} TEMPLATE {EMPTY}")
        self.server.run(f"UPDATE lake.ducklake_metadata SET value = '{self.data}/' WHERE key = 'data_path'", name)
        return name

    def open(self, database: str, clock: Clock) -> LakeStore:
        """Open a lake with a DuckDB of its own, as another process does."""
        return Store.open(self.server.url(database), data=self.data, clock=clock)


def _data(files: Path, gateway: Gateway | None) -> LakeData:
    return (
        str(files) if gateway is None else gateway.data(BUCKET, files.relative_to(gateway.folder / BUCKET).as_posix())
    )


@contextmanager
def running_lakes(*, on_s3: bool = ON_S3) -> Iterator[Lakes]:
    with ExitStack() as running:
        gateway = running.enter_context(running_gateway()) if on_s3 else None
        if gateway is None:
            files = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="driftd-lakes-")))
        else:
            gateway.create_bucket(BUCKET)
            files = gateway.folder / BUCKET / "usual"
            os.environ[ENDPOINT] = gateway.endpoint
        server = running.enter_context(running_postgres())
        server.run(f"CREATE DATABASE {EMPTY}")
        create_lake(server.url(EMPTY), _data(files, gateway), HandClock().now())
        engine = connect.duckdb_with_extensions(1024, 2)
        running.callback(engine.close)
        yield Lakes(server, files, engine, gateway)
