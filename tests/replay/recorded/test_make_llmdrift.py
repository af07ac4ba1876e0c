"""The script that made the example's file, run on a small file in the study's layout."""

import csv
import gzip
import io
import subprocess
import sys
from pathlib import Path

import pytest

from replay.recorded.data import load_recorded
from tests.replay.recorded.builders import JUNE, MARCH, PRIMES_FILE

SCRIPT = PRIMES_FILE.with_name("make.py")


def row(number: int, model: str, **changes: str) -> dict[str, str]:
    return {
        "model": model,
        "temperature": "0.1",
        "max_tokens": "1000",
        "dataset": "composite",
        "id": str(number),
        "query": f"Is {number} a prime number?",
        "ref_answer": "No",
        "answer": "Step 1: …\n[No]",
        "latency": "1.23456",
        "cost": "0.00108",
        "date": "20230716",
        "timestamp": "07/24/2023, 21:00:49",
        "answer_token": "3",
    } | changes


def study(folder: Path, *rows: dict[str, str]) -> Path:
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    path = folder / "PRIME.csv.gz"
    path.write_bytes(gzip.compress(text.getvalue().encode()))
    return path


def make(source: Path, target: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), str(source), "--out", str(target)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


BOTH = [row(n, model) for model in ("openaichat/gpt-4-0314", "openaichat/gpt-4-0613") for n in (10, 9)]


def test_it_keeps_gpt_4_in_the_order_of_ids_and_derives_the_input_tokens(tmp_path: Path) -> None:
    source = study(tmp_path, *BOTH, row(9, "openaichat/gpt-3.5-turbo-0301"))
    assert make(source, tmp_path / "out.gz").returncode == 0
    data = load_recorded(tmp_path / "out.gz")
    answer = data.questions[0].answers[JUNE][0]
    assert [question.id for question in data.questions] == ["prime-9", "prime-10"]
    assert data.snapshots == (MARCH, JUNE)
    assert (data.questions[0].reference, data.questions[0].category) == ("no", "composite")
    assert (answer.text, answer.latency_s, answer.input_tokens, answer.output_tokens) == (
        "Step 1: …\n[No]",
        1.235,
        30,
        3,
    )
    assert (answer.finish_reason, answer.recorded_on.isoformat()) == ("stop", "2023-07-24")


def test_equal_input_gives_equal_bytes(tmp_path: Path) -> None:
    source = study(tmp_path, *BOTH)
    for name in ("first.gz", "second.gz"):
        make(source, tmp_path / name)
    assert (tmp_path / "first.gz").read_bytes() == (tmp_path / "second.gz").read_bytes()
    assert PRIMES_FILE.read_bytes()[3:8] == b"\0\0\0\0\0"  # neither file name nor time in the gzip header


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cost": "0.00109"}, "question 9: the cost 0.00109 is not a whole number of input tokens"),
        ({"query": "Is it?"}, "question 9: the models have different questions"),
        ({"model": "openaichat/gpt-4-0314"}, "question 9: a snapshot's answer is missing"),
    ],
)
def test_what_does_not_fit_the_layout_stops_it(tmp_path: Path, change: dict[str, str], message: str) -> None:
    ended = make(study(tmp_path, *BOTH[:-1], BOTH[-1] | change), tmp_path / "out.gz")
    assert (ended.returncode, ended.stderr.strip()) == (1, message)
    assert not (tmp_path / "out.gz").exists()
