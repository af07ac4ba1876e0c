"""OTLP over HTTP: the ASGI app for `/v1/traces` and `/v1/logs`. It answers after the commit."""

import logging
from collections.abc import Awaitable, Callable, Sequence

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from monitor.errors import DriftdError, NotFound
from monitor.guards.failed_logins import Caller
from monitor.guards.wrong_port import GrpcClientLog, Ports, port_at_otlp
from monitor.ingest.otlp.receiver import Arrival, Receiver
from monitor.ingest.otlp.wire import LOGS, METRICS, TRACES, Signal, answer_of, content_type_of, error_of

log = logging.getLogger(__name__)
Endpoint = Callable[[Request], Awaitable[Response]]
TRANSPORT = "otlp"
LISTENER = "ingest.otlp"
MAX_PATH = 200  # characters of a path in an error message
PREFIXES = ("", "/api/public/otel", "/otel")  # the default, and the prefixes of Langfuse's and LangSmith's clients
SIGNALS = (TRACES, LOGS, METRICS)


NO_PORTS = Ports()


def build_app(receiver: Receiver, *, routes: Sequence[BaseRoute] = (), ports: Ports = NO_PORTS) -> Starlette:
    """Return an app with the OTLP paths and the other routes of the same port."""
    not_found = _not_found_handler(ports)
    paths = [
        Route(f"{prefix}/v1/{signal.name}", endpoint(receiver, signal), methods=["POST"])
        for prefix in PREFIXES
        for signal in SIGNALS
    ]
    return Starlette(routes=[*paths, *routes], exception_handlers={404: not_found, 405: not_found})


def caller_of(request: Request) -> Caller:
    return Caller(address=request.client.host if request.client else "", listener=LISTENER)


class WrongMethod(NotFound):
    """The path exists, but not for this method."""

    status = 405
    code = "method_not_allowed"


def _not_found_handler(ports: Ports) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Return a handler that names the right path or port, which exporters often have wrong at first."""
    grpc_clients = GrpcClientLog("OTLP/HTTP", ports)

    async def answer(request: Request, error: Exception) -> Response:
        grpc_clients.record(request.method, caller_of(request).address)
        elsewhere = port_at_otlp(request.url.path, ports) or (
            "send OTLP by POST to /v1/traces or /v1/logs, and native JSON to the API's port"
        )
        message = f"no such endpoint: {request.method} {request.url.path[:MAX_PATH]}; {elsewhere}"
        is_wrong_method = isinstance(error, HTTPException) and error.status_code == WrongMethod.status
        response = error_of(
            WrongMethod(message) if is_wrong_method else NotFound(message), request.headers.get("content-type", "")
        )
        if is_wrong_method:
            response.headers["allow"] = "POST"
        return response

    return answer


def endpoint(receiver: Receiver, signal: Signal) -> Endpoint:
    """Return an endpoint whose errors have the content type of the request.

    Internal errors are logged and answered with 500.
    """

    async def answer(request: Request) -> Response:
        media_type = request.headers.get("content-type", "")
        try:
            receiver.authorize(request.headers, caller_of(request))
            content_type = content_type_of(media_type)
            encoding = request.headers.get("content-encoding", "")
            arrival = Arrival(
                transport=TRANSPORT,
                signal=signal,
                content_type=content_type,
                encoding=encoding,
                headers=request.headers,
            )
            return answer_of(await receiver.receive(arrival, request.stream()), content_type)
        except DriftdError as error:
            receiver.note_refusal(TRANSPORT, error)
            return error_of(error, media_type)
        except ClientDisconnect:
            return Response(status_code=400)  # the client has disconnected
        except Exception:
            log.exception("%s failed", request.url.path)
            return error_of(DriftdError("internal error; see the log of driftd"), media_type)

    return answer
