"""A small set of recorded answers, the real one, and ways to ask for them."""

import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from replay.recorded.data import RecordedAnswer, RecordedData, RecordedQuestion, load_recorded

PRIMES_FILE = Path(__file__).parents[3] / "examples" / "llmdrift" / "primes.jsonl.gz"
MARCH, JUNE = "gpt-4-0314", "gpt-4-0613"


def primes() -> RecordedData:
    return load_recorded(PRIMES_FILE)


def answer(text: str, **fields: Any) -> RecordedAnswer:
    tokens = {"input_tokens": 30, "output_tokens": 3}
    return RecordedAnswer(text=text, recorded_on=date(2023, 7, 2), **(tokens | fields))


def question(number: int, category: str = "prime", answers: int = 1) -> RecordedQuestion:
    """Question `n?` of which each snapshot's answers say snapshot, question and number of the answer."""
    return RecordedQuestion(
        id=f"q{number}",
        question=f"{number}?",
        reference="yes",
        category=category,
        answers={
            snapshot: tuple(answer(f"{snapshot}/{number}/{index}") for index in range(answers))
            for snapshot in (MARCH, JUNE)
        },
    )


def recorded(*questions: RecordedQuestion) -> RecordedData:
    return RecordedData(questions=questions, snapshots=(MARCH, JUNE))


def body(text: str, **fields: Any) -> dict[str, Any]:
    return {"model": "gpt-4", "messages": [{"role": "user", "content": text}], **fields}


def line(**changes: Any) -> dict[str, Any]:
    """A line of a file of recorded answers, as JSON."""
    answers = {
        MARCH: [{"text": "[Yes]", "recorded_on": "2023-07-02"}],
        JUNE: [{"text": "[No]", "recorded_on": "2023-07-02"}],
    }
    return {"id": "q1", "question": "1?", "reference": "yes", "category": "prime", "answers": answers} | changes


def lines(*records: Mapping[str, Any]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()
