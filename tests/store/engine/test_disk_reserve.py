"""The reserve of the disk: its size, and when it is reached and left."""

import shutil
from collections import namedtuple
from pathlib import Path

import pytest

from monitor.errors import DiskReserveReached
from monitor.store.engine.disk_reserve import READ_S, DiskReserve, ReserveSize

MIB = 2**20
GIB = 2**30
Usage = namedtuple("Usage", "total used free")  # noqa: PYI024 - as shutil returns it


class Disk:
    """A disk of 40 GiB with a settable free space, and the clock of its reader."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path, size: ReserveSize | None = None) -> None:
        self.free, self.now_s, self.reads = 20 * GIB, 0.0, 0
        monkeypatch.setattr(shutil, "disk_usage", self._usage)
        self.reserve = DiskReserve(folder, size, monotonic=lambda: self.now_s)

    def _usage(self, _folder: Path) -> Usage:
        self.reads += 1
        return Usage(40 * GIB, 40 * GIB - self.free, self.free)

    def reached_with(self, free_mib: int) -> bool:
        self.free, self.now_s = free_mib * MIB, self.now_s + 1
        return self.reserve.reached


@pytest.mark.parametrize(
    ("size", "total", "bytes_"),
    [
        (ReserveSize(), 500 * GIB, GIB),
        (ReserveSize(), 2 * GIB, int(0.05 * 2 * GIB)),
        (ReserveSize(bytes_=3 * GIB), 500 * GIB, 3 * GIB),
        (ReserveSize(bytes_=0), 500 * GIB, 0),
        (ReserveSize(share=0.1), 500 * GIB, 50 * GIB),
    ],
)
def test_the_reserve_is_a_size_or_a_share_and_by_default_the_smaller_of_both(
    size: ReserveSize, total: int, bytes_: int
) -> None:
    assert size.of_disk(total) == bytes_


def test_the_reserve_is_left_only_when_a_quarter_more_is_free(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    disk = Disk(monkeypatch, tmp_path, ReserveSize(bytes_=1000 * MIB))
    found = [disk.reached_with(free) for free in (1000, 999, 1000, 1249, 1250, 1000, 999)]
    assert found == [False, True, True, True, False, False, True]


def test_a_reserve_of_nothing_is_never_reached(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    disk = Disk(monkeypatch, tmp_path, ReserveSize(bytes_=0))
    assert not disk.reached_with(0)
    assert disk.reserve.refusal() is None


def test_the_refusal_names_the_folder_the_setting_and_when_it_ends(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    disk = Disk(monkeypatch, tmp_path)
    disk.reached_with(512)
    with pytest.raises(DiskReserveReached) as caught:
        disk.reserve.require()
    message = str(caught.value)
    assert f"the disk of {tmp_path} has 512 MiB free and keeps a reserve of 1,024 MiB" in message
    assert "store.disk_reserve_mb" in message
    assert "until 1,280 MiB are free" in message
    assert (caught.value.status, caught.value.retry_after_s) == (503, 30.0)


def test_the_disk_is_read_a_few_times_a_second_however_often_senders_ask(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    disk = Disk(monkeypatch, tmp_path)
    for _ in range(1000):
        disk.reserve.refusal()
        disk.now_s += READ_S / 100
    assert 9 <= disk.reads <= 11


def test_a_disk_that_cannot_be_read_keeps_its_last_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    disk = Disk(monkeypatch, tmp_path)
    assert disk.reached_with(512)

    def broken(_folder: Path) -> Usage:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(shutil, "disk_usage", broken)
    disk.now_s += 1
    assert disk.reserve.reached


def test_a_reserve_of_most_of_the_disk_can_be_left(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    disk = Disk(monkeypatch, tmp_path, ReserveSize(share=0.9))  # 36 GiB: a quarter more is larger than the disk
    assert disk.reached_with(35 * 1024)
    assert disk.reached_with(37 * 1024)
    assert not disk.reached_with(38 * 1024)
