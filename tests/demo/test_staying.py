"""Without `--once` the demo stays: daemon and dashboard answer until it is told to end; then nothing is left."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic
from typing import IO

import httpx
import pytest

pytestmark = [pytest.mark.xdist_group("demo"), pytest.mark.timeout(600)]
DRIFTD = Path(sys.executable).parent / "driftd"


def read_until(stream: IO[str], needle: str, seconds: float) -> str:
    """The lines of the stream up to the one that holds `needle`."""
    lines, deadline = [], monotonic() + seconds
    for line in stream:
        lines.append(line)
        if needle in line or monotonic() > deadline:
            break
    return "".join(lines)


def test_it_stays_until_it_is_told_to_end_and_leaves_nothing(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path), "COLUMNS": "200"}
    with subprocess.Popen(
        [DRIFTD, "demo"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment
    ) as demo:
        assert demo.stderr is not None
        told = read_until(demo.stderr, "Ctrl-C ends", 500)
        addresses = re.findall(r"http://127\.0\.0\.1:\d+", told.partition("the daemon runs on")[2])
        api, _, dashboard = addresses[:3]
        assert httpx.get(f"{api}/healthz").json() == {"status": "ok"}
        transport = httpx.HTTPTransport(retries=8)  # Streamlit takes a few seconds to listen
        with httpx.Client(transport=transport) as client:
            assert client.get(f"{dashboard}/_stcore/health").text == "ok"
        demo.send_signal(signal.SIGINT)
        demo.stderr.read()
        assert demo.wait(60) == 0
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{dashboard}/_stcore/health")
    assert list(tmp_path.iterdir()) == []
