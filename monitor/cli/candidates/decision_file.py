"""Decision files for candidates: reads JSON Lines or CSV, and writes files to fill in."""

import csv
import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from monitor.api.schema import CandidateItem, ReviewOrder
from monitor.errors import UsageError

LISTS = ("must_include", "must_not")
ORDER = tuple(ReviewOrder.model_fields)
CONTEXT = ("deployment", "state", "turns", "bad_output")  # for the reviewer; ignored when the file is read
COLUMNS = (
    "id", "action", "reason", "input", "bad_output", "expected", "must_include", "must_not", "category",
    "failure_category", "severity", "deployment", "state", "turns", "revision",
)  # fmt: skip


def read_orders(path: Path) -> list[ReviewOrder]:
    """Return the rows with an action. Raises UsageError with the line and the invalid field."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8; save it as CSV UTF-8 or JSON Lines") from None
    match path.suffix.lower():
        case ".csv":
            rows = _csv_rows(text, path)
        case ".jsonl" | ".ndjson":
            rows = _json_rows(text, path)
        case _:
            raise UsageError(f"{path}: the name must end in .csv or .jsonl, which selects the format")
    return [_order(row, where) for where, row in rows if str(row.get("action") or "").strip()]


def write_review_file(path: Path, items: Sequence[CandidateItem]) -> None:
    """Write a new file that only its owner can read: one row per candidate, with an empty `action`."""
    rows = [_review_row(item) for item in items]
    match path.suffix.lower():
        case ".csv":
            text = _as_csv(rows)
        case ".jsonl" | ".ndjson":
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        case _:
            raise UsageError(f"{path}: the name must end in .csv or .jsonl, which selects the format")
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise UsageError(f"{path} exists already; choose another path") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def _review_row(item: CandidateItem) -> dict[str, Any]:
    values = item.model_dump() | {"action": "", "reason": "", "input": item.input_text}
    return {name: values[name] for name in COLUMNS}


def _as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS)
    writer.writeheader()
    for row in rows:
        writer.writerow({**row, **{name: "\n".join(row[name]) for name in LISTS}})
    return out.getvalue()


def _csv_rows(text: str, path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    _demand_known(reader.fieldnames or (), f"{path} line 1")
    try:
        for row in reader:
            where = f"{path} line {reader.line_num}"
            if None in row:
                raise UsageError(f"{where}: more cells than columns")
            yield where, {name: _cell(name, cell) for name, cell in row.items() if cell}
    except csv.Error as error:
        raise UsageError(f"{path} line {reader.line_num}: invalid CSV: {error}") from None


def _cell(name: str, cell: str) -> object:
    if name == "revision":
        return int(cell) if cell.strip().isdecimal() else cell
    return cell.splitlines() if name in LISTS else cell


def _json_rows(text: str, path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        where = f"{path} line {number}"
        try:
            row = json.loads(line)
        except ValueError as error:
            raise UsageError(f"{where}: invalid JSON: {error}") from None
        if not isinstance(row, dict):
            raise UsageError(f"{where}: expected an object with id and action")
        _demand_known(row, where)
        yield where, row


def _demand_known(names: Sequence[str] | Mapping[str, Any], where: str) -> None:
    unknown = [name for name in names if name not in (*ORDER, *CONTEXT)]
    if unknown:
        raise UsageError(f"{where}: {unknown[0]!r} is unknown; known: {', '.join(ORDER)}")
    if "id" not in names:
        raise UsageError(f"{where}: 'id' is missing")


def _order(row: Mapping[str, Any], where: str) -> ReviewOrder:
    fields = {name: value for name, value in row.items() if name in ORDER and value not in (None, "")}
    fields["action"] = str(fields["action"]).strip().lower()
    try:
        return ReviewOrder.model_validate(fields)
    except ValidationError as error:
        fault = error.errors(include_input=False, include_url=False)[0]
        name = ".".join(str(part) for part in fault["loc"])
        raise UsageError(f"{where}: {name}: {fault['msg']}") from None
