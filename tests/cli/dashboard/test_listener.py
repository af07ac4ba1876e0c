"""The port of the dashboard: TLS, a certificate that changes, headers, and the hosts and pages that it accepts."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass

import httpx
import pytest

from monitor.cli.dashboard.process import DashboardProcess, DashboardSettings
from monitor.guards.security_headers import DASHBOARD
from monitor.tls.certificates import CertificateFiles
from tests.ports import free_port
from tests.servers.test_tls import serial
from tests.tls.authority import Authority

PATIENCE_S = 60.0
LIMIT = 64
UPGRADE = {
    "connection": "Upgrade",
    "upgrade": "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    url: str
    authority: Authority
    client: httpx.Client

    def status(self, path: str = "/", **headers: str) -> int:
        with self.client.stream("GET", path, headers=headers) as response:
            return response.status_code


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    authority = Authority(folder=tmp_path_factory.mktemp("pages"))
    pair = authority.issue("server", ("127.0.0.1", "driftd.test"))
    tls = CertificateFiles(cert_file=pair.cert_file, key_file=pair.key_file)
    settings = DashboardSettings(
        api_url="http://127.0.0.1:9",
        port=free_port(),
        tls=tls,
        hsts_s=60,
        allowed_hosts=["dash.example"],
        max_connections=LIMIT,
    )
    lines: list[str] = []
    process = DashboardProcess(settings, on_line=lines.append)
    try:
        assert process.wait_until_ready(threading.Event()), lines
        with httpx.Client(base_url=settings.url, verify=authority.client(), timeout=PATIENCE_S) as client:
            yield Pages(url=settings.url, authority=authority, client=client)
    finally:
        process.stop()


def test_the_pages_have_the_security_headers(pages: Pages) -> None:
    found = pages.client.get("/").headers
    assert {name: found[name] for name in DASHBOARD} == DASHBOARD
    assert found["strict-transport-security"] == "max-age=60"
    assert "Secure" in pages.client.get("/_stcore/health").headers["set-cookie"]


def test_only_hosts_of_this_machine_and_configured_ones_are_accepted(pages: Pages) -> None:
    hosts = ("127.0.0.1", "localhost:8501", "dash.example", "evil.example")
    assert [pages.status(host=host) for host in hosts] == [200, 200, 200, 403]


def test_a_web_socket_of_another_site_is_refused(pages: Pages) -> None:
    assert pages.status("/_stcore/stream", **UPGRADE, origin=pages.url) == 101
    assert pages.status("/_stcore/stream", **UPGRADE, origin="https://evil.example") == 403
    assert pages.status("/_stcore/stream", **UPGRADE, origin=pages.url, host="evil.example") == 403


def test_idle_connections_do_not_keep_out_readers_and_slow_headers_end(pages: Pages) -> None:
    """The port has a limit of connections (64 here), which replaces idle ones, and a time for the first request."""
    where = ("127.0.0.1", httpx.URL(pages.url).port or 0)
    with ExitStack() as stack:
        idle = [stack.enter_context(socket.create_connection(where, timeout=PATIENCE_S)) for _ in range(LIMIT + 8)]
        assert pages.status("/_stcore/health") == 200
        with suppress(ConnectionResetError):
            assert idle[-1].recv(1) == b""  # no handshake within the time for headers


def test_a_renewed_certificate_is_used_without_a_restart(pages: Pages) -> None:
    before = serial(pages.url, pages.authority)
    pages.authority.issue("server", ("127.0.0.1", "driftd.test"))
    deadline = time.monotonic() + PATIENCE_S
    while serial(pages.url, pages.authority) == before:
        assert time.monotonic() < deadline, "the certificate did not change"
        threading.Event().wait(0.2)
    assert pages.status() == 200
