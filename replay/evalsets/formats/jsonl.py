"""Cases in a JSON Lines file: one object a line, UTF-8, blank lines allowed."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from replay.errors import CaseError
from replay.evalsets.case_codec import unique_cases
from replay.types import Case


def read_cases(path: Path) -> list[Case]:
    """The cases of the file in its order. CaseError names file, line, field and what to do."""
    cases = unique_cases(_objects(_read(path), path.name))
    if not cases:
        raise CaseError(f"{path.name}: holds no cases; write one JSON object a line")
    return cases


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise CaseError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise CaseError(f"{path.name} line {line}: is not UTF-8; save the file as UTF-8") from None


def _objects(text: str, name: str) -> Iterator[tuple[str, Any]]:
    # Not splitlines(): U+2028 and its like are ordinary characters inside a JSON string.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            where = f"{name} line {number}"
            yield where, _parse(line, where)


def _parse(line: str, where: str) -> Any:
    try:
        return json.loads(line, object_pairs_hook=lambda pairs: _object(pairs, where))
    except json.JSONDecodeError as error:
        raise CaseError(f"{where}: is not JSON ({error.msg} at column {error.colno}); one object a line") from None
    except (RecursionError, ValueError):  # nested too deep, or a number of too many digits: no case either way
        raise CaseError(f"{where}: is nested too deep or holds too long a number to be a case") from None


def _object(pairs: list[tuple[str, Any]], where: str) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise CaseError(f"{where}: field {twice!r} is given twice; keep one")
    return record
