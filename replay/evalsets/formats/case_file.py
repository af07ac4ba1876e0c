"""Eval set files of any format that is read: JSON Lines, and YAML by its suffix."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from replay.errors import CaseError
from replay.evalsets.case_codec import UniqueCases, unique_cases
from replay.evalsets.formats import jsonl, yaml_list
from replay.evalsets.formats.record import Record, parsed
from replay.types import Case

YAML_SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFile:
    """The cases that can be read, and a sentence for each record that cannot."""

    cases: tuple[Case, ...]
    problems: tuple[str, ...]


def read_cases(path: Path) -> list[Case]:
    """The cases of the file in its order. CaseError names file, line, field and what to do."""
    cases = unique_cases(parsed(_records(path)))
    if not cases:
        raise CaseError(f"{path.name}: holds no cases")
    return cases


def check_file(path: Path) -> CheckedFile:
    """Every record looked at, the wrong ones too."""
    found, problems = UniqueCases(), []
    try:
        for record in _records(path):
            try:
                found.add(record.where, record.read())
            except CaseError as error:
                problems.append(str(error))
    except CaseError as error:  # the file as a whole
        problems.append(str(error))
    if not found.cases and not problems:
        problems.append(f"{path.name}: holds no cases")
    return CheckedFile(cases=tuple(found.cases), problems=tuple(problems))


def _records(path: Path) -> Iterator[Record]:
    return yaml_list.records(path) if path.suffix.lower() in YAML_SUFFIXES else jsonl.records(path)
