"""The dashboard as people see it: `streamlit run` in its own process, looked at by the system's Chromium."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

import dashboards

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
READY_S = 60.0


def chromium() -> str:
    """The system's Chromium; without one the test is skipped on a desk and fails in CI."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is not None:
        return found
    if os.environ.get("CI"):
        pytest.fail("no chromium on this machine; CI needs one for the screen tests")
    pytest.skip("no chromium on this machine; the screens are not looked at")


@contextlib.contextmanager
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        try:
            yield opened
        finally:
            opened.close()


@contextlib.contextmanager
def dashboard(daemon_url: str, token_file: Path | None = None) -> Iterator[str]:
    """The address of a running dashboard that looks at `daemon_url`; started as docs say, from another folder."""
    token = ["--token-file", str(token_file)] if token_file is not None else []
    port = _free_port()
    page = Path(dashboards.__file__).parent / "app.py"
    options = ["--server.address=127.0.0.1", f"--server.port={port}"]
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", str(page), *options, "--", "--url", daemon_url, *token],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    said: list[str] = []
    ready = threading.Event()
    reader = threading.Thread(target=_read, args=(process, said, ready), name="dashboard-output")
    reader.start()
    try:
        if not ready.wait(READY_S):
            pytest.fail(f"the dashboard did not start within {READY_S:g} s: {''.join(said)}")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=15)
        reader.join(timeout=15)


def _read(process: "subprocess.Popen[str]", said: list[str], ready: threading.Event) -> None:
    """Keep what the dashboard says; it has begun to listen when it names its address."""
    assert process.stdout is not None
    with process.stdout:
        for line in process.stdout:
            said.append(line)
            if "URL:" in line:
                ready.set()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
