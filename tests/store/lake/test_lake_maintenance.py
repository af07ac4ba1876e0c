"""The files of a lake are merged, written again and removed, while other processes read and insert."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from random import Random
from threading import Event, Thread
from time import sleep
from typing import Any

import pytest

from monitor.clock import SystemClock
from monitor.errors import LeaseLost
from monitor.store.engine.database import Store
from monitor.store.lake.lake_store import LakeStore
from monitor.store.lake.maintain import maintain_files, number_of_files
from monitor.store.maintenance.erase_user import erase_user
from monitor.store.traffic import feedback, interactions
from tests.store.build import START, at, interaction, user
from tests.store.build import feedback as signal
from tests.store.lake.lakes import Lakes
from tests.store.lake.test_lake_leases import EXPIRED

NONE_OPEN = timedelta(0)  # nothing reads or writes: old files can be removed at once


@pytest.fixture
def database(lakes: Lakes, tmp_path: Path) -> Iterator[str]:
    """A lake with a folder of its own, so that its files can be counted."""
    with lakes.in_folder(tmp_path):
        yield lakes.create()


@pytest.fixture
def store(lakes: Lakes, database: str) -> Iterator[LakeStore]:
    opened = lakes.open(database, SystemClock())
    yield opened
    opened.close()


def append(store: Store, first: int, last: int, **fields: Any) -> None:
    for n in range(first, last):
        with store.append() as tx:
            interactions.insert(tx, [interaction(str(n), **fields)])


def maintain(store: LakeStore, longest: timedelta = NONE_OPEN) -> None:
    maintain_files(store, None, SystemClock().now(), longest=longest)


def ids(store: Store) -> list[str]:
    with store.read() as tx:
        return [row[0] for row in tx._cursor.execute("SELECT id FROM interaction ORDER BY id").fetchall()]


def parquet_files(lakes: Lakes) -> list[Path]:
    return sorted(lakes.files.rglob("*.parquet"))


def require_no_other_files(lakes: Lakes, store: LakeStore) -> None:
    """Every file on the disk is one that the newest snapshot reads."""
    with store.maintained() as cursor:
        deletes = cursor.execute("SELECT count(*) FROM control.lake.ducklake_delete_file").fetchall()[0][0]
    assert len(parquet_files(lakes)) == number_of_files(store) + deletes


def test_small_files_become_one_and_the_old_ones_are_removed(lakes: Lakes, store: LakeStore) -> None:
    append(store, 0, 12)
    assert (number_of_files(store), len(parquet_files(lakes))) == (12, 12)
    done = [maintain_files(store, None, SystemClock().now(), longest=NONE_OPEN) for _ in range(2)]
    assert ([each.merged for each in done], [each.removed for each in done]) == ([12, 0], [0, 12])
    assert (number_of_files(store), len(parquet_files(lakes))) == (1, 1)
    assert len(ids(store)) == 12


def test_a_file_that_a_transaction_may_read_stays(lakes: Lakes, store: LakeStore) -> None:
    append(store, 0, 5)
    maintain(store, longest=timedelta(hours=1))
    assert (number_of_files(store), len(parquet_files(lakes))) == (1, 6)


def test_readers_and_inserts_continue_during_maintenance(lakes: Lakes, database: str, store: LakeStore) -> None:
    append(store, 0, 10)
    done, errors, read = Event(), [], []
    other = lakes.open(database, SystemClock())

    @contextmanager
    def recorded() -> Iterator[None]:
        try:
            yield
        except Exception as error:  # noqa: BLE001 - reported below
            errors.append(error)

    def insert() -> None:
        with recorded():
            append(other, 10, 25)
        done.set()

    def read_always() -> None:
        while not done.is_set():
            with recorded():
                read.append(len(ids(other)))

    threads = [Thread(target=insert), Thread(target=read_always)]
    for thread in threads:
        thread.start()
    with store.read() as tx:
        before = interactions.count(tx)
        while not done.is_set():
            maintain(store, longest=timedelta(hours=1))
            assert interactions.count(tx) == before
    for thread in threads:
        thread.join()
    other.close()
    assert errors == []
    assert read == sorted(read)
    assert len(ids(store)) == 25


def test_inserts_wait_for_a_removal_and_are_not_refused(lakes: Lakes, database: str, store: LakeStore) -> None:
    append(store, 0, 5, user_id="u")
    errors: list[Exception] = []
    other = lakes.open(database, SystemClock())

    def insert() -> None:
        try:
            append(other, 100, 110)
        except Exception as error:  # noqa: BLE001 - reported below
            errors.append(error)

    inserting = Thread(target=insert)
    inserting.start()
    for n in range(3):
        append(store, n * 10 + 20, n * 10 + 22, user_id=f"u{n}")
        with store.write() as tx:
            assert erase_user(tx, f"u{n}", at(0)).removed["interaction"] == 2
            sleep(0.1)
    inserting.join()
    other.close()
    assert errors == []
    assert len(ids(store)) == 15


def test_maintenance_that_is_killed_loses_nothing(lakes: Lakes, database: str, store: LakeStore) -> None:
    rng, stored = Random(3), 0
    command = [sys.executable, "-m", "tests.store.lake.maintainer", lakes.server.url(database), str(lakes.data), "3"]
    for n in range(6):
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            append(store, stored, stored + 6, user_id="even" if n % 2 == 0 else "odd")
            stored += 6
            sleep(rng.uniform(0, 0.5))
            process.kill()
        assert len(ids(store)) == stored
    with store.write() as tx:
        erase_user(tx, "odd", at(0))
    maintain(store)
    maintain(store)
    assert len(ids(store)) == 18
    require_no_other_files(lakes, store)


def test_files_of_killed_writers_are_removed(lakes: Lakes, database: str, store: LakeStore) -> None:
    command = [
        sys.executable,
        "-m",
        "tests.store.lake.ingest_worker",
        lakes.server.url(database),
        str(lakes.data),
        "9999",
    ]
    rng = Random(5)
    append(store, 0, 1)
    for _ in range(4):
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            sleep(rng.uniform(0.1, 0.5))
            process.kill()
    (lakes.files / "main" / "interaction" / "of-a-killed-process.parquet").write_bytes(b"PAR1")
    before = ids(store)
    maintain(store)
    maintain(store)
    assert ids(store) == before
    require_no_other_files(lakes, store)


def test_erased_text_is_in_no_file_and_not_in_the_database(lakes: Lakes, database: str, store: LakeStore) -> None:
    secret = "hunter2-of-the-user"
    own = {"user_id": "u1", "trace_id": "t", "input_messages": (user(f"My password is {secret}"),)}
    for n in range(4):
        with store.append() as tx:
            interactions.insert(tx, [interaction(f"a{n}"), interaction(f"b{n}", **own)])
            feedback.insert(
                tx, [signal(f"f{n}", interaction_id=f"b{n}", comment=secret, linked_interaction_id=f"b{n}")]
            )
    maintain(store, longest=timedelta(hours=1))
    with store.append() as tx:
        interactions.insert(tx, [interaction("b9", **own)])
    assert len(found_in_files(lakes, store, secret)) > 1
    with store.write() as tx:
        assert erase_user(tx, "u1", START).removed["interaction"] == 5
    maintain(store)
    maintain(store)
    assert ids(store) == [f"a{n}" for n in range(4)]
    assert found_in_files(lakes, store, secret) == []
    dump = lakes.server.dump(database)
    assert "ducklake_table_column_stats" in dump
    assert secret not in dump


def found_in_files(lakes: Lakes, store: LakeStore, text: str) -> list[str]:
    """Return the files of which a column has the text. Parquet compresses them: DuckDB reads them."""
    found = []
    for path in parquet_files(lakes):
        with store.maintained() as cursor:
            rows = cursor.execute("SELECT CAST(t AS VARCHAR) FROM read_parquet($path) AS t", {"path": str(path)})
            if any(text in row[0] for row in rows.fetchall()) or text.encode() in path.read_bytes():
                found.append(path.name)
    return found


def test_statistics_of_texts_are_not_stored(lakes: Lakes, database: str, store: LakeStore) -> None:
    append(store, 0, 3, user_id="user-1")
    stored = lakes.server.run(
        """
        SELECT DISTINCT column_name FROM lake.ducklake_file_column_stats AS stats
        JOIN lake.ducklake_column AS known USING (table_id, column_id)
        WHERE min_value IS NOT NULL AND column_type = 'varchar'
        """,
        database,
    )
    assert stored == "deployment"
    with store.read() as tx:
        [(found, least)] = tx._cursor.execute(
            "SELECT count(*), min(user_id) FROM interaction WHERE user_id = 'user-1' AND user_id > 'a'"
        ).fetchall()
    assert (found, least) == (3, "user-1")


def test_maintenance_of_an_earlier_holder_is_refused(lakes: Lakes, database: str, store: LakeStore) -> None:
    append(store, 0, 4)
    other = lakes.open(database, SystemClock())
    leases = store.lease("maintain"), other.lease("maintain")
    leases[0].renew()
    lakes.server.run(EXPIRED, database)
    leases[1].renew()
    with pytest.raises(LeaseLost):
        maintain_files(store, leases[0], SystemClock().now(), longest=NONE_OPEN)
    assert number_of_files(store) == 4
    assert maintain_files(other, leases[1], SystemClock().now(), longest=NONE_OPEN).merged == 4
    other.close()
