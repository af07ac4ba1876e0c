"""The consumer group of a source: offsets for other tools, and the claim that reveals a second reader.

driftd never takes its read position from the group. It checks the claims before the first record and while it reads.
"""

import logging
import socket
from collections.abc import Mapping
from dataclasses import replace
from uuid import uuid4

from kafka import KafkaAdminClient, TopicPartition
from kafka.errors import BrokerResponseError, KafkaError, NoError, UnknownMemberIdError
from kafka.structs import OffsetAndMetadata

from monitor.clock import Clock
from monitor.config.kafka import KafkaConfig
from monitor.errors import SourceUnavailable
from monitor.ingest.kafka.client import why
from monitor.ingest.kafka.cluster import Partition
from monitor.ingest.kafka.group_claim import Blocked, Claim, Rivals, read_claim
from monitor.ingest.kafka.reader import KafkaReader
from monitor.store.engine.database import Store
from monitor.store.engine.watermark import mark_in

log = logging.getLogger(__name__)
BEAT_S = 10.0
COORDINATOR_S = 30.0  # a source reads without its group when the coordinator has not answered for this time


class GroupConflict(SourceUnavailable):
    """Another driftd reads, or may still read, the same partitions in this group."""

    def __init__(self, message: str, *, alive: bool) -> None:
        super().__init__(message)
        self.alive = alive


