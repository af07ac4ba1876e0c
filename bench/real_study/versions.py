"""Which cases real model versions got right: the marks of the examples, as arrays."""

import gzip
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from replay.recorded.data import RecordedAnswer, RecordedData, RecordedQuestion

Floats = NDArray[np.float64]
EXAMPLES = Path(__file__).parents[2] / "examples"
MARKER = re.compile(r"\[(yes|no)\]", re.IGNORECASE)
PASSED, FAILED = "passed", "failed"
MOST_STEPS = 6  # longer solutions are few: they share a category


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Versions:
    """n cases with their categories; by version, 1.0 where it passed and 0.0 where not, [n]."""

    ids: tuple[str, ...]
    categories: tuple[str, ...]
    passed: Mapping[str, Floats]

    def chosen(self, cases: NDArray[np.intp]) -> "Versions":
        """Only these cases."""
        return Versions(
            ids=tuple(self.ids[i] for i in cases),
            categories=tuple(self.categories[i] for i in cases),
            passed={version: passed[cases] for version, passed in self.passed.items()},
        )

    def recorded(self) -> RecordedData:
        """The marks as answers of the recorded endpoint: a case's question is its id, an answer says how it did."""
        questions = tuple(
            RecordedQuestion(
                id=case,
                question=case,
                reference=PASSED,
                category=self.categories[i],
                answers={version: (_answer(passed[i]),) for version, passed in self.passed.items()},
            )
            for i, case in enumerate(self.ids)
        )
        return RecordedData(questions=questions, snapshots=tuple(sorted(self.passed)))


def _answer(passed: float) -> RecordedAnswer:
    return RecordedAnswer(text=PASSED if passed else FAILED, recorded_on=date(2023, 7, 2))


@cache
def primes() -> Versions:
    """GPT-4 and GPT-3.5 on 500 primes and 500 composites; right when the first [Yes] or [No] is the reference."""
    texts = _lines(EXAMPLES / "llmdrift" / "primes.jsonl.gz")
    marks = _lines(EXAMPLES / "llmdrift" / "primes-gpt-3.5.jsonl.gz")
    assert [row["id"] for row in texts] == [row["id"] for row in marks]  # both files are in the study's order
    four = {name: [_marker(row["answers"][name][0]["text"]) for row in texts] for name in texts[0]["answers"]}
    three = {name: [row["marks"][name] for row in marks] for name in marks[0]["marks"]}
    right = [row["reference"] for row in texts]
    return Versions(
        ids=tuple(row["id"] for row in texts),
        categories=tuple(row["category"] for row in texts),
        passed={
            name: _flags(a == b for a, b in zip(given, right, strict=True)) for name, given in (four | three).items()
        },
    )


@cache
def sensitive() -> Versions:
    """GPT-4 and GPT-3.5 on 100 sensitive questions; 'passed' is a direct answer. There are no categories."""
    rows = _lines(EXAMPLES / "llmdrift" / "sensitive.jsonl.gz")
    return Versions(
        ids=tuple(row["id"] for row in rows),
        categories=("sensitive",) * len(rows),
        passed={name: _flags(row["answered"][name] for row in rows) for name in rows[0]["answered"]},
    )


@cache
def gsm8k() -> Versions:
    """Four versions of one family on 1,319 problems, by the number of steps of the reference solution."""
    rows = _lines(EXAMPLES / "gsm8k" / "versions.jsonl.gz")
    return Versions(
        ids=tuple(row["id"] for row in rows),
        categories=tuple(_steps(row["steps"]) for row in rows),
        passed={name: _flags(row["versions"][name]["correct"] for row in rows) for name in rows[0]["versions"]},
    )


def _steps(steps: int) -> str:
    return f"{steps} steps" if steps < MOST_STEPS else f"{MOST_STEPS} steps or more"


def _marker(text: str) -> str | None:
    found = MARKER.search(text)
    return found[1].lower() if found else None


def _flags(values: Any) -> Floats:
    return np.array([float(value) for value in values])


def _lines(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
