"""Results of other tools and a daemon process: uploads by the command, a watched folder, and a kill."""

import json
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import httpx
import pytest
import yaml

from tests.cli.conftest import Run
from tests.cli.test_serve import start, url_of, wait_until_ready
from tests.ingest.results.build import lm_eval, samples
from tests.ports import free_port

ROWS = 120_000
PATIENCE_S = 120.0


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "nightly").mkdir()
    source = {"path": "nightly", "deployment": "bot", "set": "tasks", "every_s": 1, "settle_s": 0}
    tree = {
        "api": {"port": free_port()},
        "ingest": {
            "otlp": {"port": 0},
            "otlp_grpc": {"port": 0},
            "results": {"nightly": source | {"model": "model-a", "file_time": True}},
        },
    }
    path = tmp_path / "driftd.yaml"
    path.write_text(yaml.safe_dump(tree))
    return path


@contextmanager
def served(config: Path, *, kill: bool = False) -> Iterator[str]:
    process = start(config)
    wait_until_ready(url_of(config), process)
    try:
        yield url_of(config)
    finally:
        process.send_signal(signal.SIGKILL if kill else signal.SIGTERM)
        process.communicate(timeout=PATIENCE_S)


def imports(url: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = httpx.get(f"{url}/api/v1/results/imports").raise_for_status().json()["items"]
    return items


def wait_for(url: str, ready: Any) -> dict[str, Any]:
    """Return the newest import as soon as it is ready."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        found = imports(url)
        if found and ready(found[0]):
            return found[0]
        time.sleep(0.02)
    raise AssertionError(f"the import did not come that far: {imports(url)}")


def metrics(url: str, line: str) -> str:
    """Return the metrics as soon as they have this line: an import is counted after its commit."""
    deadline = time.monotonic() + PATIENCE_S
    while line not in (shown := httpx.get(f"{url}/metrics").text):
        assert time.monotonic() < deadline, shown
        time.sleep(0.05)
    return shown


def test_files_are_sent_to_the_daemon_once(config: Path, run: Run, tmp_path: Path) -> None:
    lm_eval(tmp_path / "logs", "n1", 1.0, 0.0)
    order = ("results", "import", tmp_path / "logs" / "results_n1.json", "--deployment", "bot", "--config", config)
    with served(config) as url:
        first = run(*order, "--json")
        assert (first.code, [each["state"] for each in first.document["imports"]]) == (0, ["complete"])
        [found] = first.document["runs"]
        assert (found["set_name"], found["rows"], found["model"], found["state"]) == ("arith", 2, "model-a", "new")
        again = run(*order, "--json").document
        assert [each["id"] for each in again["imports"]] == [each["id"] for each in first.document["imports"]]
        whole = ("results", "import", tmp_path / "logs", "--deployment", "bot", "--url", url)
        sent = run(*whole, "--version", "2", "--no-wait")
        assert (sent.code, "waits; follow it with `driftd results imports`" in sent.out) == (0, True)
        wait_for(url, lambda item: item["state"] == "complete")
        assert [each["state"] for each in imports(url)[0]["runs"]] == ["present"]
        refused = run(*whole, "--set", "a b")
        assert (refused.code, "--set 'a b': use up to 64 letters" in refused.err) == (2, True)
        query = {"deployment": "bot", "filename": "broken.json"}
        httpx.post(f"{url}/api/v1/results", params=query, json={"no": "format"}).raise_for_status()
        wait_for(url, lambda item: item["state"] == "failed")
        listed = run("results", "imports", "--url", url)
        assert listed.out.count("complete") == 2
        assert ("broken.json" in listed.out, "no known format" in listed.out) == (True, True)
    with duckdb.connect(str(tmp_path / "data" / "driftd.duckdb"), read_only=True) as store:
        assert store.execute("SELECT count(*) FROM run").fetchone() == (1,)


def test_a_kill_in_the_middle_of_an_import_costs_nothing_and_repeats_nothing(config: Path, tmp_path: Path) -> None:
    line = samples(True)
    rows = (json.dumps(json.loads(line) | {"task_id": f"T/{n}"}) for n in range(ROWS))
    (tmp_path / "nightly" / "a.jsonl").write_text("\n".join(rows) + "\n")
    with served(config, kill=True) as url:
        begun = wait_for(url, lambda item: item["rows"] > 0)
        assert begun["state"] == "open"
    with served(config) as url:
        ended = wait_for(url, lambda item: item["state"] != "open")
        assert (ended["state"], ended["id"], ended["rows"]) == ("complete", begun["id"], ROWS)
        assert [each["state"] for each in ended["runs"]] == ["continued"]
        assert len(imports(url)) == 1
    with duckdb.connect(str(tmp_path / "data" / "driftd.duckdb"), read_only=True) as store:
        assert store.execute("SELECT count(*), count(DISTINCT case_id) FROM outcome").fetchone() == (ROWS, ROWS)
        assert store.execute("SELECT count(*) FROM run").fetchone() == (1,)
    assert list((tmp_path / "data" / "results-spool").iterdir()) == []


def test_a_nightly_file_of_the_same_name_is_a_night_of_its_own(config: Path, tmp_path: Path) -> None:
    path = tmp_path / "nightly" / "a.jsonl"
    with served(config) as url:
        for night, passed in enumerate((samples(True, True), samples(True, False)), start=1):
            path.write_text(passed)
            wait_for(url, lambda item, night=night: item["state"] == "complete" and len(imports(url)) == night)
        metrics(url, 'driftd_results_imports_total{result="complete",source="nightly"} 2.0')
        shown = metrics(url, 'driftd_results_waiting{source="nightly"} 0.0')  # counted at the next look at the folder
    assert 'driftd_results_rows_total{source="nightly"} 4.0' in shown
    assert 'driftd_results_age_seconds{source="nightly"}' in shown
    with duckdb.connect(str(tmp_path / "data" / "driftd.duckdb"), read_only=True) as store:
        assert store.execute("SELECT state, count(*) FROM run GROUP BY state").fetchall() == [("complete", 2)]
