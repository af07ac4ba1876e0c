"""Decode the records of a file to rows: native JSON, OTLP in JSON, or OTLP in protobuf, detected by content."""

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from monitor.domain.feedback import Feedback
from monitor.domain.interaction import InheritedAttributes, Interaction, SpanContent
from monitor.errors import MalformedRecord
from monitor.ingest.files.base import FileFormat
from monitor.ingest.http.body import TooLarge
from monitor.ingest.intake import Batch
from monitor.ingest.json_text import read_json
from monitor.ingest.limits import Limits, check_record_size
from monitor.ingest.native.record import read_bytes, read_record
from monitor.ingest.normalize.normalizer import Normalizer
from monitor.ingest.spans import OtlpRequest
from monitor.store.traffic.dead_letters import DeadLetter
from monitor.store.traffic.file_positions import FileMove

SOURCE = "file"
PROTOBUF = b"\n"  # the first field of an OTLP request; stripped JSON cannot begin with it
OTLP_KEYS = ("resourceSpans", "resourceLogs", "resourceMetrics")
# Both spellings that protobuf's JSON allows.
OTLP_NAMES = (*OTLP_KEYS, "resource_spans", "resource_logs", "resource_metrics")
OTLP = re.compile(rb'\s*\{\s*"(?:' + "|".join(OTLP_NAMES).encode() + rb')"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A record of the file, or a part of it, that became a dead letter."""

    number: int
    code: str
    reason: str


@dataclass(slots=True, kw_only=True)
class PieceReader:
    """Collects the rows of one piece of a file. `what` names the file and the unit of its records, for dead letters."""

    normalizer: Normalizer
    limits: Limits
    now: datetime
    what: str
    format: FileFormat | None = None
    refused: list[Refused] = field(default_factory=list)
    _native_calls: list[Interaction] = field(default_factory=list)  # normalized together at the end
    _interactions: list[Interaction] = field(default_factory=list)
    _feedback: list[Feedback] = field(default_factory=list)
    _contents: list[SpanContent] = field(default_factory=list)
    _span_contexts: list[InheritedAttributes] = field(default_factory=list)
    _letters: list[DeadLetter] = field(default_factory=list)

    def add(self, number: int, raw: bytes | None) -> None:
        """Add a record. An unreadable one becomes a dead letter that names it."""
        try:
            if raw is None:
                raise MalformedRecord(f"the record is longer than {self.limits.plain_bytes} bytes (ingest.max_body_mb)")
            check_record_size(raw, self.limits)
            self._add(number, raw)
        except (MalformedRecord, TooLarge) as error:
            letter = self.normalizer.dead_letter(
                source=SOURCE, code=error.code, reason=f"{self.what} {number}: {error}", raw=raw or b"", now=self.now
            )
            self._letters.append(letter)
            self.refused.append(Refused(number=number, code=error.code, reason=self._without_place(letter, number)))

    def batch(self, moves: Iterable[FileMove] = ()) -> Batch:
        return Batch(
            interactions=(*self._interactions, *self.normalizer.interactions(self._native_calls)),
            feedback=tuple(self._feedback),
            contents=tuple(self._contents),
            span_contexts=tuple(self._span_contexts),
            dead_letters=tuple(self._letters),
            files=tuple(moves),
        )

    def _add(self, number: int, raw: bytes) -> None:
        if self.format is FileFormat.OTLP_PROTO or (self.format is None and raw.startswith(PROTOBUF)):
            return self._otlp(number, _otlp_proto(raw))
        if self.format is FileFormat.OTLP_JSON or (self.format is None and OTLP.match(raw)):
            return self._otlp(number, _otlp_json(raw))
        plain = read_bytes(raw, self.now, self.normalizer.rules.default, SOURCE, self.limits)
        if plain is not None:
            self._native_calls.append(plain)
            return None
        found = read_json(raw, "the record")
        if self.format is None and isinstance(found, dict) and not found.keys().isdisjoint(OTLP_NAMES):
            return self._otlp(number, _otlp_json(raw))
        return self._native(found)

    def _native(self, found: Any) -> None:
        record = read_record(found, self.now, self.normalizer.rules.default, SOURCE, self.limits)
        if isinstance(record, Interaction):
            self._native_calls.append(record)
        else:
            self._feedback.extend(self.normalizer.feedback([record]))

    def _otlp(self, number: int, requests: Iterable[OtlpRequest]) -> None:
        from monitor.ingest.conventions.table import CONVENTIONS  # a file of native records does not need them
        from monitor.ingest.otlp.limits import decode_with_limits

        for request in requests:
            decoded = decode_with_limits(
                request, self.limits, rules=self.normalizer.rules, conventions=CONVENTIONS, now=self.now
            )
            batch = self.normalizer.otlp(decoded, self.now)
            self._interactions += batch.interactions
            self._feedback += batch.feedback
            self._contents += batch.contents
            self._span_contexts += batch.span_contexts
            for letter in batch.dead_letters:
                self.refused.append(Refused(number=number, code=letter.code, reason=letter.reason))
                self._letters.append(self._placed(letter, number))

    def _placed(self, letter: DeadLetter, number: int) -> DeadLetter:
        """Return a letter with its own id: the same bytes in two records are two letters."""
        reason = f"{self.what} {number}: {letter.reason}"
        digest = hashlib.sha256(f"{reason}\0{letter.id}".encode()).hexdigest()
        return replace(letter, id=f"dead-{digest[:24]}", source=SOURCE, reason=reason)

    def _without_place(self, letter: DeadLetter, number: int) -> str:
        return letter.reason.removeprefix(f"{self.what} {number}: ")


def _otlp_json(raw: bytes) -> list[OtlpRequest]:
    from monitor.ingest.otlp import json as otlp_json

    readers: dict[tuple[str, str], Callable[[bytes], OtlpRequest]] = {
        ("resourceSpans", "resource_spans"): otlp_json.read_traces,
        ("resourceLogs", "resource_logs"): otlp_json.read_logs,
    }
    if not any(_names(raw, key) for key in OTLP_NAMES):
        raise MalformedRecord(f"the record is not an OTLP request: it has none of {', '.join(OTLP_KEYS)}")
    return [read(raw) for keys, read in readers.items() if any(_names(raw, key) for key in keys)]


def _names(raw: bytes, key: str) -> bool:
    """Return whether the key may be present; only parsing is exact."""
    return f'"{key}"'.encode() in raw


def _otlp_proto(raw: bytes) -> list[OtlpRequest]:
    """Read a request of traces or logs, which have the same framing. Its records decide. Metrics are skipped."""
    from monitor.ingest.otlp import protobuf as otlp_protobuf
    from monitor.ingest.otlp.frames import Frames

    frames = Frames("OTLP request")
    scopes = (scope for group in frames.of(raw, 1) for scope in frames.of(group, 2))
    for record in (record for scope in scopes for record in frames.of(scope, 2)):
        if otlp_protobuf.is_span(record):
            return [otlp_protobuf.read_traces(raw)]
        if otlp_protobuf.is_log(record):
            return [otlp_protobuf.read_logs(raw)]
    return []
