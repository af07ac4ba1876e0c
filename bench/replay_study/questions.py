"""The questions every program is asked, and what the endpoint answers: one in ten wrong, so that checking shows.

>>> question(20), right_answer(20), given_answer(20), given_answer(21)
('How much is 20 plus 140?', '160', '161', '168')
>>> expected_passes(2000)
1800
"""

import json
from collections.abc import Iterator
from pathlib import Path

WRONG_EVERY = 10


def question(number: int) -> str:
    return f"How much is {number} plus {_second(number)}?"


def right_answer(number: int) -> str:
    return str(number + _second(number))


def given_answer(number: int) -> str:
    """What the endpoint says."""
    return str(number + _second(number) + (number % WRONG_EVERY == 0))


def expected_passes(cases: int) -> int:
    """How many of the questions 1 to `cases` the endpoint answers right."""
    return cases - cases // WRONG_EVERY


def lines(cases: int) -> Iterator[dict[str, str]]:
    """One object a question, with the keys that rivals read."""
    for number in range(1, cases + 1):
        yield {"id": f"case-{number}", "input": question(number), "target": right_answer(number)}


def write_questions(path: Path, cases: int) -> Path:
    """A JSONL file for the rivals."""
    return _write(path, lines(cases))


def write_cases(path: Path, cases: int) -> Path:
    """A JSONL file as `driftd sets import` reads it."""
    documents: Iterator[dict[str, object]] = (
        {"id": line["id"], "input": line["input"], "references": [line["target"]], "category": "sums"}
        for line in lines(cases)
    )
    return _write(path, documents)


def _write(path: Path, documents: Iterator[dict[str, str]] | Iterator[dict[str, object]]) -> Path:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(document) + "\n" for document in documents)
    return path


def _second(number: int) -> int:
    return 7 * number % 1000
