"""TLS on real sockets: certificates, reloads, client certificates, HTTP and gRPC."""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest

from monitor.clock import SystemClock
from monitor.servers import ConnectionLimits, GrpcListener, HttpListener, Servers
from monitor.telemetry import GaugeValue
from monitor.tls.certificates import CertificateFiles, ServedCertificate
from tests.test_servers import Echo, answering
from tests.tls.authority import Authority, Pair


class Counted:
    """Telemetry that keeps the reasons of closed connections."""

    def __init__(self) -> None:
        self.reasons: list[str] = []

    def count(self, name: str, amount: float, labels: Any = None) -> None:
        if name == "driftd.connections.closed" and amount:
            self.reasons.append(labels["reason"])

    def observe(self, name: str, read: Any) -> None:
        self.read = read

    def open(self) -> float:
        values: list[GaugeValue] = self.read()
        return values[0].value


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(folder=tmp_path)


def served(pair: Pair, **more: Any) -> ServedCertificate:
    files = CertificateFiles(cert_file=pair.cert_file, key_file=pair.key_file, **more)
    return ServedCertificate("api", files, SystemClock())


@contextmanager
def http_server(certificate: ServedCertificate, **options: Any) -> Iterator[str]:
    listener = HttpListener(key="api", app=answering("x"), host="127.0.0.1", port=0, certificate=certificate)
    servers = Servers([listener], **options)
    servers.start()
    try:
        yield servers.addresses["api"]
    finally:
        servers.stop()


def get(address: str, context: ssl.SSLContext, name: str = "driftd.test") -> httpx.Response:
    with httpx.Client(verify=context) as client:
        return client.get(address, extensions={"sni_hostname": name})


def port_of(address: str) -> int:
    return int(address.rpartition(":")[2])


def serial(address: str, authority: Authority) -> str:
    """Return the serial number of the certificate that a new connection gets."""
    plain = socket.create_connection(("127.0.0.1", port_of(address)), 5)
    with authority.client().wrap_socket(plain, server_hostname="driftd.test") as wrapped:
        found = wrapped.getpeercert()
    assert found is not None
    return str(found["serialNumber"])


def test_a_listener_with_a_certificate_serves_https(authority: Authority) -> None:
    with http_server(served(authority.issue("server"))) as address:
        assert address.startswith("https://")
        assert get(address, authority.client()).text == "x"


def test_a_client_that_does_not_know_the_authority_refuses_the_server(authority: Authority) -> None:
    refused = pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED")
    with http_server(served(authority.issue("server"))) as address, refused:
        get(address, ssl.create_default_context())


def test_a_plain_http_request_to_a_tls_port_is_answered_with_the_reason(authority: Authority) -> None:
    with http_server(served(authority.issue("server"))) as address:
        answer = httpx.get(address.replace("https", "http"))
    assert answer.status_code == httpx.codes.BAD_REQUEST
    assert answer.text == "this port uses TLS; call it with https://\n"


def test_older_versions_of_tls_are_refused(authority: Authority) -> None:
    context = authority.client()
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    with http_server(served(authority.issue("server"), min_version="1.3")) as address:
        with pytest.raises(httpx.ConnectError, match=r"(?i)protocol.version|alert"):
            get(address, context)
        assert get(address, authority.client()).text == "x"


def test_a_renewed_certificate_is_used_by_new_connections_and_open_ones_continue(authority: Authority) -> None:
    certificate = served(authority.issue("server"))
    with http_server(certificate) as address, httpx.Client(verify=authority.client()) as client:
        ask = {"extensions": {"sni_hostname": "driftd.test"}}
        first = client.get(address, **ask)  # type: ignore[arg-type]
        before = serial(address, authority)
        authority.issue("server")
        certificate.refresh()
        again = client.get(address, **ask)  # type: ignore[arg-type]
        assert serial(address, authority) != before
    streams = [answer.extensions["network_stream"].get_extra_info("ssl_object") for answer in (first, again)]
    assert streams[0] is streams[1], "the open connection was closed"


def test_no_request_fails_while_certificates_change(authority: Authority) -> None:
    certificate = served(authority.issue("server"))
    context, stopped = authority.client(), threading.Event()

    def renew() -> None:
        while not stopped.is_set():
            authority.issue("server")
            certificate.refresh()

    with http_server(certificate) as address:
        renewing = threading.Thread(target=renew)
        renewing.start()
        try:
            serials = {serial(address, authority) for _ in range(10)}
            assert [get(address, context).text for _ in range(20)] == ["x"] * 20
        finally:
            stopped.set()
            renewing.join()
    assert len(serials) > 1


