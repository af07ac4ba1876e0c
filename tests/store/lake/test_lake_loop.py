"""The loop that maintains a lake."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from monitor.clock import SystemClock
from monitor.domain.compaction import Compaction, CompactionKind
from monitor.errors import LeaseLost
from monitor.jobs.maintenance.lake_loop import LakeLoop
from monitor.store.lake.lake_store import LakeStore
from monitor.store.lake.lease import Lease
from monitor.store.lake.maintain import number_of_files
from monitor.store.maintenance import compactions
from monitor.store.maintenance.erase_user import erase_user
from monitor.store.traffic import interactions
from tests.store.build import interaction
from tests.store.lake.lakes import Lakes


class Ahead(SystemClock):
    """The clock of the machine, some time later."""

    def __init__(self) -> None:
        self.by = timedelta(0)

    def now(self) -> datetime:
        return super().now() + self.by


@pytest.fixture
def ahead() -> Ahead:
    return Ahead()


@pytest.fixture
def store(lakes: Lakes, tmp_path: Path, ahead: Ahead) -> Iterator[LakeStore]:
    with lakes.in_folder(tmp_path):
        opened = lakes.open(lakes.create(), ahead)
        yield opened
        opened.close()


@pytest.fixture
def lease(store: LakeStore) -> Lease:
    found = store.lease("maintain", expires_s=1e6)
    found.renew()
    return found


def append(store: LakeStore, ahead: Ahead, *names: str, user_id: str | None = None) -> None:
    for name in names:
        now = ahead.now()
        with store.append() as tx:
            interactions.insert(tx, [interaction(name, user_id=user_id, started_at=now, received_at=now)])


def erase(store: LakeStore, ahead: Ahead, user_id: str) -> None:
    """Erase a user and order a compaction, as the API does."""
    now = ahead.now()
    with store.write() as tx:
        removed = erase_user(tx, user_id, now).removed
        compactions.insert(
            tx, Compaction(id="c", kind=CompactionKind.ERASE, at=now, who="a", user_hash="h", removed=removed)
        )


def open_orders(store: LakeStore) -> int:
    with store.read() as tx:
        return len(compactions.open_orders(tx))


def test_an_order_of_an_erasure_is_done_when_its_files_are_removed(
    store: LakeStore, lease: Lease, ahead: Ahead, tmp_path: Path
) -> None:
    append(store, ahead, "a", "b")
    append(store, ahead, "c", "d", user_id="u")
    erase(store, ahead, "u")
    loop = LakeLoop(store=store, lease=lease, clock=ahead)
    waiting = []
    for _ in range(4):
        loop.step()
        waiting.append((open_orders(store), len(list(tmp_path.rglob("*.parquet")))))
        ahead.by += timedelta(hours=1, minutes=5)
    assert [orders for orders, _ in waiting] == [1, 1, 0, 0]
    assert waiting[0][1] > waiting[-1][1] == number_of_files(store) == 1


def test_files_are_merged_once_an_hour(store: LakeStore, lease: Lease, ahead: Ahead) -> None:
    loop = LakeLoop(store=store, lease=lease, clock=ahead)
    append(store, ahead, "a", "b", "c")
    loop.step()
    assert number_of_files(store) == 1
    append(store, ahead, "d", "e")
    loop.step()
    assert number_of_files(store) == 3
    ahead.by += timedelta(hours=1)
    loop.step()
    assert number_of_files(store) == 1


def test_a_process_without_the_lease_maintains_nothing(store: LakeStore, ahead: Ahead) -> None:
    append(store, ahead, "a", "b")
    loop = LakeLoop(store=store, lease=store.lease("maintain"), clock=ahead)
    with pytest.raises(LeaseLost):
        loop.step()
    assert number_of_files(store) == 2


def test_the_process_that_leads_gives_way_to_one_of_the_role_maintain(
    lakes: Lakes, store: LakeStore, lease: Lease, ahead: Ahead
) -> None:
    append(store, ahead, "a", "b")
    leading = LakeLoop(store=store, lease=lease, clock=ahead)
    leading.step()
    assert number_of_files(store) == 1

    append(store, ahead, "c")
    ahead.by += timedelta(hours=2)
    maintaining = LakeLoop(store=store, lease=lease, clock=ahead, first=True)
    store.call("see_worker", "another process", "maintain", "host")
    leading.step()
    assert number_of_files(store) == 2
    maintaining.step()
    assert number_of_files(store) == 1
