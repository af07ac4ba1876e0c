"""The common part of all compatible endpoints: authorization, body limits, and the answer after the commit."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from monitor.clock import Clock
from monitor.domain.feedback import Feedback
from monitor.errors import DriftdError, Forbidden, MalformedRecord, Retryable, StoreUnavailable, Unauthenticated
from monitor.guards.failed_logins import TooManyFailures
from monitor.guards.media_types import JSON, require_media_type
from monitor.ingest.conventions.table import CONVENTIONS
from monitor.ingest.dead_letter import as_bytes
from monitor.ingest.feedback_shapes.annotation import Annotation, to_feedback
from monitor.ingest.http.body import UnsupportedMedia, decompress, read_body
from monitor.ingest.intake import Batch, Intake
from monitor.ingest.json_text import read_json
from monitor.ingest.limits import Limits, check_record_count
from monitor.ingest.native.limits import hold
from monitor.ingest.normalize.normalizer import Normalizer
from monitor.ingest.otlp.http import caller_of
from monitor.ingest.otlp.limits import decode_with_limits
from monitor.ingest.otlp.receiver import RECEIPT_TIMEOUT_S, Authorize, Receiver
from monitor.ingest.spans import OtlpLog, OtlpRequest, OtlpSpan
from monitor.store.engine.database import Store, Tx
from monitor.store.traffic.dead_letters import DeadLetter
from monitor.telemetry import NO_TELEMETRY, Recorder

log = logging.getLogger(__name__)
T = TypeVar("T")
Shape = Callable[[Any, datetime], Annotation]  # one record of a body -> its annotation; raises MalformedRecord
ReadRecord = Callable[[Any], "OtlpSpan | OtlpLog | None"]  # one JSON object -> its OTLP record; raises MalformedRecord
ErrorBody = Callable[[DriftdError], Mapping[str, Any]]  # an error -> its body in the format of the product
Handler = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordResult:
    """The result of one record of a request: its id when it is stored, else the reason."""

    id: str | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestResult:
    """The number of records in a request, and the reasons of its dead letters."""

    records: int
    reasons: tuple[str, ...]


class CompatEndpoint:
    """The compatible endpoints on the OTLP port. They share its tokens, its limits and its memory budget."""

    def __init__(
        self,
        receiver: Receiver,
        intake: Intake,
        normalizer: Normalizer,
        clock: Clock,
        *,
        store: Store,
        may_read: Authorize,
        timeout_s: float = RECEIPT_TIMEOUT_S,
        telemetry: Recorder = NO_TELEMETRY,
    ) -> None:
        self._receiver = receiver
        self._intake = intake
        self._normalizer = normalizer
        self._clock = clock
        self._store = store
        self.may_read = may_read
        self._timeout_s = timeout_s
        self._telemetry = telemetry

    def endpoint(
        self, product: str, handle: Handler, error_body: ErrorBody, *, authorize: Authorize | None = None
    ) -> Handler:
        """Return `handle` with authorization and error handling. By default the caller needs permission to send. Every
        error has the format of the product. An internal error is logged and answered with 500.
        """
        may = authorize or self._receiver.authorize

        async def answer(request: Request) -> Response:
            try:
                may(request.headers, caller_of(request))
                return await handle(request)
            except DriftdError as error:
                self._receiver.note_refusal(product, error)
                return _error(error, error_body)
            except ClientDisconnect:
                return Response(status_code=400)  # the client has disconnected
            except Exception:
                log.exception("%s failed", request.url.path)
                return _error(DriftdError("internal error; see the log of driftd"), error_body)

        return answer

    @property
    def limits(self) -> Limits:
        return self._receiver.limits

    async def body(self, request: Request) -> Any:
        """Return the JSON value of the request, within the limits of OTLP bodies. The content type must be JSON."""
        return await self.read_body(request, (JSON,), lambda plain: read_json(plain, "the body"))

    async def read_body(self, request: Request, types: Collection[str], read: Callable[[bytes], T]) -> T:
        """Return the body of another content type, decoded by `read` in a worker thread."""
        require_media_type(request.headers.get("content-type", ""), types, UnsupportedMedia)
        room, limits = self._receiver.body_memory, self._receiver.limits
        async with room.place() as place:
            raw = await read_body(request.headers, place.receive(request.stream()), limits.wire_bytes)
            async with room.decoders:
                encoding = request.headers.get("content-encoding", "")
                return await run_in_threadpool(lambda: read(decompress(raw, encoding, limits.plain_bytes)))

    async def land(self, product: str, records: Sequence[Any], shape: Shape) -> list[RecordResult]:
        """Commit the readable records, and store a dead letter for each other one. Return the results in order."""
        check_record_count(len(records), self._receiver.limits)
        batch, verdicts = await run_in_threadpool(self._read, product, records, shape)
        await self._commit(batch)
        return verdicts

    async def land_records(self, product: str, records: Sequence[Any], read: ReadRecord) -> IngestResult:
        """Commit records that are spans or events in another format; they are decoded like OTLP records."""
        check_record_count(len(records), self.limits)
        batch, reasons = await run_in_threadpool(self._decode, product, records, read)
        await self._commit(batch)
        return IngestResult(records=len(records), reasons=tuple(reasons))

    async def take_back(self, id_: str) -> None:
        """Delete one feedback."""
        await self._commit(Batch(withdrawn_feedback=(id_,)))

    async def query(self, read: Callable[[Tx], T]) -> T:
        """Return the result of a store query. The caller must check `reads` before it shows data of other senders."""

        def read_once() -> T:
            with self._store.read() as tx:
                return read(tx)

        return await run_in_threadpool(read_once)

    def reads(self, request: Request) -> bool:
        """Return whether the sender may read the feedback of other senders."""
        try:
            self.may_read(request.headers, caller_of(request))
        except (Forbidden, Unauthenticated, TooManyFailures):
            return False
        return True

    async def _commit(self, batch: Batch) -> None:
        with self._telemetry.span("ingest.await_commit"):
            receipt = self._intake.submit(batch)
            try:
                await asyncio.wait_for(asyncio.wrap_future(receipt.future), self._timeout_s)
            except TimeoutError:
                raise StoreUnavailable(
                    f"not committed within {self._timeout_s:g} s; send it again: duplicates are counted once"
                ) from None

    def _read(self, product: str, records: Sequence[Any], shape: Shape) -> tuple[Batch, list[RecordResult]]:
        now, rules = self._clock.now(), self._normalizer.rules
        feedback: list[Feedback] = []
        letters: list[DeadLetter] = []
        verdicts: list[RecordResult] = []
        for record in records:
            try:
                annotation = shape(self._held(record), now)
                found = to_feedback(annotation, rules.scores, deployment=rules.default, received_at=now)
            except MalformedRecord as error:
                letters.append(self._dead_letter(product, record, error, now))
                verdicts.append(RecordResult(id=None, reason=str(error)))
            else:
                feedback += self._normalizer.feedback([found])
                verdicts.append(RecordResult(id=found.id, reason=None))
        return Batch(feedback=tuple(feedback), dead_letters=tuple(letters)), verdicts

    def _decode(self, product: str, records: Sequence[Any], read: ReadRecord) -> tuple[Batch, list[str]]:
        now = self._clock.now()
        spans: list[OtlpSpan] = []
        logs: list[OtlpLog] = []
        letters: list[DeadLetter] = []
        for record in records:
            try:
                found = read(record) if isinstance(record, dict) else None
                if found is None and not isinstance(record, dict):
                    raise MalformedRecord("the record is not a JSON object")
            except MalformedRecord as error:
                letters.append(self._dead_letter(product, record, error, now))
            else:
                if isinstance(found, OtlpSpan):
                    spans.append(found)
                elif found is not None:
                    logs.append(found)
        request = OtlpRequest(spans=tuple(spans), logs=tuple(logs))
        decoded = decode_with_limits(
            request, self.limits, rules=self._normalizer.rules, conventions=CONVENTIONS, now=now
        )
        batch = self._normalizer.otlp(decoded, now)
        batch = replace(batch, dead_letters=(*letters, *batch.dead_letters))
        return batch, [letter.reason for letter in batch.dead_letters]

    def _held(self, record: Any) -> Any:
        """Apply the limits of native records. The shape rejects a value that is not an object."""
        return hold(record, self._receiver.limits)[0] if isinstance(record, dict) else record

    def _dead_letter(self, product: str, record: Any, error: MalformedRecord, now: datetime) -> DeadLetter:
        raw = as_bytes(record)
        return self._normalizer.dead_letter(source=product, code=error.code, reason=str(error), raw=raw, now=now)


def items_of(body: Any, key: str) -> list[Any]:
    """Return the list under a key of the body, or raise MalformedRecord."""
    found = body.get(key) if isinstance(body, dict) else None
    if not isinstance(found, list):
        raise MalformedRecord(f"field {key!r} is not a list")
    return found


def _error(error: DriftdError, error_body: ErrorBody) -> Response:
    headers = {"retry-after": f"{error.retry_after_s:.0f}"} if isinstance(error, Retryable) else None
    return JSONResponse(error_body(error), status_code=error.status, headers=headers)
