"""OTLP over gRPC: the `Export` methods of traces, logs and metrics. They answer after the commit.

Messages stay bytes and go to the same readers as HTTP bodies. A call is handled as a stream, although it has one
message, so that the sender is authenticated and memory is reserved before the message is read.
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
READERS = 16  # messages read at the same time; each may grow to the size limit
MAX_MESSAGE_CHARS = 1_000  # of an error message, which is sent in a header
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
    """The call ended before a whole message arrived, or the message was too large for the server."""

    code = "no_message"


class OtlpServices(grpc.GenericRpcHandler):
    """The three services of OTLP. An instance belongs to the event loop of its server."""

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
                await _refuse(context, DriftdError("internal error; see the log of driftd"))

        return export

    async def _receive(self, signal: Signal, messages: AsyncIterator[bytes], context: Context) -> bytes:
        headers = _headers_of(context)
        self._receiver.authorize(headers, Caller(address=address_of_peer(context.peer()), listener=LISTENER))
        arrival = Arrival(transport=TRANSPORT, signal=signal, content_type=PROTOBUF, encoding=None, headers={**headers})
        answer = await self._receiver.receive(arrival, self._single_message(messages))
        sent: bytes = answer.SerializeToString()
        return sent

    async def _single_message(self, messages: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """Yield the only message of a call, without waiting for the end of the call."""
        async with self._readers:
            message = await anext(aiter(messages), None)
        if message is None:
            raise MissingMessage("the call has no complete message; send one ExportRequest within the size limit")
        yield message


def _headers_of(context: Context) -> Mapping[str, str]:
    """Return the metadata without binary values; HTTP/2 names are lower case."""
    return {str(name): value for name, value in context.invocation_metadata() or () if isinstance(value, str)}


async def _refuse(context: Context, error: DriftdError) -> NoReturn:
    """Abort with the status code and the message, and the retry delay when the sender may retry.

    The specification puts RetryInfo in `grpc-status-details-bin`. OpenTelemetry's Python exporter reads it from a key
    of its own instead; without that key its delay grows by the factor two at each attempt.
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
