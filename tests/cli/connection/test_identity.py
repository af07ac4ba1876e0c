"""A command uses the daemon of its own configuration and refuses another daemon on the port."""

import getpass
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.cli.conftest import Run
from tests.cli.daemon import Daemon
from tests.cli.house import running_model, write_house
from tests.cli.items import change
from tests.cli.test_serve import PATIENCE_S, start, url_of, wait_until_ready
from tests.ports import free_port


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The configuration of a running daemon."""
    with running_model() as model:
        path = write_house(tmp_path_factory.mktemp("served"), model_url=model.url, api_port=free_port())
        process = start(path)
        wait_until_ready(url_of(path), process)
        try:
            yield path
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=PATIENCE_S)


@pytest.fixture
def other(served: Path, tmp_path: Path) -> Path:
    """Another configuration with the port of the running daemon."""
    return write_house(tmp_path, model_url="http://127.0.0.1:9/v1", api_port=int(url_of(served).rpartition(":")[2]))


def database_of(config: Path) -> Path:
    return (config.parent / "data" / "driftd.duckdb").resolve()


def revisions(config: Path) -> list[Any]:
    items: list[Any] = httpx.get(f"{url_of(config)}/api/v1/sets").json()["items"]
    return items


@pytest.mark.parametrize(
    "command", [("sets", "import", "primes", "primes.jsonl"), ("alerts", "list"), ("sets", "list")]
)
def test_a_daemon_of_another_configuration_is_refused(
    served: Path, other: Path, run: Run, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(other.parent)
    before = revisions(served)
    result = run(*command, "--config", other)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"the daemon at {url_of(served)} serves another database: {database_of(served)}")
    assert f"configuration {served}" in result.err
    assert f"not {database_of(other)}" in result.err
    assert f"--url {url_of(served)}" in result.err
    assert revisions(served) == before
    assert not database_of(other).exists()


def test_check_fails_at_a_daemon_of_another_configuration(other: Path, served: Path, run: Run) -> None:
    lines = {c["check"]: c for c in run("check", "--config", other, "--json").document["checks"]}
    assert lines["port api"]["state"] == "fail"
    assert str(database_of(served)) in lines["port api"]["sentence"]


def test_a_command_that_writes_names_daemon_and_database(served: Path, run: Run) -> None:
    named = f"daemon {url_of(served)}, database {database_of(served)}\n"
    cases = served.parent / "primes.jsonl"
    assert run("sets", "import", "primes", cases, "--config", served).err == named
    assert run("sets", "import", "primes", cases, "--url", url_of(served)).err == named
    assert run("sets", "list", "--config", served).err == ""


def test_without_a_daemon_a_command_that_writes_names_the_file(run: Run, tmp_path: Path) -> None:
    config = write_house(tmp_path, model_url="http://127.0.0.1:9/v1", api_port=free_port())
    result = run("sets", "import", "primes", tmp_path / "primes.jsonl", "--config", config)
    assert (result.code, result.err) == (0, f"database {database_of(config)}, no daemon\n")


def test_db_info_names_database_and_configuration(served: Path, run: Run) -> None:
    info = run("db", "info", "--config", served, "--json").document["daemon"]
    assert (info["database"], info["config_path"]) == (str(database_of(served)), str(served))
    assert str(database_of(served)) in run("db", "info", "--config", served).out


def test_a_configuration_edited_since_the_start_is_mentioned(served: Path, run: Run) -> None:
    text = served.read_text()
    served.write_text(text + "# edited\n")
    try:
        done = run("sets", "import", "primes", served.parent / "primes.jsonl", "--config", served)
        checked = run("check", "--config", served)
    finally:
        served.write_text(text)
    assert (done.code, "restart it to apply the changes" in done.err) == (0, True)
    assert "restart it to apply the changes" in checked.out


def test_a_decision_is_recorded_under_the_users_name(served: Path, run: Run) -> None:
    cases = served.parent / "primes.jsonl"
    assert run("sets", "import", "primes", cases, "--config", served).code == 0
    done = run("replay", "run", "support", "primes", "--config", served, "--json")
    pinned = run("drift", "pin", done.document["id"], "--config", served, "--json")
    assert pinned.document["who"] == getpass.getuser()
    named = run("drift", "unpin", "support", "primes", "--config", served, "--as", "Jürgen Groß", "--json")
    assert named.code == 0
    again = run("drift", "pin", done.document["id"], "--config", served, "--as", "Jürgen Groß", "--json")
    assert again.document["who"] == "Jürgen Groß"


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 65])
def test_a_name_that_cannot_be_recorded_is_refused(served: Path, run: Run, name: str) -> None:
    result = run("drift", "unpin", "support", "primes", "--config", served, "--as", name)
    assert (result.code, result.out) == (2, "")
    assert "use 1 to 64 printable characters" in result.err


def test_a_daemon_that_names_no_database_is_used_as_before(daemon: Daemon, run: Run) -> None:
    daemon.respond("POST /api/v1/changes", change())
    result = run("changes", "announce", "support", "--model", "m", "--url", daemon.url)
    assert result.code == 0
    assert result.err == f"daemon {daemon.url}\n"
