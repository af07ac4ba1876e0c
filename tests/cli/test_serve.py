"""`driftd serve` as a process, and the commands that use it."""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import httpx
import pytest

from tests.cli.conftest import Run
from tests.cli.house import CASES, Model, running_model, write_house
from tests.ports import free_port

DRIFTD = (sys.executable, "-c", "from monitor.cli.main import main; main()")
PATIENCE_S = 60.0


@pytest.fixture
def model() -> Iterator[Model]:
    with running_model() as found:
        yield found


@pytest.fixture
def config(model: Model, tmp_path: Path) -> Path:
    return write_house(tmp_path, model_url=model.url, api_port=free_port())


def start(config: Path, *options: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*DRIFTD, "serve", "--config", str(config), *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_until_ready(url: str, process: "subprocess.Popen[str]") -> None:
    """Wait until the daemon answers; it opens its port last."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            httpx.get(f"{url}/readyz", timeout=1).raise_for_status()
        except httpx.HTTPError:
            time.sleep(0.05)
        else:
            return
    process.kill()
    pytest.fail(f"the daemon did not come up: {process.communicate()}")


def url_of(config: Path) -> str:
    return f"http://127.0.0.1:{config.read_text().split('port: ')[1].split()[0]}"


def test_commands_go_through_the_daemon_that_owns_the_file(config: Path, run: Run, tmp_path: Path) -> None:
    process = start(config)
    wait_until_ready(url_of(config), process)
    try:
        assert run("sets", "import", "primes", tmp_path / "primes.jsonl", "--config", config).code == 0
        done = run("replay", "run", "support", "primes", "--config", config, "--json")
        assert (done.code, done.document["scored"], done.document["pass_rate"]) == (0, CASES, 1.0)
        assert done.err.splitlines()[-1] == f"support primes: {CASES} of {CASES}"
        by_url = run("replay", "list", "--url", url_of(config), "--json").document["items"]
        assert [r["id"] for r in by_url] == [done.document["id"]]
        assert "loop replay" in run("db", "info", "--config", config).out
    finally:
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out) == (0, "")
    assert "driftd serves the API on" in err
    assert "Traceback" not in err


def test_a_daemon_with_tokens_asks_for_one(config: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("open sesame")
    (tmp_path / "wrong").write_text("open barley")
    tokens = "tokens: [{name: ci, token_file: token, roles: [read]}]"
    config.write_text(config.read_text().replace("api:\n", f"api:\n  {tokens}\n"))
    process = start(config)
    wait_until_ready(url_of(config), process)
    try:
        assert run("replay", "list", "--config", config, "--token-file", tmp_path / "token").code == 0
        for arguments in ((), ("--token-file", tmp_path / "wrong")):
            refused = run("replay", "list", "--config", config, *arguments)
            assert (refused.code, refused.out, len(refused.err.splitlines())) == (2, "", 1)
            assert "--token-file" in refused.err
        forbidden = run("replay", "run", "support", "primes", "--config", config, "--token-file", tmp_path / "token")
        assert forbidden.code == 2
        assert "operate" in forbidden.err
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0


def test_a_port_in_use_stops_the_start_with_a_sentence(config: Path, model: Model) -> None:
    taken = model.url.split(":")[2].removesuffix("/v1")
    config.write_text(config.read_text().replace(url_of(config).rpartition(":")[2], taken))
    process = start(config)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out) == (2, "")
    assert f"\napi: cannot listen on 127.0.0.1:{taken}" in err  # after the line of the log about open files
    assert "Traceback" not in err


def test_the_log_is_one_line_a_record_on_standard_error_and_can_be_quiet(config: Path) -> None:
    process = start(config, "--log-level", "warning")
    wait_until_ready(url_of(config), process)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=PATIENCE_S) == ("", "")
    assert process.returncode == 0
    process = start(config)
    wait_until_ready(url_of(config), process)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert [line for line in err.splitlines() if not line.startswith("at=20")] == []
    assert 'level=info logger=monitor.daemon msg="driftd stops its sources, writer, loops and store"' in err


def test_a_file_that_another_process_owns_stops_the_start_with_a_sentence(config: Path) -> None:
    first = start(config)
    wait_until_ready(url_of(config), first)
    try:
        second = start(config)
        out, err = second.communicate(timeout=PATIENCE_S)
        assert (second.returncode, out, len(err.splitlines())) == (2, "", 1)
        assert "is in use by another process" in err
    finally:
        first.send_signal(signal.SIGTERM)
        first.communicate(timeout=PATIENCE_S)
    assert first.returncode == 0


def test_a_level_or_a_configuration_that_does_not_exist_is_bad_usage(config: Path, tmp_path: Path) -> None:
    for arguments in ((config, "--log-level", "loud"), (tmp_path / "nothing.yaml",)):
        process = start(*arguments)
        out, _ = process.communicate(timeout=PATIENCE_S)
        assert (process.returncode, out) == (2, "")


def test_a_loop_that_crashes_ends_the_daemon_with_1_and_names_where(config: Path, tmp_path: Path) -> None:
    """The test drops a table, as an example of any bug in a loop."""
    process = start(config)
    wait_until_ready(url_of(config), process)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE_S)
    [file] = tmp_path.rglob("*.duckdb")
    with duckdb.connect(file) as connection:
        connection.execute("DROP TABLE notification")
    process = start(config)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out) == (1, "")
    # every loop that reads the table may be the first
    assert re.search(
        r'level=error logger=monitor.supervisor msg="loop (alerts|notify-\S+) crashed" error="Traceback', err
    )
    assert [line for line in err.splitlines() if not line.startswith("at=20")] == []
