"""The configuration for nginx works: a real nginx with TLS before a daemon and its dashboard."""

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from playwright.sync_api import sync_playwright

from monitor.cli.dashboard.process import DashboardProcess, DashboardSettings
from tests.cli.house import running_model, write_house
from tests.cli.test_serve import DRIFTD, PATIENCE_S, wait_until_ready
from tests.dashboards.browser import FLAGS, chromium
from tests.docs.markdown import ROOT
from tests.ports import free_ports

NAME = "driftd.example.com"
EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
TOKEN = "token-of-the-test-for-nginx-0123456789"
AT = "2026-11-20T12:00:00Z"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxied:
    port: int
    certificate: Path

    @property
    def url(self) -> str:
        return f"https://{NAME}:{self.port}"

    def http(self) -> httpx.Client:
        """Return a client that finds the name at loopback and trusts the certificate."""
        headers = {"host": f"{NAME}:{self.port}", "authorization": f"Bearer {TOKEN}"}
        return httpx.Client(
            base_url=f"https://127.0.0.1:{self.port}",
            headers=headers,
            verify=False,
            timeout=20,
        )


def nginx() -> str:
    """Return the path of nginx. Without one, skip the test locally and fail it in CI."""
    found = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if found is not None:
        return found
    if os.environ.get("CI"):
        pytest.fail("no nginx on this machine; CI needs one")
    pytest.skip("no nginx on this machine")


def write_certificate(folder: Path) -> Path:
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    made = made.not_valid_before(now - timedelta(hours=1)).not_valid_after(now + timedelta(hours=1))
    made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "tls.key").write_bytes(key.private_bytes(*form))
    (folder / "tls.crt").write_bytes(made.sign(key, hashes.SHA256()).public_bytes(form[0]))
    return folder / "tls.crt"


def rendered(folder: Path, ports: dict[str, int]) -> Path:
    """Return a complete configuration: the file of the repository with other ports and another certificate."""
    text = (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")
    changes = {
        "listen 443": f"listen 127.0.0.1:{ports['nginx']}",
        "/etc/ssl/driftd": str(folder),
        "127.0.0.1:8501": f"127.0.0.1:{ports['dashboard']}",
        "127.0.0.1:8400": f"127.0.0.1:{ports['api']}",
        "127.0.0.1:4318": f"127.0.0.1:{ports['http']}",
        "127.0.0.1:4317": f"127.0.0.1:{ports['grpc']}",
    }
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    path = folder / "nginx.conf"
    temporary = "\n".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    path.write_text(
        f"daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log;\n"
        f"events {{}}\nhttp {{ access_log off; {temporary}\n{text} }}\n"
    )
    return path


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxied]:
    folder, program = tmp_path_factory.mktemp("nginx"), nginx()
    names = ("nginx", "dashboard", "api", "http", "grpc")
    ports = dict(zip(names, free_ports(len(names)), strict=True))
    certificate = write_certificate(folder)
    with running_model() as model:
        config = write_house(
            folder, model_url=model.url, api_port=ports["api"], otlp_port=ports["http"], grpc_port=ports["grpc"]
        )
        (folder / "token").write_text(TOKEN)
        tree = yaml.safe_load(config.read_text())
        tree["api"]["tokens"] = [{"name": "all", "token_file": "token", "roles": ["ingest", "read"]}]
        tree["connections"] = {"allowed_hosts": [NAME]}
        config.write_text(yaml.safe_dump(tree))
        daemon = subprocess.Popen([*DRIFTD, "serve", "--config", str(config)], stderr=subprocess.DEVNULL, text=True)
        settings = DashboardSettings(
            api_url=f"http://127.0.0.1:{ports['api']}", port=ports["dashboard"], allowed_hosts=(NAME,)
        )
        wait_until_ready(settings.api_url, daemon)
        dashboard = DashboardProcess(settings, on_line=lambda _: None)
        proxy = subprocess.Popen([program, "-e", f"{folder}/error.log", "-c", str(rendered(folder, ports))])
        try:
            assert dashboard.wait_until_ready(threading.Event())
            yield Proxied(port=ports["nginx"], certificate=certificate)
        finally:
            for process in (proxy, daemon):
                process.terminate()
                process.wait(PATIENCE_S)
            dashboard.stop()


def test_the_pages_open_and_keep_their_connection(proxied: Proxied) -> None:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=chromium(), args=[*FLAGS, f"--host-resolver-rules=MAP {NAME} 127.0.0.1"]
        )
        page = opened.new_context(ignore_https_errors=True).new_page()
        page.goto(proxied.url)
        page.get_by_label("API token").fill(TOKEN)
        page.get_by_role("button", name="Log in").click()
        page.get_by_role("heading", name="Overview").wait_for(timeout=60_000)
        page.goto(f"{proxied.url}/alerts")
        page.get_by_role("heading", name="Alerts").first.wait_for(timeout=60_000)
        opened.close()


def test_commands_and_senders_reach_the_api(proxied: Proxied) -> None:
    call = {
        "deployment": "support",
        "started_at": AT,
        "trace_id": "0af7651916cd43dd8448eb211c80319c",
        "span_id": "a" * 16,
    }
    with proxied.http() as client:
        assert client.post("/api/v1/interactions", json=call).json()["accepted"] == 1
        assert client.get("/api/v1/status").status_code == 200
        assert client.get("/api/v1/status", headers={"host": "other.example.com"}).status_code in {403, 421}


def test_telemetry_arrives_over_http_and_grpc(proxied: Proxied) -> None:
    body = ExportTraceServiceRequest().SerializeToString()
    with proxied.http() as client:
        sent = client.post("/v1/traces", content=body, headers={"content-type": "application/x-protobuf"})
        assert sent.status_code == 200
    trusted = grpc.ssl_channel_credentials(proxied.certificate.read_bytes())
    options = [("grpc.ssl_target_name_override", NAME), ("grpc.default_authority", f"{NAME}:{proxied.port}")]
    with grpc.secure_channel(f"127.0.0.1:{proxied.port}", trusted, options=options) as channel:
        export: Any = channel.unary_unary(EXPORT)
        export(body, metadata=[("authorization", f"Bearer {TOKEN}")], timeout=20)
