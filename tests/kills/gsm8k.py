"""Recorded answers of four model versions to 1,319 grade-school problems, for replays that are killed."""

import gzip
import json
from datetime import date
from pathlib import Path

from replay.recorded.data import RecordedAnswer, RecordedData, RecordedQuestion

FILE = Path(__file__).parents[2] / "examples" / "gsm8k" / "versions.jsonl.gz"
RECORDED_ON = date(2021, 11, 1)


def gsm8k_answers() -> RecordedData:
    """Return the answers by problem id. The example has no texts of problems, so the id is the question."""
    with gzip.open(FILE, "rt", encoding="utf-8") as lines:
        problems = [json.loads(line) for line in lines]
    questions = tuple(
        RecordedQuestion(
            id=problem["id"],
            question=f"What is the answer to {problem['id']}?",
            reference=problem["reference"],
            category=f"{problem['steps']} steps",
            answers={
                version: (RecordedAnswer(text=result["answer"] or "none", recorded_on=RECORDED_ON),)
                for version, result in problem["versions"].items()
            },
        )
        for problem in problems
    )
    return RecordedData(questions=questions, snapshots=tuple(sorted(problems[0]["versions"])))
