"""`driftd check` while a daemon runs."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.daemon import Daemon
from tests.cli.house import running_model, write_house
from tests.cli.test_check import change, lines_of, states
from tests.cli.test_serve import PATIENCE_S, start, url_of, wait_until_ready
from tests.ports import free_port


@pytest.fixture
def served(tmp_path: Path, run: Run) -> Iterator[Path]:
    """The configuration of a running daemon with an imported set."""
    with running_model() as model:
        path = write_house(
            tmp_path, model_url=model.url, api_port=free_port(), otlp_port=free_port(), grpc_port=free_port()
        )
        assert run("sets", "import", "primes", tmp_path / "primes.jsonl", "--config", path).code == 0
        process = start(path)
        wait_until_ready(url_of(path), process)
        try:
            yield path
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=PATIENCE_S)


def test_a_daemon_that_runs_owns_its_file_and_its_ports(served: Path, run: Run) -> None:
    lines = lines_of(run, served, code=0)
    assert lines["port api"] == (
        "ok",
        f"a daemon answers at {url_of(served)}, database {served.parent / 'data' / 'driftd.duckdb'}",
    )
    for port in ("port ingest.otlp", "port ingest.otlp_grpc"):
        assert lines[port][1].startswith("the daemon listens on 127.0.0.1:")
    assert lines["database"][1].endswith(f"belongs to the daemon at {url_of(served)}")
    assert lines["set primes"][0] == "warn"
    assert "its key was not tested" in lines["set primes"][1]


def test_a_daemon_with_other_settings_is_noticed(served: Path, run: Run) -> None:
    elsewhere = {name: {"port": free_port()} for name in ("otlp", "otlp_grpc")}
    change(served, store={"path": "other.duckdb"}, ingest=elsewhere)
    lines = lines_of(run, served, code=1)
    assert states(lines)["port api"] == "fail"
    assert f"serves another database: {served.parent / 'data' / 'driftd.duckdb'}" in lines["port api"][1]
    assert "port ingest.otlp" not in lines


def test_ports_that_the_daemon_does_not_have_are_noticed(served: Path, run: Run) -> None:
    change(served, ingest={name: {"port": free_port()} for name in ("otlp", "otlp_grpc")})
    lines = lines_of(run, served, code=1)
    assert "restart it to apply the changes" in lines["port api"][1]
    assert "nothing listens on" in lines["port ingest.otlp"][1]
    assert "nothing listens on" in lines["port ingest.otlp_grpc"][1]


def test_another_service_on_the_port_fails_and_the_rest_is_checked(daemon: Daemon, run: Run, tmp_path: Path) -> None:
    daemon.respond("GET /healthz", b"pong")
    port = int(daemon.url.rpartition(":")[2])
    path = write_house(tmp_path, model_url="http://127.0.0.1:9/v1", api_port=port)
    lines = lines_of(run, path, code=1)
    assert lines["port api"][0] == "fail"
    assert "is not driftd" in lines["port api"][1]
    assert states(lines)["target model"] == "fail"


def test_a_daemon_that_asks_for_a_token_is_given_one(daemon: Daemon, run: Run, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("open sesame")
    daemon.refuses("GET /api/v1/sets", 401, "a token is required")
    path = write_house(tmp_path, model_url="http://127.0.0.1:9/v1", api_port=int(daemon.url.rpartition(":")[2]))
    lines = lines_of(run, path, "--token-file", tmp_path / "token", code=1)
    assert daemon.asked[0].authorization == "Bearer open sesame"
    assert states(lines)["database"] == "fail"  # this daemon has no file
