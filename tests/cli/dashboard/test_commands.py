"""`driftd dashboard` and `driftd serve --dashboard` as processes, tested over HTTP and WebSocket handshakes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from dashboards.server import arguments, options
from monitor.cli.dashboard.supervisor import pause_after
from tests.cli.conftest import Run
from tests.cli.daemon import Daemon
from tests.cli.house import write_house
from tests.cli.test_serve import DRIFTD, PATIENCE_S, start, url_of, wait_until_ready
from tests.ports import free_port

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return write_house(
        tmp_path,
        model_url="http://127.0.0.1:9/v1",
        api_port=free_port(),
        otlp_port=free_port(),
        grpc_port=free_port(),
    )


@pytest.fixture
def started() -> Iterator[Callable[..., "subprocess.Popen[str]"]]:
    """Start commands, and stop those that a failed test left running."""
    processes: list[subprocess.Popen[str]] = []

    def call(*arguments: object) -> "subprocess.Popen[str]":
        process = subprocess.Popen([*DRIFTD, *map(str, arguments)], stderr=subprocess.PIPE, text=True)
        processes.append(process)
        return process

    yield call
    for process in processes:
        process.kill()
        process.communicate()


def wait_for(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if condition():
            return
        time.sleep(0.1)
    pytest.fail(f"{what} did not happen within {PATIENCE_S:g} s")


def is_up(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/_stcore/health", timeout=1).text == "ok"
    except httpx.HTTPError:
        return False


def page_process(port: int) -> int:
    """Return the dashboard process at `port`, found by its command line."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"dashboards.server" in words and str(port).encode() in words:
                return int(entry.name)
    pytest.fail(f"no process serves the pages at {port}")


def handshake(port: int, origin: str) -> int:
    """Return the status of a WebSocket handshake from a page of `origin`."""
    headers = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Origin": origin,
    }
    with httpx.stream("GET", f"http://127.0.0.1:{port}/_stcore/stream", headers=headers, timeout=10) as response:
        return response.status_code


def test_the_pages_of_a_daemon_are_served_until_the_signal(
    config: Path, started: Callable[..., "subprocess.Popen[str]"]
) -> None:
    port = free_port()
    daemon = start(config)
    wait_until_ready(url_of(config), daemon)
    try:
        pages = started("dashboard", "--config", config, "--port", port)
        wait_for(lambda: is_up(port), "the start of the pages")
        assert httpx.get(f"http://127.0.0.1:{port}/").status_code == 200
        assert handshake(port, f"http://127.0.0.1:{port}") == 101
        assert handshake(port, "http://attacker.example") == 403
        pages.send_signal(signal.SIGINT)
        _, err = pages.communicate(timeout=PATIENCE_S)
    finally:
        daemon.send_signal(signal.SIGTERM)
        daemon.communicate(timeout=PATIENCE_S)
    assert pages.returncode == 0
    assert f"dashboard: http://127.0.0.1:{port} (daemon {url_of(config)})" in err
    assert not is_up(port)


def test_a_command_that_is_killed_leaves_no_pages_behind(
    config: Path, started: Callable[..., "subprocess.Popen[str]"]
) -> None:
    port = free_port()
    pages = started("dashboard", "--url", url_of(config), "--port", port)
    wait_for(lambda: is_up(port), "the start of the pages")
    pages.kill()
    wait_for(lambda: not is_up(port), "the end of the pages")


def test_serve_runs_restarts_and_stops_the_pages(config: Path, started: Callable[..., "subprocess.Popen[str]"]) -> None:
    port = free_port()
    serving = started("serve", "--config", config, "--dashboard", "--dashboard-port", port)
    wait_until_ready(url_of(config), serving)
    wait_for(lambda: is_up(port), "the start of the pages")
    first = page_process(port)
    os.kill(first, signal.SIGKILL)
    wait_for(lambda: is_up(port) and page_process(port) != first, "the restart of the pages")
    serving.send_signal(signal.SIGTERM)
    _, err = serving.communicate(timeout=PATIENCE_S)
    assert serving.returncode == 0
    assert "the dashboard exited with code -9; restart in 1 s" in err
    assert f"the dashboard listens on http://127.0.0.1:{port}" in err
    assert [line for line in err.splitlines() if not line.startswith("at=20")] == []
    assert not is_up(port)


