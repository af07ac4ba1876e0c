"""Native records of a JSONL file, sorted into batches that the API takes."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

ROUTES: Mapping[str, str] = {"interaction": "/api/v1/interactions", "feedback": "/api/v1/feedback"}
MAX_ROWS = 500
MAX_BYTES = 4 * 2**20  # far below the largest body, since JSON may grow on the way


@dataclass(frozen=True, slots=True, kw_only=True)
class BadLine:
    """A line that is no record."""

    line: int
    reason: str


@dataclass(slots=True, kw_only=True)
class Batch:
    """Records for one route with the lines they stood on; `end` is where the file had been read to."""

    route: str
    records: list[Any] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    size: int = 0
    end: int = 0

    @property
    def is_full(self) -> bool:
        return len(self.records) >= MAX_ROWS or self.size >= MAX_BYTES


def batches(lines: Iterable[bytes]) -> Iterator[Batch | BadLine]:
    """Full batches as they fill, what is left at the end, and every line that is no record."""
    filling: dict[str, Batch] = {}
    position = 0
    for number, raw in enumerate(lines, start=1):
        position += len(raw)
        if not raw.strip():
            continue
        found = _record(raw, number)
        if isinstance(found, BadLine):
            yield found
            continue
        route = ROUTES[found["type"]]
        batch = filling.setdefault(route, Batch(route=route))
        batch.records.append(found)
        batch.lines.append(number)
        batch.size, batch.end = batch.size + len(raw), position
        if batch.is_full:
            yield filling.pop(route)
    yield from filling.values()


def _record(raw: bytes, line: int) -> dict[str, Any] | BadLine:
    """The object on the line, with a type that has a route."""
    try:
        record = json.loads(raw.decode("utf-8-sig" if line == 1 else "utf-8"), parse_constant=_no_number)
    except UnicodeDecodeError:
        return BadLine(line=line, reason="is not UTF-8")
    except json.JSONDecodeError as error:
        return BadLine(line=line, reason=f"is not JSON: {error.msg} at column {error.colno}")
    except (RecursionError, ValueError):
        return BadLine(line=line, reason="is not JSON: NaN, an infinity, or nested too deep")
    if not isinstance(record, dict) or record.get("type") not in ROUTES:
        return BadLine(line=line, reason=f"is no record: its type must be one of {', '.join(ROUTES)}")
    return record


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number")