class Group:
    """The membership of one source in its group, across reconnects. Callers pass times in monotonic seconds."""

    def __init__(self, name: str, section: KafkaConfig, claim: Claim) -> None:
        self._name, self._section, self._claim = name, section, claim
        self._rivals = Rivals(claim)
        self._admitted = False
        self._waiting_since_s: float | None = None
        self._marked: set[TopicPartition] = set()  # partitions whose committed offset has our claim
        self._next_beat_s = 0.0
        self._failed = self._warned = False

    def open(self) -> KafkaReader:
        return KafkaReader(self._section)

    def admit(self, admin: KafkaAdminClient, now_s: float) -> None:
        """Raise GroupConflict while another driftd reads these topics in this group; do nothing once admitted."""
        if self._admitted:
            return
        found = self._claims(admin, now_s)
        if found is None:
            return
        claims = _own_claims(found)
        blocked = self._rivals.blocks(claims.values(), now_s)
        if blocked is not None:
            raise self._taken(blocked, claims)
        self._admitted = True

    def is_due(self, now_s: float) -> bool:
        return now_s >= self._next_beat_s

    def beat(self, admin: KafkaAdminClient, offsets: Mapping[Partition, int], now_s: float) -> None:
        """Commit the offsets with our claim. Raise GroupConflict when an older reader has committed its own claim
        there.
        """
        if not offsets:
            return
        self._next_beat_s = now_s + self._claim.every_s
        if self._marked and (found := self._claims(admin, now_s)) is not None:
            self._check_others({tp: found[tp] for tp in found.keys() & self._marked}, now_s)
        self._claim = _next(self._claim)
        self._commit(admin, offsets)

    def leave(self, admin: KafkaAdminClient, offsets: Mapping[Partition, int]) -> None:
        """Commit the last offsets with a claim that marks its reader as ended."""
        if self._admitted and self._marked:
            self._claim = _next(self._claim, left=True)
            self._commit(admin, offsets)

    def _check_others(self, marked: Mapping[TopicPartition, Claim | None], now_s: float) -> None:
        claims = _own_claims(marked)
        other = self._rivals.overwritten_by(claims.values(), now_s)
        if other is not None and other.is_older_than(self._claim):
            self._admitted = False
            self._marked.clear()
            raise self._taken(Blocked(by=other, alive=True), claims)
        shared = other is not None or len(claims) < len(marked)
        if shared and not self._warned:
            log.warning(
                "Kafka source %r: %s commits offsets of group %r too; this source continues, because it started first. "
                "Give each reader its own group",
                *(self._name, other or "another program", self._section.group),
            )
        self._warned = shared

    def _claims(self, admin: KafkaAdminClient, now_s: float) -> dict[TopicPartition, Claim | None] | None:
        """Return the claims committed for our topics. Return None when the group may not be read,
        which is logged once.
        """
        try:
            offsets = admin.list_group_offsets([self._section.group])[self._section.group]
        except BrokerResponseError as error:
            since_s = self._waiting_since_s = now_s if self._waiting_since_s is None else self._waiting_since_s
            if error.retriable and now_s - since_s < COORDINATOR_S and not self._admitted:
                raise SourceUnavailable(
                    f"Kafka source {self._name!r}: group {self._section.group!r} does not answer yet: {why(error)}"
                ) from error
            self._note_failure(error, retriable=error.retriable)
            self._admitted = True
            return None
        self._waiting_since_s = None
        return {tp: read_claim(one.metadata) for tp, one in offsets.items() if tp.topic in self._section.topics}

    def _commit(self, admin: KafkaAdminClient, offsets: Mapping[Partition, int]) -> None:
        """Commit the offsets. No reader starts from them, so a failure loses no record."""
        text = self._claim.text()
        entries = {p.tp: OffsetAndMetadata(offset, text, None) for p, offset in offsets.items()}
        try:
            results = admin.alter_group_offsets(self._section.group, entries)
        except KafkaError as error:
            self._note_failure(error, retriable=error.retriable)
            return
        wrong = [error for error in results.values() if error is not NoError]
        if wrong:
            self._note_failure(wrong[0](), retriable=wrong[0].retriable)
            return
        self._marked |= entries.keys()
        self._failed = False

    def _note_failure(self, error: KafkaError, *, retriable: bool) -> None:
        """Log a failure once. A starting coordinator is not a failure."""
        if self._failed or retriable:
            return
        self._failed = True
        cause = why(error)
        if isinstance(error, UnknownMemberIdError):
            cause = "another program is a member of it; give driftd its own group"
        log.warning(
            "Kafka source %r: no offsets can be committed to group %s, and a second driftd that reads the same topics "
            "would not be noticed: %s. Reading continues",
            *(self._name, self._section.group, cause),
        )

    def _taken(self, blocked: Blocked, found: Mapping[TopicPartition, Claim]) -> GroupConflict:
        group, source = self._section.group, f"Kafka source {self._name!r}"
        if not blocked.alive:
            return GroupConflict(
                f"{source} waits up to {blocked.by.silent_after_s:.0f} s to check whether {blocked.by} still reads in "
                f"group {group!r}",
                alive=False,
            )
        places = [tp for tp, claim in found.items() if claim.instance == blocked.by.instance]
        first = min(places)
        more = f" (and {len(places) - 1} more partitions)" if len(places) > 1 else ""
        return GroupConflict(
            f"{source} does not read: {blocked.by}, reads topic {first.topic} partition {first.partition}{more} in "
            f"group {group!r}, and both would store every record. Stop one of them. If both should store every "
            f"record, set ingest.kafka.{self._name}.group to another name here. This source starts when the other ends",
            alive=True,
        )


def new_claim(store: Store, clock: Clock, section: KafkaConfig) -> Claim:
    """Return the claim of one start of one source."""
    with store.read() as tx:
        mark = mark_in(tx)
    return Claim(
        instance=uuid4().hex[:16],
        database=mark.database_id if mark else "",
        host=socket.gethostname(),
        since=clock.now(),
        every_s=min(section.refresh_s, BEAT_S),
    )


def _next(claim: Claim, *, left: bool = False) -> Claim:
    return replace(claim, beat=claim.beat + 1, left=left)


def _own_claims(found: Mapping[TopicPartition, Claim | None]) -> dict[TopicPartition, Claim]:
    return {tp: claim for tp, claim in found.items() if claim is not None}
