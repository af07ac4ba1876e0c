"""Handle an OTLP request from its bytes to its answer after the commit, for all transports."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass

from google.protobuf.message import Message  # type: ignore[import-untyped]  # protobuf ships no types
from starlette.concurrency import run_in_threadpool

from monitor.clock import Clock
from monitor.errors import DriftdError, MalformedRecord, StoreUnavailable
from monitor.guards.failed_logins import Caller
from monitor.guards.media_types import JSON
from monitor.ingest.conventions.base import Convention
from monitor.ingest.conventions.table import CONVENTIONS
from monitor.ingest.http.body import decompress, read_body
from monitor.ingest.http.memory_budget import BodyMemoryBudget
from monitor.ingest.http.mislabelled import encoding_mistake, signal_mistake
from monitor.ingest.intake import Batch, Coming, Intake, Receipt
from monitor.ingest.limits import Limits
from monitor.ingest.normalize.normalizer import Normalizer
from monitor.ingest.otlp.limits import decode_with_limits
from monitor.ingest.otlp.wire import METRICS, Signal
from monitor.ingest.spans import OtlpRequest
from monitor.telemetry import NO_TELEMETRY, OWN, OWN_HEADER, Recorder

Authorize = Callable[[Mapping[str, str], Caller], None]  # raises Unauthenticated, TooManyFailures or Forbidden
RECEIPT_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """The metadata of a request, known before its body is read. Header names are lower case."""

    transport: str
    signal: Signal
    content_type: str
    encoding: str | None  # None: detected from the first bytes
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Submitted:
    """A request whose batch is submitted."""

    receipt: Receipt
    rows: int
    dead_letters: int
    rejection: str  # reasons of the dead letters, for the sender
    skipped: int  # records that driftd does not use


class Receiver:
    """One instance for all transports, so that they share the memory budget and decode the same way."""

    def __init__(
        self,
        intake: Intake,
        normalizer: Normalizer,
        clock: Clock,
        *,
        authorize: Authorize,
        limits: Limits,
        body_memory: BodyMemoryBudget | None = None,
        timeout_s: float = RECEIPT_TIMEOUT_S,
        conventions: Sequence[Convention] = CONVENTIONS,
        telemetry: Recorder = NO_TELEMETRY,
    ) -> None:
        self.authorize = authorize
        self.body_memory = body_memory or BodyMemoryBudget()
        self.limits = limits
        self._intake = intake
        self._telemetry = telemetry
        self._normalizer = normalizer
        self._clock = clock
        self._conventions = conventions
        self._timeout_s = timeout_s

    async def receive(self, arrival: Arrival, chunks: AsyncIterator[bytes]) -> Message:
        """Return the answer after the commit.

        Metrics are accepted and ignored, so that an exporter of all three signals works.
        """
        async with self.body_memory.place() as reservation:
            if arrival.signal is METRICS:
                await read_body(arrival.headers, reservation.receive(chunks), self.limits.wire_bytes)
                return METRICS.answer(0, "")
            self._intake.require_space()
            with self._telemetry.span("ingest.receive", _span_attributes(arrival)) as span:
                body = await read_body(arrival.headers, reservation.receive(chunks), self.limits.wire_bytes)
                with self._intake.coming() as coming:
                    async with self.body_memory.decoders:
                        submitted = await run_in_threadpool(self._decode_and_submit, body, arrival, coming)
                span.set_attributes(
                    {
                        "driftd.rows": submitted.rows,
                        "driftd.dead_letters": submitted.dead_letters,
                        "driftd.skipped": submitted.skipped,
                    }
                )
                await self._committed(submitted.receipt)
        return arrival.signal.answer(submitted.dead_letters, submitted.rejection)

    def note_refusal(self, transport: str, error: DriftdError) -> None:
        self._telemetry.count("driftd.ingest.refused", 1, {"transport": transport, "code": error.code})

    def _decode_and_submit(self, body: bytes, arrival: Arrival, coming: Coming) -> "_Submitted":
        """Decode and submit in a worker thread, so that the event loop can read other requests."""
        with coming:
            batch, skipped = self._decode(body, arrival)
            receipt = self._intake.submit(batch)
        return _Submitted(
            receipt=receipt,
            rows=batch.rows,
            dead_letters=len(batch.dead_letters),
            rejection=_rejection_message(batch),
            skipped=skipped,
        )

    def _decode(self, body: bytes, arrival: Arrival) -> tuple[Batch, int]:
        """Return the batch and the number of records that driftd does not use."""
        signal = arrival.signal
        with self._telemetry.span("ingest.decode"):
            plain = decompress(body, arrival.encoding, self.limits.plain_bytes)
            now = self._clock.now()
            request = _read(plain, arrival)
            decoded = decode_with_limits(
                request, self.limits, rules=self._normalizer.rules, conventions=self._conventions, now=now
            )
            batch = self._normalizer.otlp(decoded, now)
        if decoded.skipped:
            self._telemetry.count("driftd.ingest.skipped", decoded.skipped, {"signal": signal.name})
        return batch, decoded.skipped

    async def _committed(self, receipt: Receipt) -> None:
        try:
            with self._telemetry.span("ingest.await_commit"):
                await asyncio.wait_for(asyncio.wrap_future(receipt.future), self._timeout_s)
        except TimeoutError:
            raise StoreUnavailable(
                f"not committed within {self._timeout_s:g} s; send it again: duplicates are counted once"
            ) from None


def _read(plain: bytes, arrival: Arrival) -> OtlpRequest:
    """Return the records of a body. Raise when the body is not of the declared encoding or signal."""
    signal, content_type = arrival.signal, arrival.content_type
    try:
        request = signal.readers[content_type](plain)
    except MalformedRecord as error:
        if (mistake := encoding_mistake(plain, content_type)) is not None:
            raise mistake from error
        raise
    if request.spans or request.logs or request.bad or not plain:
        return request
    if (mistake := encoding_mistake(plain, content_type)) is not None:
        raise mistake
    if content_type == JSON and (mistake := signal_mistake(plain, signal.name)) is not None:
        raise mistake
    return request


def _span_attributes(arrival: Arrival) -> dict[str, str | bool]:
    attributes: dict[str, str | bool] = {"driftd.transport": arrival.transport, "driftd.signal": arrival.signal.name}
    return {**attributes, OWN: True} if OWN_HEADER in arrival.headers else attributes


def _rejection_message(batch: Batch) -> str:
    """Return the first rejection reason and how many more there are."""
    if not batch.dead_letters:
        return ""
    more = len(batch.dead_letters) - 1
    return batch.dead_letters[0].reason + (f" (and {more} more)" if more else "")
