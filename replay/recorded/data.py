"""Recorded answers: questions, and the answers of the snapshots of one model.

The file is JSON Lines, plain or gzip, one question in each line (examples/llmdrift/README.md shows one).
"""

import gzip
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from replay.errors import ReplayError
from replay.evalsets.canonical import question_text
from replay.types import Case, Message

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedAnswer:
    """One real answer. A value that was not recorded is None."""

    text: str
    recorded_on: date
    finish_reason: str = "stop"
    latency_s: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedQuestion:
    """A question with its correct answer and, by snapshot, at least one recorded answer in the order of the file."""

    id: str
    question: str
    reference: str
    category: str
    answers: Mapping[str, tuple[RecordedAnswer, ...]]

    def as_case(self) -> Case:
        """Return the question as a case of an eval set."""
        return Case(
            id=self.id,
            input=(Message(role="user", content=self.question),),
            references=(self.reference,),
            category=self.category,
            provenance="recorded",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedData:
    """Questions with different ids and texts, each answered by every snapshot. Snapshots are sorted by name."""

    questions: tuple[RecordedQuestion, ...]
    snapshots: tuple[str, ...]

    @property
    def family(self) -> str:
        """The common name of the snapshots: `gpt-4` of `gpt-4-0314` and `gpt-4-0613`; the name itself of a single
        snapshot.
        """
        names = [snapshot.split("-") for snapshot in self.snapshots]
        shared = []
        for parts in zip(*names, strict=False):
            if len(set(parts)) > 1:
                break
            shared.append(parts[0])
        return "-".join(shared) or self.snapshots[0]


def load_recorded(path: Path) -> RecordedData:
    """Return the recorded answers of a file. ReplayError names the file, line, field and problem."""
    questions = tuple(
        _question(_parse(line, f"{path.name} line {number}"), f"{path.name} line {number}")
        for number, line in enumerate(_read(path).split("\n"), start=1)
        if line.strip()
    )
    if not questions:
        raise ReplayError(
            f"{path.name}: has no questions; use a file of recorded answers, one JSON object in each line"
        )
    _check_distinct(questions, path.name)
    return RecordedData(questions=questions, snapshots=_snapshots(questions, path.name))


def _read(path: Path) -> str:
    try:
        raw = path.read_bytes()
        return (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode()
    except UnicodeDecodeError as error:
        raise ReplayError(f"{path}: is not UTF-8 at byte {error.start}; give a file of recorded answers") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ReplayError(f"{path}: is a damaged gzip file ({error}); download it again") from None
    except OSError as error:
        raise ReplayError(f"{path}: cannot be read: {error.strerror}") from None


def _parse(line: str, where: str) -> Record:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise ReplayError(f"{where}: is not JSON ({error})") from None
    if not isinstance(record, dict):
        raise ReplayError(f"{where}: expected a JSON object, found {type(record).__name__}")
    return record


def _question(record: Record, where: str) -> RecordedQuestion:
    answers = _field(record, "answers", dict, where)
    if not answers:
        raise ReplayError(f"{where}: field 'answers' names no snapshot")
    return RecordedQuestion(
        id=_field(record, "id", str, where),
        question=_field(record, "question", str, where),
        reference=_field(record, "reference", str, where),
        category=_field(record, "category", str, where),
        answers={snapshot: _answers(given, f"{where}: answers of {snapshot}") for snapshot, given in answers.items()},
    )


def _answers(given: Any, where: str) -> tuple[RecordedAnswer, ...]:
    if not isinstance(given, list) or not given or not all(isinstance(answer, dict) for answer in given):
        raise ReplayError(f"{where}: expected a list of at least one object")
    return tuple(_answer(answer, where) for answer in given)


def _answer(record: Record, where: str) -> RecordedAnswer:
    return RecordedAnswer(
        text=_field(record, "text", str, where),
        recorded_on=_date(_field(record, "recorded_on", str, where), where),
        finish_reason=_optional(record, "finish_reason", str, where) or "stop",
        latency_s=_optional(record, "latency_s", (int, float), where),
        input_tokens=_optional(record, "input_tokens", int, where),
        output_tokens=_optional(record, "output_tokens", int, where),
        cost_usd=_optional(record, "cost_usd", (int, float), where),
    )


def _field(record: Record, field: str, kind: type | tuple[type, ...], where: str) -> Any:
    if field not in record:
        raise ReplayError(f"{where}: field {field!r} is missing")
    value = record[field]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ReplayError(f"{where}: field {field!r} cannot be {str(value)[:40]!r}")
    return value


def _optional(record: Record, field: str, kind: type | tuple[type, ...], where: str) -> Any:
    return None if record.get(field) is None else _field(record, field, kind, where)


def _date(text: str, where: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ReplayError(f"{where}: field 'recorded_on' must be a date like 2023-07-02, found {text!r}") from None


def _check_distinct(questions: tuple[RecordedQuestion, ...], name: str) -> None:
    for what, values in (
        ("id", [question.id for question in questions]),
        ("question", [question_text(question.question) for question in questions]),
    ):
        if len(set(values)) != len(values):
            twice = next(
                question.id for question, value in zip(questions, values, strict=True) if values.count(value) > 1
            )
            raise ReplayError(f"{name}: the {what} of {twice!r} is given twice; put its answers in one line")


def _snapshots(questions: tuple[RecordedQuestion, ...], name: str) -> tuple[str, ...]:
    first = questions[0]
    for question in questions:
        if question.answers.keys() != first.answers.keys():
            raise ReplayError(f"{name}: {question.id!r} and {first.id!r} are answered by different snapshots")
    return tuple(sorted(first.answers))