def test_a_sender_needs_a_certificate_of_the_configured_authority(authority: Authority, tmp_path: Path) -> None:
    other = Authority(folder=tmp_path, name="other authority")
    certificate = served(authority.issue("server"), client_ca_file=authority.ca_file)
    with http_server(certificate) as address:
        assert get(address, authority.client(authority.issue("sender", ("bot",)))).text == "x"
        for refused in (None, other.issue("foreign", ("bot",))):
            with pytest.raises(httpx.TransportError):
                get(address, authority.client(refused))


def test_a_removed_authority_of_clients_is_refused_after_a_reload(authority: Authority, tmp_path: Path) -> None:
    other, bundle = Authority(folder=tmp_path, name="other authority"), tmp_path / "clients.pem"
    bundle.write_bytes(authority.ca_file.read_bytes() + other.ca_file.read_bytes())
    certificate = served(authority.issue("server"), client_ca_file=bundle)
    sender = other.issue("sender", ("bot",))
    with http_server(certificate) as address:
        assert get(address, authority.client(sender)).text == "x"
        bundle.write_bytes(authority.ca_file.read_bytes())
        certificate.refresh()
        with pytest.raises(httpx.TransportError):
            get(address, authority.client(sender))


def test_the_name_of_a_client_certificate_is_logged_once(
    authority: Authority, caplog: pytest.LogCaptureFixture
) -> None:
    certificate = served(authority.issue("server"), client_ca_file=authority.ca_file)
    sender = authority.client(authority.issue("sender", ("bot.shop",)))
    caplog.set_level("INFO")
    with http_server(certificate) as address:
        get(address, sender)
        get(address, sender)
    lines = [record.message for record in caplog.records if "client certificate" in record.message]
    assert lines == ["api: first connection with the client certificate of bot.shop"]


def test_idle_connections_without_a_handshake_do_not_stop_a_request(authority: Authority) -> None:
    telemetry: Any = Counted()
    limits = ConnectionLimits(connections=50)
    with http_server(served(authority.issue("server")), limits=limits, telemetry=telemetry) as address:
        idle = [socket.create_connection(("127.0.0.1", port_of(address)), 5) for _ in range(200)]
        try:
            assert get(address, authority.client()).text == "x"
            assert telemetry.open() <= 50
        finally:
            for one in idle:
                one.close()
    assert set(telemetry.reasons) <= {"replaced", "handshake"}
    assert telemetry.reasons.count("replaced") >= 150


def test_a_handshake_that_does_not_end_is_closed(authority: Authority) -> None:
    telemetry: Any = Counted()
    limits = ConnectionLimits(header_s=0.1)
    with http_server(served(authority.issue("server")), limits=limits, telemetry=telemetry) as address:
        silent = socket.create_connection(("127.0.0.1", port_of(address)), 5)
        silent.sendall(b"\x16\x03\x01\x02\x00")  # the begin of a handshake
        assert silent.recv(1) == b""
        silent.close()
    assert telemetry.reasons == ["slow_headers"]


@contextmanager
def grpc_server(certificate: ServedCertificate) -> Iterator[str]:
    listener = GrpcListener(
        key="ingest.otlp_grpc",
        services=Echo(),
        host="127.0.0.1",
        port=0,
        max_message_bytes=2**20,
        certificate=certificate,
    )
    servers = Servers([], [listener])
    servers.start()
    try:
        yield servers.addresses["ingest.otlp_grpc"].removeprefix("https://")
    finally:
        servers.stop()


def call(address: str, authority: Authority, pair: Pair | None = None) -> bytes:
    key, chain = (pair.key_file.read_bytes(), pair.cert_file.read_bytes()) if pair else (None, None)
    credentials = grpc.ssl_channel_credentials(authority.ca_file.read_bytes(), key, chain)
    options = [("grpc.ssl_target_name_override", "driftd.test")]
    with grpc.secure_channel(address, credentials, options) as channel:
        method: Any = channel.unary_unary("/a.Service/Method")
        answer: bytes = method(b"", timeout=10)
        return answer


def test_grpc_uses_the_certificate_and_loads_a_renewed_one(authority: Authority, tmp_path: Path) -> None:
    certificate = served(authority.issue("server"))
    with grpc_server(certificate) as address:
        assert call(address, authority) == b"/a.Service/Method"
        other = Authority(folder=tmp_path, name="other authority")
        other.issue("server")
        certificate.refresh()
        assert call(address, other) == b"/a.Service/Method"
        with pytest.raises(grpc.RpcError):
            call(address, authority)


def test_grpc_refuses_senders_without_a_certificate_of_the_authority(authority: Authority, tmp_path: Path) -> None:
    other = Authority(folder=tmp_path, name="other authority")
    certificate = served(authority.issue("server"), client_ca_file=authority.ca_file)
    with grpc_server(certificate) as address:
        assert call(address, authority, authority.issue("sender", ("bot",))) == b"/a.Service/Method"
        for refused in (None, other.issue("foreign", ("bot",))):
            with pytest.raises(grpc.RpcError):
                call(address, authority, refused)
