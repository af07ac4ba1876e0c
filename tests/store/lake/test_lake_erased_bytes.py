"""After an erasure and the maintenance that follows it, no file of a lake has the text of the user: neither a Parquet
file nor any file of PostgreSQL.
"""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from monitor.domain.compaction import Compaction, CompactionKind
from monitor.jobs.maintenance.lake_loop import LakeLoop
from monitor.store.lake import lake_store
from monitor.store.lake.lake_store import LakeStore
from monitor.store.lake.large_tables import LARGE
from monitor.store.lake.maintain import rewrite_control_tables
from monitor.store.maintenance import compactions
from monitor.store.maintenance.erase_user import erase_user
from tests.postgres import Postgres
from tests.store.lake.lakes import AnyOrderTx, Lakes
from tests.store.lake.test_lake_loop import Ahead
from tests.store.lake.test_lake_maintenance import found_in_files
from tests.store.maintenance.test_erase_user import EVERYWHERE, OTHERS, WORDS, furnish

HOUR = timedelta(hours=1, minutes=5)


@pytest.fixture
def ahead() -> Ahead:
    return Ahead()


@pytest.fixture
def database(lakes: Lakes, tmp_path: Path) -> Iterator[str]:
    with lakes.in_folder(tmp_path):
        yield lakes.create()


@pytest.fixture
def furnished(lakes: Lakes, database: str, ahead: Ahead) -> Iterator[LakeStore]:
    store = lakes.open(database, ahead)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lake_store, "LakeTx", AnyOrderTx)
        with store.write() as tx:
            furnish(tx)
    yield store
    store.close()


def files_with(server: Postgres, text: str) -> list[str]:
    """Return the files of PostgreSQL that have a text, without those of the write-ahead log."""
    server.run("CHECKPOINT")
    data = server.folder / "data"
    found = [path.relative_to(data).as_posix() for path in data.rglob("*") if has(path, text)]
    return [path for path in found if not path.startswith("pg_wal/")]


def has(path: Path, text: str) -> bool:
    try:
        return path.is_file() and text.encode() in path.read_bytes()
    except FileNotFoundError:  # PostgreSQL removed it meanwhile
        return False


def forget_the_log(server: Postgres) -> None:
    """Let PostgreSQL remove its write-ahead log up to now."""
    server.run("ALTER SYSTEM SET wal_recycle = off")
    server.run("SELECT pg_reload_conf()")
    for _ in range(2):
        server.run("SELECT pg_switch_wal()")
        server.run("CHECKPOINT")


def test_no_file_has_the_words_of_an_erased_user(
    lakes: Lakes, database: str, furnished: LakeStore, ahead: Ahead
) -> None:
    server = lakes.server
    server.run("ANALYZE", database)
    assert len(files_with(server, WORDS)) >= len(EVERYWHERE - LARGE)
    now = ahead.now()
    with furnished.write() as tx:
        removed = erase_user(tx, "user-mine", now).removed
    with furnished.write() as tx:
        order = Compaction(id="c", kind=CompactionKind.ERASE, at=now, who="a", user_hash="h", removed=removed)
        compactions.insert(tx, order)
    assert files_with(server, WORDS), "a removed row stays in the files: this is why its table is written again"

    maintain_until_done(furnished, ahead)
    assert files_with(server, WORDS) == []
    assert found_in_files(lakes, furnished, WORDS) == []
    assert files_with(server, OTHERS)

    assert [path for path in (server.folder / "data/pg_wal").iterdir() if has(path, WORDS)]
    forget_the_log(server)
    assert [path for path in server.folder.rglob("*") if has(path, WORDS)] == []


def test_a_compaction_of_everything_writes_each_control_table_again(
    lakes: Lakes, database: str, furnished: LakeStore, ahead: Ahead
) -> None:
    order = Compaction(id="c", kind=CompactionKind.COMPACT, at=ahead.now(), who="a", user_hash=None, removed={})
    with furnished.write() as tx:
        erase_user(tx, "user-mine", ahead.now())
    with furnished.write() as tx:
        compactions.insert(tx, order)
    before = file_numbers(lakes.server, database)
    maintain_until_done(furnished, ahead)
    after = file_numbers(lakes.server, database)
    assert before.keys() == after.keys() >= {"candidate", "run", "compaction"}
    assert not before.items() & after.items()
    assert files_with(lakes.server, WORDS) == []


def test_an_order_waits_a_minute_for_a_table_in_use_and_not_for_the_others(
    lakes: Lakes, database: str, furnished: LakeStore, ahead: Ahead
) -> None:
    with furnished.write() as tx:
        order = Compaction(id="c", kind=CompactionKind.COMPACT, at=ahead.now(), who="a", user_hash=None, removed={})
        compactions.insert(tx, order)
    lease = furnished.lease("maintain", expires_s=1e6)
    lease.renew()
    loop = LakeLoop(store=furnished, lease=lease, clock=ahead)
    for _ in range(2):
        loop.step()
        ahead.by += HOUR
    before = file_numbers(lakes.server, database)
    reading = lakes.open(database, Ahead())
    with reading.read() as tx:
        tx._cursor.execute("SELECT count(*) FROM candidate").fetchall()
        loop.step()
        with furnished.read() as other:
            assert len(compactions.open_orders(other)) == 1
    reading.close()
    between = file_numbers(lakes.server, database)
    assert before.items() & between.items() == {("candidate", before["candidate"])}
    ahead.by += timedelta(minutes=1)
    loop.step()
    after = file_numbers(lakes.server, database)
    assert between.items() - after.items() == {("candidate", between["candidate"])}
    with furnished.read() as tx:
        assert compactions.open_orders(tx) == []


def file_numbers(server: Postgres, database: str) -> dict[str, str]:
    """Return the number of the file of each control table."""
    of = "relnamespace = 'main'::regnamespace AND relkind = 'r'"
    rows = server.run(f"SELECT relname, pg_relation_filenode(oid) FROM pg_class WHERE {of}", database).splitlines()
    return dict(row.split("|") for row in rows)


def maintain_until_done(store: LakeStore, ahead: Ahead) -> None:
    """Maintain every hour, until no order is open."""
    lease = store.lease("maintain", expires_s=1e6)
    lease.renew()
    loop = LakeLoop(store=store, lease=lease, clock=ahead)
    for _ in range(4):
        loop.step()
        ahead.by += HOUR
    with store.read() as tx:
        assert compactions.open_orders(tx) == []


def test_a_table_that_a_transaction_reads_is_written_again_later(
    lakes: Lakes, database: str, furnished: LakeStore
) -> None:
    reading = lakes.open(database, Ahead())
    with reading.read() as tx:
        tx._cursor.execute("SELECT count(*) FROM candidate").fetchall()
        assert rewrite_control_tables(furnished, ["candidate", "candidate_decision"]) == ["candidate"]
    assert rewrite_control_tables(furnished, ["candidate"]) == []
    reading.close()


def test_statistics_keep_no_text_of_a_user(lakes: Lakes, database: str, furnished: LakeStore) -> None:
    lakes.server.run("ANALYZE", database)
    kept = lakes.server.run(
        "SELECT tablename, attname FROM pg_stats WHERE schemaname = 'main' AND (most_common_vals IS NOT NULL OR"
        " histogram_bounds IS NOT NULL) AND concat(most_common_vals, histogram_bounds) LIKE '%Vandermeer%'",
        database,
    )
    assert kept == ""
