"""Brokers with authentication by password and by certificate, and the messages after a rejection."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from monitor.errors import SourceUnavailable
from tests.ingest.kafka.authority import authority
from tests.ingest.kafka.broker import jars_missing, without_broker
from tests.ingest.kafka.guarded import PASSWORD, USER, Guarded, guarded_broker
from tests.ingest.kafka.house import calls, reading, section, source
from tests.ingest.pipeline import ingest_pipeline

pytestmark = pytest.mark.xdist_group("kafka")
CERTIFICATE_PASSWORD = "of the key"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    if reason := jars_missing(os.environ):
        without_broker(os.environ, reason)
    with guarded_broker(tmp_path_factory.mktemp("guarded")) as found:
        yield found


@pytest.fixture(scope="module")
def topic(guarded: Guarded) -> str:
    made = guarded.broker.topic()
    guarded.broker.send(made, calls(0, 1))
    return made


@pytest.fixture(scope="module")
def client(guarded: Guarded, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a certificate with an encrypted key that the broker accepts."""
    file = tmp_path_factory.mktemp("client") / "client.pem"
    return guarded.authority.signed(file, "client", password=CERTIFICATE_PASSWORD.encode())


def login(mechanism: str = "SCRAM-SHA-256", **other: Any) -> dict[str, Any]:
    return {"mechanism": mechanism, "username": USER, "password": PASSWORD} | other


def shown(client: Path, **other: Any) -> dict[str, Any]:
    return {"certificate": str(client), "certificate_password": CERTIFICATE_PASSWORD} | other


def read_all(guarded: Guarded, topic: str, folder: Path, server: str, **settings: Any) -> None:
    with reading(folder, section(guarded.broker, topic, bootstrap_servers=[server], **settings)) as got:
        got.until_rows(2)
        assert got.ids() == ["call-000000", "call-000001"]


def message_without_prefix(guarded: Guarded, topic: str, folder: Path, server: str, **settings: Any) -> str:
    """Return the error message without the name of the source and the brokers."""
    with ingest_pipeline(folder) as pipeline:
        refused = source(pipeline, section(guarded.broker, topic, bootstrap_servers=[server], **settings))
        with pytest.raises(SourceUnavailable) as caught:
            refused.step()
    before = f"Kafka source 'calls': {server}: "
    assert str(caught.value).startswith(before)
    return str(caught.value).removeprefix(before)


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_a_topic_is_read_with_a_password(guarded: Guarded, topic: str, tmp_path: Path, mechanism: str) -> None:
    read_all(guarded, topic, tmp_path, guarded.sasl, security="sasl_plaintext", **login(mechanism))


def test_a_topic_is_read_with_a_certificate(guarded: Guarded, topic: str, client: Path, tmp_path: Path) -> None:
    read_all(guarded, topic, tmp_path, guarded.tls, security="ssl", ca=str(guarded.authority.file), **shown(client))


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-512"])
def test_a_topic_is_read_with_a_password_over_tls(guarded: Guarded, topic: str, tmp_path: Path, mechanism: str) -> None:
    ca = str(guarded.authority.file)
    read_all(guarded, topic, tmp_path, guarded.both, security="sasl_ssl", ca=ca, **login(mechanism))


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256"])
def test_a_wrong_password_is_reported(guarded: Guarded, topic: str, tmp_path: Path, mechanism: str) -> None:
    wrong = login(mechanism, password="battery-staple")
    said = message_without_prefix(guarded, topic, tmp_path, guarded.sasl, security="sasl_plaintext", **wrong)
    assert said == f"the broker rejects user 'driftd' with {mechanism}; correct `username` or `password`"


@pytest.mark.parametrize("server", ["tls", "both"])
def test_a_broker_with_an_untrusted_certificate_is_reported(
    guarded: Guarded, topic: str, client: Path, tmp_path: Path, server: str
) -> None:
    ca = str(authority(tmp_path / "other.pem", "somebody else").file)
    how = {"security": "ssl", **shown(client)} if server == "tls" else {"security": "sasl_ssl", **login()}
    said = message_without_prefix(guarded, topic, tmp_path, getattr(guarded, server), ca=ca, **how)
    assert said.startswith("the broker's certificate is not trusted (")
    assert said.endswith("); set `ca` to the authority that signed it")


def test_a_client_without_a_trusted_certificate_is_reported(guarded: Guarded, topic: str, tmp_path: Path) -> None:
    other = authority(tmp_path / "other.pem", "somebody else").signed(tmp_path / "client.pem", "client")
    for own in ({}, {"certificate": str(other)}):
        ca = str(guarded.authority.file)
        said = message_without_prefix(guarded, topic, tmp_path, guarded.tls, security="ssl", ca=ca, **own)
        assert said.startswith("the broker rejects this client's certificate; set `certificate` to one that ")


def test_a_wrong_password_of_the_certificate_is_reported(
    guarded: Guarded, topic: str, client: Path, tmp_path: Path
) -> None:
    wrong = shown(client, certificate_password="another")
    ca = str(guarded.authority.file)
    said = message_without_prefix(guarded, topic, tmp_path, guarded.tls, security="ssl", ca=ca, **wrong)
    assert said == "this client's certificate cannot be opened; correct `certificate` or `certificate_password`"


def test_a_port_with_another_protocol_is_reported(guarded: Guarded, topic: str, tmp_path: Path) -> None:
    said = message_without_prefix(guarded, topic, tmp_path, guarded.both)
    assert said.endswith("check that `security` plaintext is the protocol of its port")
