"""`driftd db` with and without a daemon."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from monitor.api.schema import ArrivalsItem, CompactionItem, StatusItem
from tests.cli.conftest import Run
from tests.cli.daemon import Daemon
from tests.cli.house import Model, running_model, write_house
from tests.cli.items import AT, status
from tests.cli.test_serve import PATIENCE_S, start, url_of, wait_until_ready
from tests.ports import free_port
from tests.store.readable import where_on_disk

WORDS = "x8Kq-does-my-neighbour-know-v3Tz"


@pytest.fixture
def model() -> Iterator[Model]:
    with running_model() as found:
        yield found


@pytest.fixture
def config(model: Model, tmp_path: Path) -> Path:
    record = {
        "type": "interaction",
        "id": "a",
        "deployment": "support",
        "started_at": "2026-11-20T10:00:00Z",
        "user_id": "anna",
        "request": {"model": "gpt-4", "messages": [{"role": "user", "content": WORDS}]},
        "response": {"model": "gpt-4-0314", "messages": [{"role": "assistant", "content": "hi"}]},
    }
    (tmp_path / "log.jsonl").write_text(json.dumps(record))
    return write_house(tmp_path, model_url=model.url, api_port=free_port())


def compaction(**fields: object) -> CompactionItem:
    known = {"id": "compaction-1", "kind": "erase", "at": AT, "who": "local", "removed": {}, "compacted_at": None}
    return CompactionItem.model_validate({**known, **fields})


def test_without_a_daemon_the_command_opens_and_compacts_the_file(config: Path, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "data" / "driftd.duckdb"
    assert run("ingest", tmp_path / "log.jsonl", "--config", config).code == 0
    assert where_on_disk(file, WORDS)
    erased = run("db", "erase", "--user", "anna", "--yes", "--config", config, "--json")
    assert (erased.code, erased.document["removed"]) == (0, {"interaction": 1})
    assert erased.document["compacted_at"] is not None
    assert where_on_disk(file, WORDS) == set()
    again = run("db", "erase", "--user", "anna", "--yes", "--config", config)
    assert again.out.startswith("no data of this user was stored\nthe file was compacted at ")
    assert run("db", "compact", "--config", config).out.startswith("the file was compacted at ")
    listed = run("db", "compactions", "--config", config, "--json").document["items"]
    assert [item["kind"] for item in listed] == ["compact", "erase", "erase"]


def test_a_running_daemon_erases_and_the_command_waits_for_the_new_file(config: Path, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "data" / "driftd.duckdb"
    process = start(config)
    wait_until_ready(url_of(config), process)
    try:
        assert run("ingest", tmp_path / "log.jsonl", "--config", config).code == 0
        assert where_on_disk(file, WORDS)
        erased = run("db", "erase", "--user", "anna", "--yes", "--config", config)
        assert erased.code == 0
        assert "interaction  1" in erased.out
        assert where_on_disk(file, WORDS) == set()
    finally:
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert "compacting" in err
    assert "anna" not in err


def test_who_sends_and_is_watched_by_no_one_is_named(daemon: Daemon, run: Run) -> None:
    daemon.respond("GET /api/v1/status", status().model_copy(update={"unmonitored": {"helper": 12}}))
    assert "unmonitored service: helper  calls of the last day: 12" in run("db", "info", "--url", daemon.url).out


def test_values_that_could_not_be_read_are_named(daemon: Daemon, run: Run) -> None:
    seen = {"unread": {"gen_ai.request.max_tokens": 3}, "unread_since": AT}
    daemon.respond("GET /api/v1/status", status().model_copy(update=seen))
    line = f"unread gen_ai.request.max_tokens  3 since {AT:%Y-%m-%d %H:%M:%SZ}"
    assert line in run("db", "info", "--url", daemon.url).out


def test_dead_letters_are_listed_with_the_reason(config: Path, run: Run, tmp_path: Path) -> None:
    assert run("changes", "announce", "support", "--model", "m", "--config", config).code == 0
    (tmp_path / "log.jsonl").write_text('{"type": "interaction", "hello": 1}')
    assert run("db", "dead-letters", "--config", config).out == "no dead letters\n"
    assert run("ingest", tmp_path / "log.jsonl", "--config", config).code == 1
    listed = run("db", "dead-letters", "--config", config)
    assert listed.code == 0
    assert "malformed" in listed.out
    assert "field 'hello' is unknown" in listed.out
    (item,) = run("db", "dead-letters", "--config", config, "--json").document["items"]
    assert item["code"] == "malformed"


def test_no_one_can_be_asked_without_a_terminal(daemon: Daemon, run: Run) -> None:
    refused = run("db", "erase", "--user", "anna", "--url", daemon.url)
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == "an erasure cannot be undone; add --yes to confirm without a terminal\n"
    assert daemon.writes == []


def test_an_empty_user_is_refused(daemon: Daemon, run: Run) -> None:
    assert run("db", "erase", "--user", " ", "--yes", "--url", daemon.url).code == 2
    assert daemon.writes == []


def test_the_user_goes_in_the_body_and_never_into_an_address(daemon: Daemon, run: Run) -> None:
    daemon.respond("POST /api/v1/compactions", compaction(compacted_at=AT), status=202)
    assert run("db", "erase", "--user", "anna", "--yes", "--url", daemon.url).code == 0
    (sent,) = daemon.writes
    assert sent.body == {"erase_user": "anna"}
    assert not any("anna" in asked.path or "anna" in str(asked.query) for asked in daemon.asked)


def test_the_command_reports_a_file_that_cannot_be_compacted_now_and_does_not_wait(daemon: Daemon, run: Run) -> None:
    stuck: StatusItem = status().model_copy(update={"loops": {"retention": "retrying: no room"}})
    daemon.respond("POST /api/v1/compactions", compaction(), status=202)
    daemon.respond("GET /api/v1/status", stuck)
    left = run("db", "erase", "--user", "anna", "--yes", "--url", daemon.url)
    assert left.code == 1
    assert left.err.splitlines()[-1] == "the rows are removed, but their bytes are still in the file; retrying: no room"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to any file")
def test_a_read_only_file_is_one_sentence(config: Path, run: Run, tmp_path: Path) -> None:
    assert run("db", "info", "--config", config).code == 0
    file = tmp_path / "data" / "driftd.duckdb"
    file.chmod(0o444)
    refused = run("db", "info", "--config", config)
    assert (refused.code, refused.out, len(refused.err.splitlines())) == (2, "", 1)
    assert refused.err.startswith(f"store.path: {file} is read-only")


def test_the_database_reports_how_many_calls_arrived(daemon: Daemon, run: Run) -> None:
    came = ArrivalsItem(deployment="support", last_minute=3, last_hour=40, last_day=900, last_at=AT)
    wrong = ArrivalsItem(deployment="off", last_minute=0, last_hour=0, last_day=4, clock_ahead=2, last_at=AT)
    never = ArrivalsItem(deployment="helper", last_minute=0, last_hour=0, last_day=0, last_at=None)
    daemon.respond("GET /api/v1/status", status().model_copy(update={"arrivals": [came, wrong, never]}))
    out = run("db", "info", "--url", daemon.url).out
    assert "3 in the last minute, 40 in the last hour, 900 in the last day; last at 2026-11-21 02:00:00Z" in out
    assert "4 in the last day; last at 2026-11-21 02:00:00Z; 2 with a clock more than one day ahead" in out
    assert "calls of helper   none" in out


def test_a_dead_letter_is_shown_retried_with_a_correction_and_discarded(config: Path, run: Run, tmp_path: Path) -> None:
    good = json.loads((tmp_path / "log.jsonl").read_text())
    broken = [{**good, "id": name, "hello": 1} for name in ("b", "c")]
    (tmp_path / "broken.jsonl").write_text("\n".join(json.dumps(each) for each in broken))
    run("ingest", tmp_path / "broken.jsonl", "--config", config)
    listed = run("db", "dead-letters", "--config", config, "--json").document["items"]
    first, second = (item["id"] for item in listed)
    shown = run("db", "dead-letters", first, "--config", config)
    assert '"hello": 1' in shown.out
    assert f"driftd db retry {first}" in shown.out

    refused = run("db", "retry", first, "--config", config)
    assert refused.code != 0
    assert "still invalid" in refused.err
    (tmp_path / "fixed.json").write_text(json.dumps(good))
    done = run("db", "retry", first, "--record", tmp_path / "fixed.json", "--config", config)
    assert done.out == f"{first}: interaction a is stored; the dead letter is removed\n"
    assert run("db", "discard", second, "--config", config).out == f"removed {second}\n"
    assert run("db", "dead-letters", "--config", config, "--json").document["items"] == []
