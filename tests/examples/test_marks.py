"""The scripts that created the marks of real answers: what they keep, and that unknown input stops them."""

import csv
import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from examples.gsm8k import make as gsm8k
from examples.llmdrift import make_flags as llmdrift

FOUR = ("gpt-3.5-turbo-0301", "gpt-3.5-turbo-0613", "gpt-4-0314", "gpt-4-0613")


def answer(model: str, text: str = "So: [Yes]", rate: str = "1") -> dict[str, str]:
    head = {"model": f"openaichat/{model}", "id": "7", "ref_answer": "Yes", "dataset": "prime"}
    return head | {"answer": text, "Response Rate": rate, "answer_token": "12"}


def solved(last: str = "A: 18", *, correct: object = True) -> dict[str, Any]:
    return {"is_correct": correct, "solution": f"one step\n{last}"}


def problem(**changed: Any) -> dict[str, Any]:
    return {"ground_truth": "first\nsecond\nA: 18", **{name: solved() for name in gsm8k.VERSIONS}, **changed}


def test_a_mark_is_the_first_marker_and_null_without_one() -> None:
    rows = [answer("gpt-3.5-turbo-0301", "[YES], not [No]"), answer("gpt-3.5-turbo-0613", "Yes"), answer("gpt-4-0314")]
    assert llmdrift.prime_marks(rows) == [
        {
            "id": "prime-7",
            "reference": "yes",
            "category": "prime",
            "marks": {"gpt-3.5-turbo-0301": "yes", "gpt-3.5-turbo-0613": None},
        }
    ]


def test_a_sensitive_question_keeps_no_text() -> None:
    [made] = llmdrift.sensitive_marks(answer(model, rate="0") for model in FOUR)
    assert made == {"id": "sensitive-7", "answered": dict.fromkeys(FOUR, False), "tokens": dict.fromkeys(FOUR, 12)}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([answer(model) for model in FOUR[:3]], "question 7: a snapshot's answer is missing"),
        ([answer(FOUR[0], rate="0.5")], "question 7: the response rate '0.5' is neither 0 nor 1"),
    ],
)
def test_an_unknown_layout_of_the_study_stops_the_script(rows: list[dict[str, str]], said: str) -> None:
    with pytest.raises(SystemExit, match=said):
        llmdrift.sensitive_marks(rows)


def test_a_problem_keeps_its_steps_and_the_final_answers() -> None:
    made = gsm8k.problem_of(3, problem(**{"6b_finetuning": solved("so it is 18", correct=False)}))
    assert (made["id"], made["steps"], made["reference"]) == ("gsm8k-3", 2, "18")
    assert made["versions"]["6b_finetuning"] == {"answer": None, "correct": False}
    assert made["versions"]["175b_verification"] == {"answer": "18", "correct": True}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"ground_truth": "no answer"}, "problem 3: the reference solution ends with 'no answer'"),
        ({"6b_finetuning": solved(correct=1)}, "problem 3: the mark of 6b_finetuning is 1"),
    ],
)
def test_an_unknown_problem_stops_the_script(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(SystemExit, match=said):
        gsm8k.problem_of(3, problem(**changed))


def test_equal_input_gives_equal_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "answers.csv.gz"
    with gzip.open(source, "wt", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(answer("x")))
        writer.writeheader()
        writer.writerows(answer(model) for model in FOUR)
    made = []
    for folder in (tmp_path / "once", tmp_path / "again"):
        folder.mkdir()
        monkeypatch.setattr(sys, "argv", ["make_flags.py", str(source), str(source), "--out", str(folder)])
        llmdrift.main()
        made.append([(path.name, path.read_bytes()) for path in sorted(folder.iterdir())])
    assert made[0] == made[1]
    assert [name for name, _ in made[0]] == ["primes-gpt-3.5.jsonl.gz", "sensitive.jsonl.gz"]
    assert json.loads(gzip.decompress(made[0][1][1]))["answered"] == dict.fromkeys(FOUR, True)
