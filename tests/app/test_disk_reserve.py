"""A daemon whose disk is nearly full: it refuses records before the disk is full, and continues when space is free."""

import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from random import Random
from time import monotonic, sleep
from typing import Any

import grpc
import httpx
import pytest
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]  # protobuf ships no types
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from monitor.cli.main import main
from monitor.errors import DiskReserveReached
from tests.app.full_disk import fill_up_to, small_disk
from tests.app.house import DEPLOYMENT, FROZEN, House, daemon
from tests.ingest.results.build import lm_eval
from tests.ingest.transports import METHODS

PATIENCE_S = 60.0
DISK_MB, RESERVE_MB = 96, 24
LONG = "Is 91 prime? " * 200


def record(id_: str, text: str = LONG) -> dict[str, Any]:
    return {
        "id": id_,
        "deployment": DEPLOYMENT,
        "started_at": "2026-03-01T11:00:00Z",
        "request": {"model": "gpt-4", "messages": [{"role": "user", "content": text}]},
        "response": {"model": "gpt-4-0314", "messages": [{"role": "assistant", "content": "[No]"}]},
    }


def send(house: House, *ids: str) -> httpx.Response:
    return house.api.post("/api/v1/interactions", json=[record(id_) for id_ in ids])


def span() -> bytes:
    message = ExportTraceServiceRequest()
    one = (
        message.resource_spans.add()
        .scope_spans.add()
        .spans.add(
            trace_id=bytes(range(16)),
            span_id=bytes(range(8)),
            name="chat",
            start_time_unix_nano=1,
            end_time_unix_nano=2,
        )
    )
    one.attributes.add(key="gen_ai.operation.name").value.string_value = "chat"
    sent: bytes = message.SerializeToString()
    return sent


def over_http(house: House, signal: str = "traces") -> httpx.Response:
    headers = {"content-type": "application/x-protobuf"}
    return httpx.post(f"{house.app.addresses['ingest.otlp']}/v1/{signal}", content=span(), headers=headers)


def over_grpc(house: House) -> grpc.RpcError:
    where = house.app.addresses["ingest.otlp_grpc"].removeprefix("http://")
    with grpc.insecure_channel(where) as channel:
        export: Any = channel.unary_unary(METHODS["traces"])
        with pytest.raises(grpc.RpcError) as caught:
            export(span(), timeout=30)
    return caught.value


def value_of(metrics: str, name: str) -> float:
    [line] = [line for line in metrics.splitlines() if line.startswith(f"{name} ")]
    return float(line.rpartition(" ")[2])


def alerts(house: House) -> dict[str, str]:
    return {item["rule"]: item["state"] for item in house.listed("alerts")}


def until(house: House, holds: Callable[[], bool]) -> None:
    """Advance the clock of the daemon until the condition is true."""
    deadline = monotonic() + PATIENCE_S
    while not holds():
        assert monotonic() < deadline, "it did not come to pass"
        house.clock.advance_to(house.clock.now() + timedelta(seconds=5))
        house.app.wake()
        sleep(0.1)


def daemon_on(disk: Path, folder: Path) -> Any:
    return daemon(folder, store={"path": str(disk / "d.duckdb"), "disk_reserve_mb": RESERVE_MB})


