"""Decode the value of a Kafka record to rows. An unreadable value becomes a dead letter with topic, partition and
offset.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from monitor.config.kafka import KafkaTopicConfig
from monitor.domain.feedback import Feedback
from monitor.domain.interaction import InheritedAttributes, Interaction, SpanContent
from monitor.errors import MalformedRecord
from monitor.ingest.conventions.base import Convention
from monitor.ingest.conventions.table import CONVENTIONS
from monitor.ingest.dead_letter import as_bytes
from monitor.ingest.http.body import TooLarge
from monitor.ingest.http.mislabelled import Mislabelled, is_json
from monitor.ingest.intake import Batch
from monitor.ingest.json_text import read_json
from monitor.ingest.limits import Limits, check_record_count, check_record_size
from monitor.ingest.native.record import read_bytes, read_record
from monitor.ingest.normalize.normalizer import Normalizer
from monitor.ingest.otlp import json as otlp_json
from monitor.ingest.otlp import protobuf as otlp_protobuf
from monitor.ingest.otlp.limits import decode_with_limits
from monitor.ingest.spans import OtlpRequest
from monitor.store.traffic.dead_letters import DeadLetter
from monitor.store.traffic.source_positions import OffsetMove

SOURCE = "kafka"
READERS: Final[Mapping[tuple[str, str], Callable[[bytes], OtlpRequest]]] = {
    ("otlp_proto", "traces"): otlp_protobuf.read_traces,
    ("otlp_proto", "logs"): otlp_protobuf.read_logs,
    ("otlp_json", "traces"): otlp_json.read_traces,
    ("otlp_json", "logs"): otlp_json.read_logs,
}


@dataclass(slots=True, kw_only=True)
class RecordBatch:
    """Rows of records for one batch. `native` calls are normalized together at the end."""

    normalizer: Normalizer
    native: list[Interaction] = field(default_factory=list)
    interactions: list[Interaction] = field(default_factory=list)
    feedback: list[Feedback] = field(default_factory=list)
    contents: list[SpanContent] = field(default_factory=list)
    span_contexts: list[InheritedAttributes] = field(default_factory=list)
    letters: list[DeadLetter] = field(default_factory=list)

    @property
    def rows(self) -> int:
        read = len(self.native) + len(self.interactions) + len(self.feedback) + len(self.letters)
        return read + len(self.contents) + len(self.span_contexts)

    def mark(self) -> tuple[int, ...]:
        """Return a position for `keep_letters_since`."""
        return tuple(len(rows) for rows in self._read())

    def keep_letters_since(self, mark: tuple[int, ...]) -> None:
        """Remove the rows read since the mark and keep the dead letters. The records will be read again."""
        for rows, count in zip(self._read(), mark, strict=True):
            del rows[count:]

    def _read(self) -> tuple[list[Any], ...]:
        return (self.native, self.interactions, self.feedback, self.contents, self.span_contexts)

    def batch(self, offsets: Sequence[OffsetMove]) -> Batch:
        return Batch(
            interactions=(*self.interactions, *self.normalizer.interactions(self.native)),
            feedback=tuple(self.feedback),
            contents=tuple(self.contents),
            span_contexts=tuple(self.span_contexts),
            dead_letters=tuple(self.letters),
            offsets=tuple(offsets),
        )


class RecordReader:
    """Decodes the records of one topic, with the limits of an HTTP body."""

    def __init__(
        self,
        topic: KafkaTopicConfig,
        normalizer: Normalizer,
        *,
        limits: Limits,
        conventions: Sequence[Convention] = CONVENTIONS,
    ) -> None:
        self._normalizer = normalizer
        self._limits = limits
        self._conventions = conventions
        self._topic = topic
        self._read_otlp = READERS.get((topic.format, topic.signal))

    def read(self, value: bytes | None, place: str, gathered: RecordBatch, now: datetime) -> bool:
        """Add the rows of one record. Return False when the record, or a part of it, cannot be read. `place` names its
        offset.

        A record without a value deletes a key of a compacted topic: it has no content.
        """
        if value is None:
            return True
        letters = len(gathered.letters)
        try:
            check_record_size(value, self._limits)
            if self._read_otlp is None:
                self._native(value, place, gathered, now)
            else:
                self._otlp(self._request(self._read_otlp, value), place, gathered, now)
        except (MalformedRecord, TooLarge) as error:
            gathered.letters.append(self._letter(error, place, value, now))
        return len(gathered.letters) == letters

    def _request(self, read: Callable[[bytes], OtlpRequest], value: bytes) -> OtlpRequest:
        try:
            return read(value)
        except MalformedRecord as error:
            if self._topic.format == "otlp_proto" and is_json(value):
                raise Mislabelled(
                    "the value is JSON, and `format` of the topic is otlp_proto; set it to otlp_json or native_json"
                ) from error
            raise

    def _native(self, value: bytes, place: str, gathered: RecordBatch, now: datetime) -> None:
        plain = read_bytes(value, now, self._normalizer.rules.default, SOURCE, self._limits)
        if plain is not None:
            gathered.native.append(plain)
            return
        found = read_json(value, "the value")
        if not isinstance(found, list):
            self._one_native(found, gathered, now)
            return
        check_record_count(len(found), self._limits, "the value")
        for index, item in enumerate(found):
            try:
                self._one_native(item, gathered, now)
            except MalformedRecord as error:
                gathered.letters.append(self._letter(error, f"{place} [{index}]", as_bytes(item), now))

    def _one_native(self, item: object, gathered: RecordBatch, now: datetime) -> None:
        record = read_record(item, now, self._normalizer.rules.default, SOURCE, self._limits)
        if isinstance(record, Interaction):
            gathered.native.append(record)
        else:
            gathered.feedback.extend(self._normalizer.feedback([record]))

    def _otlp(self, request: OtlpRequest, place: str, gathered: RecordBatch, now: datetime) -> None:
        decoded = decode_with_limits(
            request, self._limits, rules=self._normalizer.rules, conventions=self._conventions, now=now
        )
        batch = self._normalizer.otlp(decoded, now)
        gathered.interactions += batch.interactions
        gathered.feedback += batch.feedback
        gathered.contents += batch.contents
        gathered.span_contexts += batch.span_contexts
        gathered.letters += (_placed(letter, place) for letter in batch.dead_letters)

    def _letter(self, error: MalformedRecord | TooLarge, place: str, raw: bytes, now: datetime) -> DeadLetter:
        return self._normalizer.dead_letter(
            source=SOURCE, code=error.code, reason=f"{place}: {error}", raw=raw, now=now
        )


def _placed(letter: DeadLetter, place: str) -> DeadLetter:
    """Return a letter with its own id: the same bytes at two offsets are two letters."""
    digest = hashlib.sha256(f"{place}\0{letter.id}".encode()).hexdigest()
    return replace(letter, id=f"dead-{digest[:24]}", source=SOURCE, reason=f"{place}: {letter.reason}")
