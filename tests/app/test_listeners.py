"""The listeners of a daemon with TLS: certificates, headers, callers, commands and certificates of senders."""

import json
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
import yaml

from monitor.cli.main import main
from monitor.guards.security_headers import API
from tests.app.house import House, daemon
from tests.ports import free_port
from tests.tls.authority import NOW, Authority

TOKEN = "a-token-of-the-test-that-is-long-enough"
RULE = "CertificateNotRenewed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    house: House
    authority: Authority
    trust: ssl.SSLContext

    def get(self, listener: str, path: str, **headers: str) -> httpx.Response:
        with httpx.Client(verify=self.trust, base_url=self.house.app.addresses[listener]) as client:
            sent = {"authorization": f"Bearer {TOKEN}", **headers}
            return client.get(path, headers=sent, extensions={"sni_hostname": "driftd.test"})


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("tls")
    authority = Authority(folder=folder)
    authority.issue("server", until=NOW + timedelta(days=900))
    authority.issue("sender", ("bot.shop",))
    (folder / "token").write_text(TOKEN)
    tls = {
        "cert_file": "server.crt",
        "key_file": "server.key",
        "otlp": {"client_ca_file": str(authority.ca_file)},
    }
    tokens = [{"name": "test", "token_file": "token", "roles": ["admin"]}]
    api = {"host": "127.0.0.1", "port": free_port(), "tokens": tokens}
    with daemon(folder, tls=tls, api=api) as house:
        yield Served(house=house, authority=authority, trust=authority.client())


def test_every_answer_of_the_api_has_the_security_headers(served: Served) -> None:
    for path in ("/healthz", "/api/v1/status", "/api/v1/absent", "/metrics"):
        found = served.get("api", path).headers
        assert {name: found[name] for name in API} == API
        assert found["strict-transport-security"] == "max-age=31536000"


def test_a_page_of_another_site_is_refused(served: Served) -> None:
    refused = served.get("api", "/api/v1/status", origin="https://evil.example")
    assert (refused.status_code, refused.json()["code"]) == (403, "origin_not_allowed")


def test_a_sender_without_a_certificate_is_refused_and_one_with_it_reaches_its_port(served: Served) -> None:
    with pytest.raises(httpx.TransportError):
        served.get("ingest.otlp", "/v1/traces")
    folder = served.authority.folder
    served.trust.load_cert_chain(folder / "sender.crt", folder / "sender.key")
    assert served.get("ingest.otlp", "/v1/traces").status_code == httpx.codes.METHOD_NOT_ALLOWED


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[object, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as left:
        main([*arguments])
    printed = capsys.readouterr()
    return left.value.code or 0, printed.out + printed.err


def test_commands_reach_the_daemon_with_the_certificate_of_the_configuration(
    served: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = served.authority.folder
    shared = ["--json", "--token-file", str(folder / "token")]
    code, out = run(capsys, "alerts", "conditions", "--config", str(folder / "driftd.yaml"), *shared)
    assert code == 0, out
    states = {one["subject"]: one["state"] for one in json.loads(out)["items"] if one["rule"] == RULE}
    assert states == {f"certificate of {one}": "clear" for one in ("api", "ingest.otlp", "ingest.otlp_grpc")}


def test_a_command_names_the_option_for_an_unknown_authority(
    served: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out = run(capsys, "alerts", "conditions", "--url", served.house.app.addresses["api"])
    assert code == 2
    assert "is not trusted: " in out
    assert "name the certificate authority with --ca-file" in out


def test_the_check_names_the_certificate_of_each_listener(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    folder = served.authority.folder
    path, token = str(folder / "driftd.yaml"), str(folder / "token")
    _, out = run(capsys, "check", "--config", path, "--token-file", token, "--json")
    lines = {line["check"]: (line["state"], line["sentence"]) for line in json.loads(out)["checks"]}
    assert lines["port api"][0] == "ok", lines["port api"]
    for listener in ("api", "ingest.otlp", "ingest.otlp_grpc", "dashboard"):
        assert lines[f"tls {listener}"][1].startswith("certificate for driftd.test until ")
    assert "senders need a certificate" in lines["tls ingest.otlp"][1]


def test_the_configuration_of_a_certificate_without_its_key_is_refused(tmp_path: Path) -> None:
    from monitor.config.load import load
    from monitor.errors import ConfigError

    path = tmp_path / "driftd.yaml"
    for section, expected in (
        ({"cert_file": "a.crt"}, "key_file"),
        ({"otlp": {"client_ca_file": "ca.pem"}}, "client_ca_file needs a certificate"),
        ({"cert_file": "a", "key_file": "b", "min_version": "1.3"}, "gRPC cannot refuse TLS 1.2"),
    ):
        path.write_text(yaml.safe_dump({"tls": section}))
        with pytest.raises(ConfigError, match=expected):
            load(path, {})
