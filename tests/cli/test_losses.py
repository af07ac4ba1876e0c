"""Losses as a person sees them: at the start, in `check`, in `db` and as an alert."""

import json
import signal
import subprocess
import time
from pathlib import Path

import httpx
import pytest

from monitor.store.engine.commit_mark import mark_of
from monitor.store.engine.connect import log_of
from tests.cli.conftest import Run
from tests.cli.house import running_model, write_house
from tests.cli.test_serve import DRIFTD, PATIENCE_S, url_of, wait_until_ready
from tests.ports import free_port


@pytest.fixture
def config(tmp_path: Path) -> Path:
    with running_model() as model:
        return write_house(tmp_path, model_url=model.url, api_port=free_port())


def ingest(run: Run, config: Path, id_: str) -> None:
    record = {"type": "interaction", "id": id_, "deployment": "support", "started_at": "2026-11-20T10:00:00Z"}
    log = config.parent / f"{id_}.jsonl"
    log.write_text(json.dumps(record))
    assert run("ingest", log, "--config", config).code == 0


def complete(run: Run, config: Path) -> tuple[str, str]:
    checks = run("check", "--config", config, "--json").document["checks"]
    return next((line["state"], line["sentence"]) for line in checks if line["check"] == "database complete")


def test_an_older_file_put_back_is_reported_until_it_is_acknowledged(config: Path, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "data" / "driftd.duckdb"
    ingest(run, config, "a")
    backup = file.read_bytes()
    assert complete(run, config)[0] == "ok"
    ingest(run, config, "b")
    newest = mark_of(file).read_bytes()
    file.write_bytes(backup)
    assert mark_of(file).read_bytes() == newest
    state, sentence = complete(run, config)
    assert (state, "acknowledged transactions with" in sentence) == ("fail", True)
    assert "missing" in run("alerts", "list", "--config", config).out
    [loss] = run("db", "losses", "--config", config, "--json").document["items"]
    assert (loss["reason"], loss["acknowledged_by"]) == ("fewer", None)
    assert loss["commits"] >= 1
    assert complete(run, config)[0] == "fail"
    done = run("db", "acknowledge", "--note", "restored the backup of Sunday", "--config", config)
    assert done.out == "losses acknowledged: 1\n"
    assert complete(run, config)[0] == "ok"
    [loss] = run("db", "losses", "--config", config, "--json").document["items"]
    assert loss["note"] == "restored the backup of Sunday"
    ingest(run, config, "c")
    assert complete(run, config)[0] == "ok"


def test_a_daemon_whose_log_was_cut_starts_alerts_and_goes_on(config: Path, tmp_path: Path) -> None:
    url, file, log = url_of(config), tmp_path / "data" / "driftd.duckdb", tmp_path / "daemon.log"
    first = served(config, log)
    call = {
        "deployment": "support",
        "started_at": "2026-11-20T10:00:00Z",
        "trace_id": "0af7651916cd43dd8448eb211c80319c",
    }
    httpx.post(f"{url}/api/v1/interactions", json=call).raise_for_status()
    first.kill()
    first.wait()
    log_of(file).write_bytes(log_of(file).read_bytes()[:-1])
    second = served(config, log)
    try:
        assert httpx.get(f"{url}/readyz").json() == {"status": "degraded", "degraded_components": ["database"]}
        assert httpx.post(f"{url}/api/v1/interactions", json=call).status_code == 200
        wait_for(log, "source database")
        assert "level=error logger=monitor.store.engine.watermark" in log.read_text()
        httpx.post(f"{url}/api/v1/losses/acknowledge", json={}).raise_for_status()
        wait_for(log, "RESOLVED")
        assert httpx.get(f"{url}/readyz").json() == {"status": "ok"}
    finally:
        second.send_signal(signal.SIGTERM)
        second.wait(PATIENCE_S)


def served(config: Path, log: Path) -> "subprocess.Popen[str]":
    with log.open("a") as stderr:
        process = subprocess.Popen([*DRIFTD, "serve", "--config", str(config)], stderr=stderr, text=True)
    wait_until_ready(url_of(config), process)
    return process


def wait_for(log: Path, words: str) -> None:
    until = time.monotonic() + PATIENCE_S
    while words not in log.read_text():
        assert time.monotonic() < until, f"{words!r} is not in the log:\n{log.read_text()[-3000:]}"
        time.sleep(0.1)