def test_a_daemon_that_is_killed_leaves_no_pages_behind(
    config: Path, started: Callable[..., "subprocess.Popen[str]"]
) -> None:
    port = free_port()
    serving = started("serve", "--config", config, "--dashboard", "--dashboard-port", port)
    wait_for(lambda: is_up(port), "the start of the pages")
    serving.kill()
    wait_for(lambda: not is_up(port), "the end of the pages")


def test_a_port_in_use_is_one_sentence(daemon: Daemon, run: Run, config: Path) -> None:
    taken = daemon.url.rpartition(":")[2]
    for command in (
        ("dashboard", "--url", daemon.url, "--port", taken),
        ("serve", "--dashboard", "--dashboard-port", taken, "--config", config),
    ):
        result = run(*command)
        assert (result.code, result.out) == (2, "")
        assert f"the dashboard cannot listen on 127.0.0.1:{taken}" in result.err.splitlines()[-1]


def test_a_shared_token_needs_consent_on_other_addresses_than_loopback(run: Run, config: Path) -> None:
    (config.parent / "token").write_text("a-token")
    token = config.parent / "token"
    for command in (
        ("dashboard", "--config", config, "--token-file", token, "--host", "0.0.0.0"),
        ("serve", "--dashboard", "--dashboard-host", "0.0.0.0", "--config", config, "--dashboard-token-file", token),
    ):
        result = run(*command)
        assert (result.code, result.out) == (2, "")
        assert "everyone who can reach the dashboard has the roles of this token" in result.err
        assert "--without-login" in result.err


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--without-login",), "name the file as well"),
        (("--oidc-issuer", "https://id.example"), "belong together"),
        (
            ("--oidc-issuer", "https://id.example", "--oidc-client-id", "d", "--oidc-client-secret-file", "none"),
            "cannot be read",
        ),
    ],
)
def test_half_a_login_is_refused(run: Run, options: tuple[str, ...], problem: str) -> None:
    result = run("dashboard", "--url", "http://127.0.0.1:9", *options)
    assert (result.code, result.out) == (2, "")
    assert problem in result.err


def test_a_provider_needs_an_address_to_return_to(run: Run, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s")
    provider = ("--oidc-issuer", "https://id.example", "--oidc-client-id", "d")
    secret = ("--oidc-client-secret-file", tmp_path / "secret")
    result = run("dashboard", "--url", "http://127.0.0.1:9", "--host", "0.0.0.0", *provider, *secret)
    assert result.code == 2
    assert "the login cannot return to http://0.0.0.0:8501; set the address of the dashboard" in result.err


def test_what_is_no_address_of_a_daemon_is_refused(run: Run) -> None:
    result = run("dashboard", "--url", "localhost:8400")
    assert (result.code, "invalid address" in result.err) == (2, True)


def test_the_pages_send_no_telemetry_and_check_origins() -> None:
    given = options(arguments(["--host=127.0.0.1", "--port=8501"]))
    assert given["browser.gatherUsageStats"] is False
    assert given["server.headless"] is True
    assert given["server.enableCORS"] is True
    assert given["server.enableXsrfProtection"] is True


def test_a_dashboard_that_keeps_dying_is_started_ever_more_seldom() -> None:
    pauses: list[float] = []
    for _ in range(9):
        pauses.append(pause_after(0.5, pauses[-1] if pauses else None))
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert pause_after(61.0, 60.0) == 1.0


def test_the_module_needs_an_address() -> None:
    done = subprocess.run([sys.executable, "-m", "dashboards.server"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