def test_below_the_reserve_every_sender_may_retry_reads_go_on_and_replays_wait(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", DISK_MB) as disk, daemon_on(disk, tmp_path) as house:
        house.import_primes(5)
        assert send(house, "before").status_code == 200
        fill_up_to(disk, RESERVE_MB - 4)
        sleep(0.3)

        native = send(house, "refused")
        assert (native.status_code, native.json()["code"]) == (503, "disk_reserve")
        assert native.headers["retry-after"] == "30"
        otlp = over_http(house)
        assert (otlp.status_code, otlp.headers["retry-after"]) == (503, "30")
        assert "keeps a reserve of 24 MiB" in Status.FromString(otlp.content).message
        assert over_http(house, "metrics").status_code == 200, "metrics are not stored"
        error: Any = over_grpc(house)
        assert error.code() is grpc.StatusCode.UNAVAILABLE
        assert "google.rpc.retryinfo-bin" in dict(error.trailing_metadata())
        uploaded = house.api.post(
            "/api/v1/results",
            params={"deployment": DEPLOYMENT, "filename": "results.json"},
            content=b"{}",
            headers={"content-type": "application/json"},
        )
        assert (uploaded.status_code, uploaded.headers["retry-after"]) == (503, "30")

        assert [item["id"] for item in house.listed("interactions")] == ["before"]
        ready = house.api.get("/readyz")
        assert (ready.status_code, ready.json()) == (200, {"status": "degraded", "degraded_components": ["disk"]})
        status = house.api.get("/api/v1/status").json()
        assert (status["disk"]["paused"], status["disk"]["reserve_bytes"]) == (True, RESERVE_MB * 2**20)
        assert status["warnings"][0].startswith("paused: the disk of ")
        body = {"deployment": DEPLOYMENT, "set_name": FROZEN}
        run = house.api.post("/api/v1/runs", json=body).raise_for_status().json()["id"]
        until(house, lambda: alerts(house).get("IngestPaused") == "firing")
        assert house.calls() == 0
        metrics = house.api.get("/metrics").text
        assert value_of(metrics, "driftd_ingest_paused") == 1
        assert 0 < value_of(metrics, "driftd_disk_free_bytes") < RESERVE_MB * 2**20
        assert value_of(metrics, "driftd_disk_reserve_bytes") == RESERVE_MB * 2**20
        for transport in ("http", "otlp", "otlp_grpc"):
            labels = f'{{code="disk_reserve",transport="{transport}"}}'
            assert value_of(metrics, "driftd_ingest_refused_total" + labels) == 1

        fill_up_to(disk, RESERVE_MB + 3)  # more than the reserve, less than a quarter more
        sleep(0.3)
        assert send(house, "refused").status_code == 503
        fill_up_to(disk, RESERVE_MB * 1.25 + 4)
        until(house, lambda: house.api.get(f"/api/v1/runs/{run}").json()["state"] == "complete")
        assert send(house, "after").status_code == 200
        until(house, lambda: alerts(house).get("IngestPaused") == "resolved")
        assert house.api.get("/readyz").json()["status"] == "ok"
        console = tmp_path / "console.txt"
        until(house, lambda: len(re.findall(r"^.*IngestPaused.*$", console.read_text(), re.MULTILINE)) >= 2)
        messages = [line for line in console.read_text().splitlines() if "IngestPaused" in line and "driftd" in line]
        assert len([line for line in messages if "RESOLVED" in line]) == 1
        assert len([line for line in messages if "RESOLVED" not in line]) == 1, "once, not for every refused request"
        assert not [line for line in console.read_text().splitlines() if "StoreReadOnly" in line]


def test_senders_that_fill_the_disk_are_stopped_before_it_is_full_and_lose_nothing(tmp_path: Path) -> None:
    """Four senders write random texts until each is refused. What was acknowledged is stored, and nothing failed."""
    with small_disk(tmp_path / "disk", DISK_MB) as disk, daemon_on(disk, tmp_path) as house:
        fill_up_to(disk, RESERVE_MB + 4)
        with ThreadPoolExecutor(4) as pool:
            sent = [ids for found in pool.map(lambda n: _until_refused(house, n), range(4)) for ids in found]
        assert house.api.get("/api/v1/status").json()["loops"]["writer"] == "writing", "the store accepted every write"
        free = house.api.get("/api/v1/status").json()["disk"]["free_bytes"]
        assert 0 < free < RESERVE_MB * 2**20
        with house.app.store.snapshot() as cursor:
            stored = {row[0] for row in cursor.execute("SELECT id FROM interaction").fetchall()}
        assert stored == set(sent)


def _until_refused(house: House, sender: int) -> list[str]:
    rng = Random(sender)
    acknowledged: list[str] = []
    with httpx.Client(base_url=house.app.addresses["api"], timeout=60) as api:
        for number in range(1_000):
            ids = [f"{sender}-{number}-{i}" for i in range(10)]
            rows = [record(id_, rng.randbytes(8_000).hex()) for id_ in ids]
            answer = api.post("/api/v1/interactions", json=rows)
            if answer.status_code == 503:
                assert answer.json()["code"] == "disk_reserve"
                return acknowledged
            answer.raise_for_status()
            acknowledged += ids
    raise AssertionError("the sender was never refused")


def test_reading_a_file_waits_for_space_and_continues(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(DiskReserveReached, "retry_after_s", 0.1)
    path = tmp_path / "calls.jsonl"
    path.write_text("".join(json.dumps(record(f"line-{n}") | {"type": "interaction"}) + "\n" for n in range(1500)))
    with (
        small_disk(tmp_path / "disk", DISK_MB) as disk,
        daemon_on(disk, tmp_path) as house,
        ThreadPoolExecutor(1) as pool,
    ):
        fill_up_to(disk, RESERVE_MB - 4)
        command = pool.submit(_run, ["ingest", str(path), "--url", str(house.api.base_url)])
        until(house, lambda: "POST /api/v1/files answered 503" in caplog.text)
        assert not command.done()
        assert house.listed("interactions") == []
        fill_up_to(disk, DISK_MB / 2)
        assert command.result(30) == 0
    out = capsys.readouterr()
    assert "1500 accepted, 0 duplicates, 0 rejected" in out.out
    assert out.err.count("waiting: the disk of") == 1


def test_files_of_a_watched_folder_stay_and_are_imported_when_space_is_free(tmp_path: Path) -> None:
    results = tmp_path / "results"
    lm_eval(results, "n1", 1.0, 0.0)
    source = {"path": str(results), "deployment": "bot", "set": "tasks", "every_s": 1, "settle_s": 0}
    ingest = {"otlp": {"port": 0}, "otlp_grpc": {"port": 0}, "results": {"lab": source}}
    store = {"path": str(tmp_path / "disk/d.duckdb"), "disk_reserve_mb": RESERVE_MB}

    def names() -> list[str]:
        return sorted(path.name for path in results.iterdir())

    with small_disk(tmp_path / "disk", DISK_MB) as disk, daemon(tmp_path, store=store, ingest=ingest) as house:
        until(house, lambda: imported(house) == ["complete"])
        fill_up_to(disk, RESERVE_MB - 4)
        until(house, lambda: house.api.get("/api/v1/status").json()["disk"]["paused"])
        lm_eval(results, "n2", 0.0, 0.0, 1.0)
        until(house, lambda: "disk" in house.api.get("/api/v1/status").json()["loops"]["results-lab"])
        assert imported(house) == ["complete"]
        assert list((disk / "results-spool").rglob("*n2*")) == []
        assert len(names()) == 4

        fill_up_to(disk, DISK_MB / 2)
        until(house, lambda: imported(house) == ["complete", "complete"])
        assert len(names()) == 4, "driftd removes nothing from the folder"
        runs = [run for run in house.listed("runs") if run["deployment"] == "bot"]
        assert sorted(run["outcomes"] for run in runs) == [2, 3]


def imported(house: House) -> list[str]:
    """Return the state of each import, the newest first."""
    return [item["state"] for item in house.listed("results/imports")]


def _run(arguments: list[str]) -> int:
    try:
        main(arguments)
    except SystemExit as left:
        return int(left.code or 0)
    return 0
