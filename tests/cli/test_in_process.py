"""Commands with the real application in this process: no daemon runs, the file is opened and closed."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from replay.evalsets.sealing import key_text
from tests.cli.conftest import Run
from tests.cli.house import CASES, Model, running_model, write_house
from tests.cli.result import Result
from tests.ports import free_port

Drive = Callable[..., Result]
HOLD = "import duckdb, sys; held = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"


@pytest.fixture
def model() -> Iterator[Model]:
    with running_model() as found:
        yield found


@pytest.fixture
def drive(run: Run, model: Model, tmp_path: Path) -> Drive:
    """Run a command with a configuration whose daemon does not run."""
    config = write_house(tmp_path, model_url=model.url, api_port=free_port())
    return lambda *arguments: run(*arguments, "--config", config)


@pytest.fixture
def house(drive: Drive, tmp_path: Path) -> Drive:
    """The same with an imported set."""
    assert drive("sets", "import", "primes", tmp_path / "primes.jsonl").code == 0
    return drive


def test_a_model_that_got_worse_is_found(house: Drive, model: Model) -> None:
    before = house("replay", "run", "support", "primes", "--json")
    assert (before.code, before.document["pass_rate"]) == (0, 1.0)
    model.name, model.answer = "gpt-4-0613", "no"
    after = house("replay", "run", "support", "primes", "--json")
    assert (after.code, after.document["pass_rate"]) == (0, 0.0)

    compared = house("compare", before.document["id"], after.document["id"])
    assert compared.code == 1
    assert "100.0 % to 0.0 %" in compared.out
    assert house("compare", before.document["id"], before.document["id"]).code == 0

    (finding,) = [f for f in house("drift", "list", "--json").document["items"] if f["verdict"] == "regression"]
    assert "40 to fail, 0 to pass" in house("drift", "show", finding["id"]).out
    (alert,) = house("alerts", "list", "--json").document["items"]
    assert alert["state"] == "firing"
    assert "console" in house("alerts", "show", alert["id"]).out
    assert len(model.questions) == 2 * CASES
    steer(house, alert["id"])


def steer(house: Drive, alert: str) -> None:
    """Acknowledge, judge, silence and resolve the alert, as a person on call does."""
    seen = house("alerts", "ack", alert, "--note", "mine", "--as", "ada").out
    assert seen.startswith(f"{alert}: firing, acknowledged by ada")
    assert "firing, acknowledged" in house("alerts", "list", "--state", "open").out
    assert house("alerts", "unack", alert).code == 0
    assert house("alerts", "unack", alert).code == 1
    assert "judged expected by ada" in house("alerts", "verdict", alert, "expected", "--as", "ada").out
    (rule,) = [r for r in house("alerts", "rules", "--json").document["items"] if r["fired"]]
    assert (rule["judged_expected"], rule["precision"]) == (1, 1.0)
    silence = ("alerts", "silence", "deployment=support", "--comment", "planned", "--for", "2h")
    assert alert in house(*silence, "--preview").out
    assert house("alerts", "silences").out == "no silence yet\n"
    made = house(*silence, "--json").document
    assert "silenced until" in house("alerts", "show", alert).out
    assert "active" in house("alerts", "silences").out
    assert house("alerts", "expire", made["id"], "--as", "ada").out.startswith(f"{made['id']}: expired, by ada")
    assert house("alerts", "resolve", alert, "--note", "rolled back").code == 0
    page = house("alerts", "show", alert).out
    for event in ("pending", "firing", "acknowledged", "unacknowledged", "verdict", "resolved"):
        assert event in page
    assert house("alerts", "list", "--state", "open").out == "no alert yet\n"
    assert house("alerts", "test", "--receiver", "console").code == 0
    unknown = house("alerts", "test", "--receiver", "nobody")
    assert unknown.code == 2
    assert "'nobody'" in unknown.err


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--comment", "x"), "give --for or --until: a silence must have an end"),
        (("--comment", "x", "--for", "2h", "--until", "2026-11-22T00:00:00+0000"), "give --for or --until"),
        (("--comment", "x", "--for", "soon"), "--for 'soon' is not a length; write for example 30m, 2h, 3d or 1w"),
    ],
)
def test_a_silence_must_have_an_end(house: Drive, arguments: tuple[str, ...], reason: str) -> None:
    result = house("alerts", "silence", "deployment=support", *arguments)
    assert result.code == 2
    assert reason in result.err


def test_an_import_shows_in_the_list_and_comes_once(house: Drive, tmp_path: Path) -> None:
    assert "already there" in house("sets", "import", "primes", tmp_path / "primes.jsonl").out
    (shown,) = house("sets", "list", "--json").document["items"]
    assert (shown["cases"], shown["sealed"]) == (CASES, True)
    assert house("sets", "show", "primes").out.splitlines()[-1].split() == ["prime", str(CASES)]


def write_log(folder: Path) -> Path:
    """Write one interaction and one invalid line."""
    record = {
        "type": "interaction",
        "id": "a",
        "deployment": "support",
        "started_at": "2026-11-20T10:00:00Z",
        "request": {"model": "gpt-4", "messages": [{"role": "user", "content": "hello"}]},
        "response": {"model": "gpt-4-0314", "messages": [{"role": "assistant", "content": "hi"}]},
    }
    path = folder / "log.jsonl"
    path.write_text(json.dumps(record) + '\n{"type":"interaction"}\n')
    return path


def test_records_of_a_file_are_stored_once(house: Drive, tmp_path: Path) -> None:
    path = write_log(tmp_path)
    first, second = house("ingest", path, "--json"), house("ingest", path, "--json")
    assert (first.code, first.document["accepted"], first.document["duplicates"]) == (1, 1, 0)
    assert (second.document["accepted"], second.document["duplicates"]) == (0, 1)
    assert first.document["rejected"][0]["line"] == 2
    assert house("db", "info", "--json").document["dead_letters"] == 1


def test_a_read_command_starts_no_replay_and_resume_runs_what_is_due(house: Drive, model: Model) -> None:
    house("changes", "announce", "support", "--model", "gpt-4-0314")
    house("replay", "run", "support", "primes")
    assert house("changes", "announce", "support", "--model", "gpt-4-0613").code == 0
    assert house("changes", "list", "--json").document["items"][0]["how"] == "announced"
    assert len(house("replay", "list", "--json").document["items"]) == 1
    assert len(model.questions) == CASES
    resumed = house("replay", "resume", "--json")
    assert [(r["trigger"], r["state"]) for r in resumed.document["items"]] == [("change", "complete")]
    repeats = CASES // 10  # `drift.repeat_share`: after a change, some cases are replayed once more
    assert len(model.questions) == 2 * CASES + repeats


def test_an_unreachable_target_fails_the_run_with_a_sentence(house: Drive, run: Run, tmp_path: Path) -> None:
    config = write_house(tmp_path, model_url="http://127.0.0.1:9/v1", api_port=free_port())
    result = run("replay", "run", "support", "primes", "--config", config, "--json")
    assert (result.code, result.document["state"]) == (1, "failed")
    assert "http://127.0.0.1:9/v1" in result.document["error"]
    assert run("replay", "run", "support", "primes", "--config", config).code == 1


def test_a_wrong_key_fails_the_run_with_a_sentence(house: Drive, tmp_path: Path, model: Model) -> None:
    (tmp_path / "primes.key").write_text(key_text(bytes(32)))
    result = house("replay", "run", "support", "primes")
    assert result.code == 1
    assert "give the key file this set was imported with" in result.out
    assert model.questions == []


def test_a_key_that_is_none_stops_before_the_file_is_opened(drive: Drive, tmp_path: Path) -> None:
    (tmp_path / "primes.key").write_text("not a key")
    result = drive("replay", "list")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("driftd.yaml line 16: sets.primes.key: a key must be 32 raw bytes")
    assert "not a key" not in result.err
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("replay", "run", "support", "primse"), "deployment 'support': eval set 'primse' is unknown; known: primes\n"),
        (("replay", "run", "suport", "primes"), "deployment 'suport' is unknown; known: support\n"),
        (("changes", "announce", "suport", "--model", "m"), "deployment 'suport' is unknown; known: support\n"),
        (("sets", "show", "primse"), "eval set 'primse' is unknown; known: primes\n"),
        (("replay", "show", "run-x"), "run 'run-x' is unknown; `driftd replay list` lists all\n"),
    ],
)
def test_an_unknown_name_is_one_sentence(house: Drive, arguments: tuple[str, ...], sentence: str) -> None:
    result = house(*arguments)
    assert (result.code, result.out, result.err) == (2, "", sentence)


def test_a_set_of_no_configuration_cannot_be_imported(drive: Drive, tmp_path: Path) -> None:
    result = drive("sets", "import", "primse", tmp_path / "primes.jsonl")
    assert (result.code, result.err) == (2, "eval set 'primse' is unknown; known: primes\n")


def test_a_set_without_cases_cannot_be_replayed(drive: Drive) -> None:
    result = drive("replay", "run", "support", "primes")
    assert result.code == 1
    assert "has no cases" in result.err


def test_a_locked_file_without_an_api_is_one_sentence(house: Drive, tmp_path: Path) -> None:
    file = tmp_path / "data" / "driftd.duckdb"
    with subprocess.Popen([sys.executable, "-c", HOLD, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        result = house("db", "info")
        holder.communicate()
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"{file} is in use by another process")
    assert len(result.err.splitlines()) == 1


def test_without_a_daemon_no_token_is_asked_for(house: Drive, tmp_path: Path) -> None:
    config = tmp_path / "driftd.yaml"
    token = "tokens: [{name: ci, sha256: " + "a" * 64 + ", roles: [read]}]"
    config.write_text(config.read_text().replace("api:\n", f"api:\n  {token}\n"))
    assert house("replay", "list").out == "no run yet\n"
    assert house("db", "info").out.splitlines()[0].endswith("not running; status of the file")


def test_a_set_larger_than_a_request_may_be_is_imported(drive: Drive, tmp_path: Path) -> None:
    lines = [json.dumps({"id": f"c{n}", "input": "x" * 200_000, "references": ["yes"]}) for n in range(90)]
    (tmp_path / "large.jsonl").write_text("\n".join(lines))
    done = drive("sets", "import", "primes", tmp_path / "large.jsonl", "--json")
    assert (done.code, done.document["cases"]) == (0, 90)
