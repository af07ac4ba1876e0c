"""What `driftd lake init|check|status` do, on a real PostgreSQL server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from monitor.errors import ConfigError, StoreUnavailable
from monitor.store.engine.database import Store
from monitor.store.engine.migrations import known_migrations
from monitor.store.lake import checks, create
from monitor.store.lake.checks import check_lake
from monitor.store.lake.create import create_lake
from monitor.store.lake.large_tables import LARGE
from monitor.store.lake.marker import MARKER
from monitor.store.lake.status import lake_status
from monitor.store.runs import runs
from monitor.store.traffic import interactions
from tests.ports import free_port
from tests.store.build import HandClock, interaction, run
from tests.store.lake.lakes import Lakes

PASSWORD = "s3cr3t-w0rd"


@pytest.fixture
def url(lakes: Lakes) -> Iterator[str]:
    """An empty database."""
    lakes.server.run("CREATE DATABASE fresh")
    yield lakes.server.url("fresh")
    lakes.server.run("DROP DATABASE fresh WITH (FORCE)")


def failed(url: str, data: Path) -> dict[str, str]:
    return {one.check: one.sentence for one in check_lake(url, str(data)) if one.state != "ok"}


def test_a_lake_is_created_once(url: str, tmp_path: Path, clock: HandClock) -> None:
    data = tmp_path / "lake"
    assert "driftd lake init" in failed(url, data)["tables"]
    with pytest.raises(ConfigError, match="driftd lake init"):
        Store.open(url, data=str(data), clock=clock)
    assert create_lake(url, str(data), clock.now())
    identity = lake_status(url, str(data)).id
    assert failed(url, data) == {}
    assert not create_lake(url, str(data), clock.now())
    assert lake_status(url, str(data)).id == identity
    Store.open(url, data=str(data), clock=clock).close()


def test_a_killed_creation_is_continued(
    url: str, tmp_path: Path, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for step in ("_create_large", "_create_control", "_mark"):
        with monkeypatch.context() as patch:
            patch.setattr(create, step, killed)
            with pytest.raises(SystemExit):
                create_lake(url, str(tmp_path), clock.now())
    assert MARKER in failed(url, tmp_path)["data"]
    create_lake(url, str(tmp_path), clock.now())
    assert failed(url, tmp_path) == {}


def killed(*_: object) -> None:
    raise SystemExit


def test_data_of_something_else_is_refused(lakes: Lakes, url: str, tmp_path: Path, clock: HandClock) -> None:
    data, other = tmp_path / "lake", tmp_path / "other"
    create_lake(url, str(data), clock.now())
    with pytest.raises(ConfigError, match="the lake has its files in another folder"):
        Store.open(url, data=str(other), clock=clock)
    lakes.server.run("CREATE DATABASE second")
    second = lakes.server.url("second")
    with pytest.raises(ConfigError, match="files of another lake"):
        create_lake(second, str(data), clock.now())
    other.mkdir()
    (other / "notes.txt").write_text("mine")
    with pytest.raises(ConfigError, match=r"is not empty: it has .*notes.txt"):
        create_lake(second, str(other), clock.now())
    lakes.server.run("DROP DATABASE second WITH (FORCE)")


def test_checks_find_what_was_changed(lakes: Lakes, url: str, tmp_path: Path, clock: HandClock) -> None:
    create_lake(url, str(tmp_path), clock.now())
    lakes.server.run("ALTER TABLE lake.ducklake_snapshot_changes DISABLE TRIGGER store_extra_info", "fresh")
    (tmp_path / MARKER).write_text('{"lake": "lake-x"}')
    found = failed(url, tmp_path)
    assert found.keys() == {"fence", "data"}
    assert "of the lake lake-x" in found["data"]
    (tmp_path / MARKER).unlink()
    assert MARKER in failed(url, tmp_path)["data"]


def test_a_server_with_messages_in_another_language_is_refused(
    url: str, tmp_path: Path, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "ENGLISH", ("de",))  # of C, the locale that every machine has
    with pytest.raises(ConfigError, match=r"lc_messages is C: .* ALTER DATABASE"):
        create_lake(url, str(tmp_path / "x"), clock.now())
    assert not (tmp_path / "x").exists()
    assert "lc_messages is C" in failed(url, tmp_path)["lc_messages"]


def test_the_status_counts_rows_files_and_positions(lakes: Lakes, clock: HandClock) -> None:
    name = lakes.create()
    store = lakes.open(name, clock)
    with store.write() as tx:
        interactions.insert(tx, [interaction("a"), interaction("b")])
        runs.insert(tx, run("r"))
    store.close()
    lakes.server.run("INSERT INTO main.kafka_offset VALUES ('c', 't-1', 2, 'calls', 70, now())", name)
    found = lake_status(lakes.server.url(name), lakes.data)
    tables = {one.table: one for one in found.tables}
    assert (tables["interaction"].rows, tables["interaction"].files) == (2, 1)
    assert tables["interaction"].bytes > 0
    assert (tables["run"].rows, tables["run"].files) == (1, None)
    assert {one.table for one in found.tables if one.files is not None} == LARGE
    assert found.schema_version == known_migrations()[-1].version
    [partition] = found.partitions
    assert (partition.topic, partition.partition, partition.next_offset) == ("calls", 2, 70)


def test_no_error_has_the_password(lakes: Lakes, tmp_path: Path, clock: HandClock) -> None:
    nowhere = f"postgresql://bob:{PASSWORD}@127.0.0.1:{free_port()}/lake?connect_timeout=5"
    unknown = lakes.server.url("unknown").replace("postgres@", f"postgres:{PASSWORD}@")
    for url in (nowhere, unknown):
        for act in (
            lambda url=url: Store.open(url, data=str(tmp_path), clock=clock),
            lambda url=url: create_lake(url, str(tmp_path), clock.now()),
            lambda url=url: lake_status(url, str(tmp_path)),
        ):
            with pytest.raises(StoreUnavailable) as raised:
                act()
            shown = f"{raised.value} {raised.value.__cause__}"
            assert "cannot be opened now" in shown
            assert PASSWORD not in shown
        assert PASSWORD not in str(check_lake(url, str(tmp_path)))
