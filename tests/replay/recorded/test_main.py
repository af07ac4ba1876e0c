import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.replay.recorded.builders import JUNE, PRIMES_FILE, body, primes

COMMAND = [sys.executable, "-m", "replay.recorded"]


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_it_prints_its_address_serves_and_leaves_when_told_to(stop: signal.Signals, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("sesame\n")
    options = ["--data", str(PRIMES_FILE), "--port", "0", "--snapshot", JUNE, "--resample", "0.3", "--seed", "7"]
    with subprocess.Popen(
        [*COMMAND, *options, "--api-key-file", str(key)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().rstrip("\n")
        question = primes().questions[0].question
        headers = {"Authorization": "Bearer sesame"}
        answered = httpx.post(f"{address}/v1/chat/completions", json=body(question), headers=headers, timeout=30)
        process.send_signal(stop)
        rest = process.stdout.read()
    assert address.startswith("http://127.0.0.1:")
    assert (answered.status_code, answered.json()["model"]) == (200, JUNE)
    assert answered.headers["x-recorded-resample"] == "0.3"
    assert (process.returncode, rest) == (0, "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "the following arguments are required: --data"),
        (["--data", "nowhere.jsonl"], "nowhere.jsonl: cannot be read: No such file or directory"),
        (["--data", str(PRIMES_FILE), "--port", "x"], "argument --port: invalid int value: 'x'"),
        (["--data", str(PRIMES_FILE), "--port", "70000"], "port must be between 0 (any free one) and 65535"),
        (
            ["--data", str(PRIMES_FILE), "--snapshot", "gpt-5"],
            "snapshot 'gpt-5' is unknown; known: gpt-4-0314, gpt-4-0613",
        ),
        (["--data", str(PRIMES_FILE), "--resample", "2"], "resample must be a probability between 0 and 1, it is 2.0"),
        (["--data", str(PRIMES_FILE), "--latency-scale", "-1"], "latency-scale must be a number of at least 0"),
        (["--data", str(PRIMES_FILE), "--api-key-file", "nowhere"], "nowhere: the API key cannot be read"),
        (["--data", str(PRIMES_FILE), "--host", "256.0.0.1"], "cannot listen on 256.0.0.1:0"),
    ],
)
def test_a_start_that_cannot_work_is_one_sentence_and_exit_2(options: list[str], message: str) -> None:
    ended = subprocess.run([*COMMAND, *options], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr.startswith("replay.recorded: ")
    assert message in ended.stderr
    assert ended.stderr.count("\n") == 1
