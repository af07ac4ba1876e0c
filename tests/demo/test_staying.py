"""Without `--once`, the demo keeps running: daemon and dashboard answer until it is stopped; then nothing remains."""

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
    """Return the lines of the stream up to the one that contains `needle`."""
    lines, deadline = [], monotonic() + seconds
    for line in stream:
        lines.append(line)
        if needle in line or monotonic() > deadline:
            break
    return "".join(lines)


def assert_the_answers_can_be_revealed(told: str, api: str) -> None:
    """Reveal a sealed answer with the token and the two runs of the demo: the new model says no to a prime."""
    [baseline, candidate] = re.findall(r"compare\?baseline=([\w-]+)&candidate=([\w-]+)", told)[0]
    [path] = re.findall(r"role reveal: (\S+)", told)
    token = {"Authorization": f"Bearer {Path(path).read_text()}"}
    runs = {"baseline": baseline, "candidate": candidate}
    assert httpx.get(f"{api}/api/v1/comparisons", params=runs).status_code == 401
    said_no = {**runs, "category": "prime", "failure_category": "missed_prime", "limit": "1"}
    [flip] = httpx.get(f"{api}/api/v1/comparisons/flips", params=said_no, headers=token).json()["items"]
    case = {**runs, "case_id": flip["case_id"], "reveal": "true"}
    shown = httpx.get(f"{api}/api/v1/comparisons/case", params=case, headers=token).json()
    assert "[yes]" in shown["baseline"]["outcomes"][0]["text"].lower()
    assert "[no]" in shown["candidate"]["outcomes"][0]["text"].lower()


def test_it_stays_until_it_is_reported_to_end_and_leaves_nothing(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path), "COLUMNS": "200"}
    with subprocess.Popen(
        [DRIFTD, "demo"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment
    ) as demo:
        assert demo.stderr is not None
        try:
            told = read_until(demo.stderr, "Ctrl-C stops", 500)
            addresses = re.findall(r"http://127\.0\.0\.1:\d+", told.partition("the daemon runs on")[2])
            api, _, dashboard = addresses[:3]
            assert httpx.get(f"{api}/healthz").json() == {"status": "ok"}
            transport = httpx.HTTPTransport(retries=8)  # Streamlit takes a few seconds to listen
            with httpx.Client(transport=transport) as client:
                assert client.get(f"{dashboard}/_stcore/health").text == "ok"
            assert_the_answers_can_be_revealed(told, api)
        finally:
            demo.send_signal(signal.SIGINT)
            demo.stderr.read()
            code = demo.wait(60)
    assert code == 0
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{dashboard}/_stcore/health")
    assert list(tmp_path.iterdir()) == []
