import socket
from typing import Any

import grpc
import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from monitor.errors import ConfigError
from monitor.servers import GrpcListener, HttpListener, Servers


def answering(word: str) -> Starlette:
    async def answer(_request: Request) -> PlainTextResponse:
        return PlainTextResponse(word)

    return Starlette(routes=[Route("/", answer)])


def test_two_listeners_respond_on_their_own_ports() -> None:
    listeners = [HttpListener(key=k, app=answering(k), host="127.0.0.1", port=0) for k in ("api", "otlp")]
    servers = Servers(listeners)
    servers.start()
    try:
        assert {key: httpx.get(url).text for key, url in servers.addresses.items()} == {"api": "api", "otlp": "otlp"}
    finally:
        servers.stop()


def test_after_a_stop_nothing_listens() -> None:
    servers = Servers([HttpListener(key="api", app=answering("x"), host="127.0.0.1", port=0)])
    servers.start()
    httpx.get(servers.addresses["api"])
    servers.stop()
    with pytest.raises(httpx.ConnectError):
        httpx.get(servers.addresses["api"])


def test_a_port_in_use_stops_the_start_with_its_key() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=f"api: cannot listen on 127.0.0.1:{port}"):
            Servers([HttpListener(key="api", app=answering("x"), host="127.0.0.1", port=port)])


class Echo(grpc.GenericRpcHandler):
    """Answers every method with its own name."""

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> "grpc.RpcMethodHandler[Any, Any] | None":
        async def answer(_request: bytes, _context: object) -> bytes:
            return str(handler_call_details.method).encode()

        return grpc.unary_unary_rpc_method_handler(answer)


def echoing(*, host: str = "127.0.0.1", port: int = 0) -> GrpcListener:
    return GrpcListener(key="ingest.otlp_grpc", services=Echo(), host=host, port=port, max_message_bytes=2**20)


def call(address: str) -> bytes:
    with grpc.insecure_channel(address.removeprefix("http://")) as channel:
        method: Any = channel.unary_unary("/a.Service/Method")
        answer: bytes = method(b"", timeout=10)
        return answer


def test_grpc_and_http_respond_and_after_a_stop_nothing_listens() -> None:
    servers = Servers([HttpListener(key="api", app=answering("x"), host="127.0.0.1", port=0)], [echoing()])
    servers.start()
    assert httpx.get(servers.addresses["api"]).text == "x"
    assert call(servers.addresses["ingest.otlp_grpc"]) == b"/a.Service/Method"
    servers.stop()
    with pytest.raises(grpc.RpcError):
        call(servers.addresses["ingest.otlp_grpc"])


def test_a_grpc_port_in_use_stops_the_start_with_its_key_and_frees_the_other_ports() -> None:
    with socket.socket() as taken, socket.socket() as free:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        free.bind(("127.0.0.1", 0))
        port, other = taken.getsockname()[1], free.getsockname()[1]
        free.close()
        with pytest.raises(ConfigError, match=f"ingest.otlp_grpc: cannot listen on 127.0.0.1:{port}"):
            Servers([HttpListener(key="api", app=answering("x"), host="127.0.0.1", port=other)], [echoing(port=port)])
        with socket.create_server(("127.0.0.1", other)):
            pass


def test_a_second_daemon_cannot_share_the_port_of_grpc() -> None:
    first = Servers([], [echoing()])
    port = int(first.addresses["ingest.otlp_grpc"].rpartition(":")[2])
    with pytest.raises(ConfigError, match="stop the process that uses the port, or choose another port"):
        Servers([], [echoing(port=port)])
    first.stop()


def test_two_daemons_of_one_process_serve_grpc_in_their_own_loops() -> None:
    both = [Servers([], [echoing()]) for _ in range(2)]
    for servers in both:
        servers.start()
    for servers in both * 20:
        assert call(servers.addresses["ingest.otlp_grpc"]) == b"/a.Service/Method"
    for servers in both:
        servers.stop()
