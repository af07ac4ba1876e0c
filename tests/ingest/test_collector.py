"""Captured requests through a real OpenTelemetry Collector give the same rows as without it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.ingest.collector import AT_ONCE, collecting, find_collector
from tests.ingest.http.test_transports import Rows, rows_of, sent_over
from tests.ingest.pipeline import IngestPipeline, ingest_file, ingest_pipeline, otlp_app, receiver, served, served_grpc
from tests.ingest.transports import contents

PROTOBUF = {"content-type": "application/x-protobuf"}


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    return sent_over("protobuf", tmp_path_factory.mktemp("collector") / "usual")


@contextmanager
def by_http(pipeline: IngestPipeline, folder: Path, encoding: str) -> Iterator[httpx.Client]:
    with served(otlp_app(pipeline)) as daemon:
        settings = {"endpoint": str(daemon.base_url).rstrip("/"), "encoding": encoding, **AT_ONCE}
        with collecting(folder, "otlp_http", settings) as collector:
            yield collector


@contextmanager
def by_grpc(pipeline: IngestPipeline, folder: Path) -> Iterator[httpx.Client]:
    with served_grpc(receiver(pipeline)) as where:
        settings = {"endpoint": where, "tls": {"insecure": True}, **AT_ONCE}
        with collecting(folder, "otlp_grpc", settings) as collector:
            yield collector


def send_all(collector: httpx.Client) -> None:
    for content in contents():
        answer = collector.post(f"/v1/{content.signal}", content=content.body, headers=PROTOBUF)
        assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("encoding", ["proto", "json"])
def test_its_http_exporter(encoding: str, usual: Rows, tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        with by_http(pipeline, tmp_path, encoding) as collector:
            send_all(collector)
        assert rows_of(pipeline) == usual


def test_its_grpc_exporter(usual: Rows, tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        with by_grpc(pipeline, tmp_path) as collector:
            send_all(collector)
        assert rows_of(pipeline) == usual


@pytest.mark.parametrize(
    "settings",
    [{"format": "json"}, {"format": "json", "compression": "zstd"}, {"format": "proto"}],
    ids=["json", "json, zstd", "proto"],
)
def test_its_file_exporter(settings: dict[str, str], usual: Rows, tmp_path: Path) -> None:
    written = tmp_path / "written"
    with ingest_pipeline(tmp_path) as pipeline:
        with collecting(tmp_path, "file", {"path": str(written), **settings}) as collector:
            send_all(collector)
        ingest_file(pipeline, written)
        calls, reported, _ = rows_of(pipeline)
    assert calls == usual[0]
    assert reported == usual[1]


def test_a_missing_collector_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(pytest.fail.Exception, match=r"OTELCOL is .*none, which is no file; run `.ci/otelcol`"):
        find_collector({"OTELCOL": str(tmp_path / "none")})
