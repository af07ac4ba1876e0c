"""From where each partition is read: pure decisions over what is stored and what the broker still has."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from monitor.ingest.kafka.cluster import Partition
from monitor.store.traffic.source_positions import StoredOffset


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Offsets a broker has of a partition: `first` up to `end`, exclusive."""

    first: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """Records that were never read and that the broker has no more: offsets `since` up to `until`, exclusive.

    `cut`: the log ends before `since`, so what was read is gone from the broker; `until` is where it ends.
    """

    partition: Partition
    since: int
    until: int
    cut: bool = False

    @property
    def records(self) -> int:
        """At most so many: a log has offsets that hold no record."""
        return 0 if self.cut else self.until - self.since

    def __str__(self) -> str:
        if self.cut:
            return (
                f"{self.partition} was read up to offset {self.since}, but the broker's log ends at {self.until}: it "
                "was cut (an unclean leader election, or a restored broker), and records that were written at the "
                "offsets read before would be missed"
            )
        return (
            f"{self.partition} was read up to offset {self.since}, but the oldest record the broker still has is at "
            f"{self.until}: offsets {self.since} to {self.until - 1}, {self.records} records, were removed unread"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Positions:
    """`known` go on where the rows end, `fresh` were never read before, and `lost` cannot go on where they stand."""

    known: Mapping[Partition, int]
    fresh: Mapping[Partition, int]
    lost: Sequence[Lost]

    @property
    def ends(self) -> dict[Partition, int]:
        """Where the rows of each partition end that was read before."""
        return {**self.known, **{one.partition: one.since for one in self.lost}}

    def without(self, resting: Container[Partition]) -> "Positions":
        """Those of the partitions that are read."""
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
    """Where to read each partition of `bounds` from.

    `start` is for topics nobody has read. A partition added to a topic that was read, and a topic made anew under a
    name that was read, begin at their beginning: what is in them came after we began.
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


def told(name: str, lost: Lost) -> str:
    """Why the partition is read no further, and how to go on."""
    return (
        f"Kafka source {name!r} stopped reading {lost.partition}: {lost}. To go on at {lost.until}, set "
        f"ingest.kafka.{name}.on_data_loss to skip and restart driftd; a dead letter will name what is missing"
    )
