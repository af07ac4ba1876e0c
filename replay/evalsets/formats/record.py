"""One record of an eval set file: where it stands, and what it holds once somebody asks."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from replay.errors import CaseError


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """`where` is "file line n"; `read` gives the object or raises CaseError, so that one bad line spoils no other."""

    where: str
    read: Callable[[], Any]


def parsed(records: Iterable[Record]) -> Iterator[tuple[str, Any]]:
    """(place, object) of each; the first that cannot be read raises CaseError."""
    return ((record.where, record.read()) for record in records)


def text_of_file(path: Path) -> str:
    """The text of a UTF-8 file; CaseError says which line is none."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise CaseError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise CaseError(f"{path.name} line {line}: is not UTF-8; save the file as UTF-8") from None
