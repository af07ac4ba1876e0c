"""Decide where to start reading each partition, from the stored positions and the offsets of the broker."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from monitor.ingest.kafka.cluster import Partition
from monitor.store.traffic.source_positions import StoredOffset


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The offsets that a broker has of a partition: from `first` to before `end`."""

    first: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """Records that were never read and that the broker no longer has: offsets from `since` to before `until`.

    With `cut`, the log ends before `since`: records that were read are gone from the broker, and `until` is its end.
    """

    partition: Partition
    since: int
    until: int
    cut: bool = False

    @property
    def records(self) -> int:
        """Return the largest possible number of lost records: some offsets of a log have no record."""
        return 0 if self.cut else self.until - self.since

    def __str__(self) -> str:
        if self.cut:
            return (
                f"{self.partition} was read up to offset {self.since}, but the broker's log ends at {self.until}: it "
                "was truncated (an unclean leader election, or a restored broker), and new records at offsets that "
                "were read before would be missed"
            )
        return (
            f"{self.partition} was read up to offset {self.since}, but the oldest record of the broker is at "
            f"{self.until}: offsets {self.since} to {self.until - 1}, {self.records} records, were removed unread"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Positions:
    """Start positions. `known` continue after their stored rows, `fresh` were never read, and `lost`
    cannot continue.
    """

    known: Mapping[Partition, int]
    fresh: Mapping[Partition, int]
    lost: Sequence[Lost]

    @property
    def ends(self) -> dict[Partition, int]:
        """Return the end of the stored rows of each partition that was read before."""
        return {**self.known, **{one.partition: one.since for one in self.lost}}

    def without(self, resting: Container[Partition]) -> "Positions":
        """Return the positions without the stopped partitions."""
        return Positions(
            known={p: offset for p, offset in self.known.items() if p not in resting},
            fresh={p: offset for p, offset in self.fresh.items() if p not in resting},
            lost=tuple(one for one in self.lost if one.partition not in resting),
        )


def positions(
    stored: Iterable[StoredOffset],
    bounds: Mapping[Partition, Bounds],
    *,
    start: Literal["earliest", "latest"],
) -> Positions:
    """Return where to read each partition of `bounds` from.

    `start` applies to topics that were never read. Two kinds of partitions start at their beginning: a new partition of
    a known topic, and a topic that was created again. All their records are newer than our first read.
    """
    rows = list(stored)
    offsets = {(row.topic_id, row.partition): row.next_offset for row in rows}
    read_before = {row.topic for row in rows}
    known: dict[Partition, int] = {}
    fresh: dict[Partition, int] = {}
    lost: list[Lost] = []
    for partition, has in bounds.items():
        offset = offsets.get((partition.topic_id, partition.number))
        if offset is None:
            from_end = start == "latest" and partition.topic not in read_before
            fresh[partition] = has.end if from_end else has.first
        elif offset < has.first:
            lost.append(Lost(partition=partition, since=offset, until=has.first))
        elif offset > has.end:
            lost.append(Lost(partition=partition, since=offset, until=has.end, cut=True))
        else:
            known[partition] = offset
    return Positions(known=known, fresh=fresh, lost=tuple(lost))


def loss_reason(name: str, lost: Lost) -> str:
    """Return why the partition is no longer read, and how to continue."""
    return (
        f"Kafka source {name!r} stopped reading {lost.partition}: {lost}. To continue at {lost.until}, set "
        f"ingest.kafka.{name}.on_data_loss to skip and restart driftd; a dead letter will name the lost offsets"
    )
