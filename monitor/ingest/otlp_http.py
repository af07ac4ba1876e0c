"""OTLP over HTTP: the ASGI app behind `/v1/traces` and `/v1/logs`. It answers after the commit."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from monitor.clock import Clock
from monitor.errors import DriftdError, StoreUnavailable
from monitor.ingest.body_room import BodyRoom
from monitor.ingest.conventions.base import Convention
from monitor.ingest.conventions.table import CONVENTIONS
from monitor.ingest.http_body import decompress, read_body
from monitor.ingest.intake import Batch, Intake, Receipt
from monitor.ingest.otlp_decode import decode
from monitor.ingest.otlp_wire import LOGS, TRACES, Signal, answer_of, content_type_of, error_of, metrics_answer
from monitor.ingest.pipeline import Normaliser
from monitor.telemetry import OWN, OWN_HEADER, SILENT, Recorder

log = logging.getLogger(__name__)
Authorize = Callable[[Mapping[str, str]], None]  # raises Unauthenticated or Forbidden
MAX_BODY_BYTES = 16 * 1024 * 1024
RECEIPT_TIMEOUT_S = 30.0
SOURCE = "otlp"


def build_app(
    intake: Intake,
    normaliser: Normaliser,
    clock: Clock,
    *,
    authorize: Authorize,
    max_body_bytes: int = MAX_BODY_BYTES,
    receipt_timeout_s: float = RECEIPT_TIMEOUT_S,
    conventions: Sequence[Convention] = CONVENTIONS,
    telemetry: Recorder = SILENT,
) -> Starlette:
    """`max_body_bytes` bounds a body on the wire and again after decompression."""
    receiver = Receiver(
        intake,
        normaliser,
        clock,
        authorize,
        conventions,
        max_body_bytes=max_body_bytes,
        timeout_s=receipt_timeout_s,
        telemetry=telemetry,
    )
    return Starlette(
        routes=[
            Route("/v1/traces", receiver.endpoint(receiver.traces), methods=["POST"]),
            Route("/v1/logs", receiver.endpoint(receiver.logs), methods=["POST"]),
            Route("/v1/metrics", receiver.endpoint(receiver.metrics), methods=["POST"]),
        ]
    )


class Receiver:
    """From a request to a batch to its receipt."""

    def __init__(
        self,
        intake: Intake,
        normaliser: Normaliser,
        clock: Clock,
        authorize: Authorize,
        conventions: Sequence[Convention],
        *,
        max_body_bytes: int,
        timeout_s: float,
        telemetry: Recorder,
    ) -> None:
        self._intake = intake
        self._telemetry = telemetry
        self._normaliser = normaliser
        self._clock = clock
        self._authorize = authorize
        self._conventions = conventions
        self._max_body_bytes = max_body_bytes
        self._timeout_s = timeout_s
        self._room = BodyRoom()

    def endpoint(self, handle: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        """Every failure in the content type of the request; a bug is logged here and answered 500."""

        async def answer(request: Request) -> Response:
            content_type = request.headers.get("content-type", "")
            try:
                self._authorize(request.headers)
                return await handle(request)
            except DriftdError as error:
                self._telemetry.count("driftd.ingest.refused", 1, {"transport": SOURCE, "code": error.code})
                return error_of(error, content_type)
            except ClientDisconnect:
                return Response(status_code=400)  # nobody is left to read it
            except Exception:
                log.exception("%s failed", request.url.path)
                return error_of(DriftdError("driftd failed on this request; its log says more"), content_type)

        return answer

    async def traces(self, request: Request) -> Response:
        return await self._receive(request, TRACES)

    async def logs(self, request: Request) -> Response:
        return await self._receive(request, LOGS)

    async def metrics(self, request: Request) -> Response:
        """Accepted and ignored, so that an exporter of all three signals needs no second configuration."""
        async with self._room.place() as place:
            await read_body(request.headers, place.receive(request.stream()), self._max_body_bytes)
        return metrics_answer(content_type_of(request.headers.get("content-type", "")))

    async def _receive(self, request: Request, signal: Signal) -> Response:
        content_type = content_type_of(request.headers.get("content-type", ""))
        told = _told(request, signal)
        async with self._room.place() as place:
            with self._telemetry.span("ingest.receive", told) as span:
                body = await read_body(request.headers, place.receive(request.stream()), self._max_body_bytes)
                encoding = request.headers.get("content-encoding", "")
                async with self._room.decoders:
                    batch, skipped = await run_in_threadpool(self._decode, body, encoding, content_type, signal)
                span.set_attributes(
                    {
                        "driftd.rows": batch.rows,
                        "driftd.dead_letters": len(batch.dead_letters),
                        "driftd.skipped": skipped,
                    }
                )
                await self._committed(self._intake.submit(batch))
        return answer_of(signal.answer(len(batch.dead_letters), _why(batch)), content_type)

    def _decode(self, body: bytes, encoding: str, content_type: str, signal: Signal) -> tuple[Batch, int]:
        """The batch, and how many records are no business of ours."""
        with self._telemetry.span("ingest.decode"):
            plain = decompress(body, encoding, self._max_body_bytes)
            now = self._clock.now()
            request = signal.readers[content_type](plain)
            decoded = decode(request, rules=self._normaliser.rules, conventions=self._conventions, now=now)
            batch = self._normaliser.otlp(decoded, now)
        if decoded.skipped:
            self._telemetry.count("driftd.ingest.skipped", decoded.skipped, {"signal": signal.name})
        return batch, decoded.skipped

    async def _committed(self, receipt: Receipt) -> None:
        try:
            with self._telemetry.span("ingest.await_commit"):
                await asyncio.wait_for(asyncio.wrap_future(receipt.future), self._timeout_s)
        except TimeoutError:
            raise StoreUnavailable(
                f"not committed within {self._timeout_s:g} s; send it again, what comes twice is counted once"
            ) from None


def _told(request: Request, signal: Signal) -> dict[str, str | bool]:
    told: dict[str, str | bool] = {"driftd.transport": SOURCE, "driftd.signal": signal.name}
    return {**told, OWN: True} if OWN_HEADER in request.headers else told


def _why(batch: Batch) -> str:
    """For the sender: the first reason, and how many more there are."""
    if not batch.dead_letters:
        return ""
    more = len(batch.dead_letters) - 1
    return batch.dead_letters[0].reason + (f" (and {more} more)" if more else "")
