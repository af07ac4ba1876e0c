"""OTLP over gRPC: what answers `Export` of traces, logs and metrics, after the commit.

The bytes of a message stay bytes: they go to the same readers as a body over HTTP. A call is taken as a stream of
messages, although it has but one, because then the sender is known and has room before anything of it is read.
"""

import asyncio
import logging
import math
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, NoReturn

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage  # type: ignore[import-untyped]  # protobuf ships no types
from google.protobuf.duration_pb2 import Duration  # type: ignore[import-untyped]
from google.rpc.error_details_pb2 import RetryInfo  # type: ignore[import-untyped]
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]

from monitor.errors import DriftdError, Permanent, Retryable
from monitor.guards.failed_logins import Caller, address_of_peer
from monitor.ingest.http.mislabelled import PROTOBUF
from monitor.ingest.otlp.receiver import Arrival, Receiver
from monitor.ingest.otlp.wire import LOGS, METRICS, TRACES, Signal, status_of

log = logging.getLogger(__name__)
Context = grpc.aio.ServicerContext[Any, bytes]
TRANSPORT = "otlp_grpc"
LISTENER = "ingest.otlp_grpc"
READERS = 16  # messages of which a part may have come: each may grow to the limit of one
MAX_MESSAGE_CHARS = 1_000  # of an error: it travels in a header
SERVICES = {
    f"/opentelemetry.proto.collector.{name}.v1.{service}/Export": signal
    for name, service, signal in (
        ("trace", "TraceService", TRACES),
        ("logs", "LogsService", LOGS),
        ("metrics", "MetricsService", METRICS),
    )
}
CODES = {code.value[0]: code for code in grpc.StatusCode}


class MissingMessage(Permanent):
    """The call ended, or its message was too large for the server, before a whole one was there."""

    code = "no_message"


class OtlpServices(grpc.GenericRpcHandler):
    """The three services of OTLP. Lives in the event loop of the server it is given to."""

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._readers = asyncio.Semaphore(READERS)

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> "grpc.RpcMethodHandler[Any, Any] | None":
        signal = SERVICES.get(handler_call_details.method)
        return None if signal is None else grpc.stream_unary_rpc_method_handler(self._export(signal))

    def _export(self, signal: Signal) -> Callable[..., Any]:
        async def export(messages: AsyncIterator[bytes], context: Context) -> bytes:
            try:
                return await self._receive(signal, messages, context)
            except DriftdError as error:
                self._receiver.note_refusal(TRANSPORT, error)
                await _refuse(context, error)
            except Exception as error:
                if isinstance(error, grpc.aio.AbortError):
                    raise
                log.exception("%s over gRPC failed", signal.name)
                await _refuse(context, DriftdError("driftd failed on this request; its log says more"))

        return export

    async def _receive(self, signal: Signal, messages: AsyncIterator[bytes], context: Context) -> bytes:
        headers = _headers_of(context)
        self._receiver.authorize(headers, Caller(address=address_of_peer(context.peer()), listener=LISTENER))
        arrival = Arrival(transport=TRANSPORT, signal=signal, content_type=PROTOBUF, encoding=None, headers={**headers})
        answer = await self._receiver.receive(arrival, self._single_message(messages))
        sent: bytes = answer.SerializeToString()
        return sent

    async def _single_message(self, messages: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """The one message of a call. Its end is not waited for."""
        async with self._readers:
            message = await anext(aiter(messages), None)
        if message is None:
            raise MissingMessage("the call brought no whole message; send one ExportRequest within the size limit")
        yield message


def _headers_of(context: Context) -> Mapping[str, str]:
    """Its metadata, names in lower case as HTTP/2 has them; binary values are nothing we ask for."""
    return {str(name): value for name, value in context.invocation_metadata() or () if isinstance(value, str)}


async def _refuse(context: Context, error: DriftdError) -> NoReturn:
    """The code and the sentence; when the sender may come back, also when.

    The specification puts RetryInfo into `grpc-status-details-bin`. OpenTelemetry's Python exporter looks for it under
    a key of its own instead, and without it doubles its pause at each attempt.
    """
    status = status_of(error)
    message = status.message[:MAX_MESSAGE_CHARS]
    details = Status(code=status.code, message=message)
    trailers: list[tuple[str, bytes]] = []
    if isinstance(error, Retryable):
        retry = RetryInfo(retry_delay=Duration(seconds=math.ceil(error.retry_after_s)))
        packed = AnyMessage()
        packed.Pack(retry)
        details.details.append(packed)
        trailers.append(("google.rpc.retryinfo-bin", retry.SerializeToString()))
    trailers.append(("grpc-status-details-bin", details.SerializeToString()))
    await context.abort(CODES[status.code], message, tuple(trailers))
    raise AssertionError("abort always raises")
