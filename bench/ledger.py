"""Where measurements are kept: one file a program in a folder, one JSON line each, appended when it is made."""

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

Json = dict[str, Any]


class Measured(Protocol):
    """A dataclass with the measured program and its code hash."""

    __dataclass_fields__: ClassVar[Json]

    @property
    def program(self) -> str: ...

    @property
    def code(self) -> str: ...


MeasurementT = TypeVar("MeasurementT", bound=Measured)


class Ledger(Generic[MeasurementT]):
    """`read` makes a measurement of its JSON object again."""

    def __init__(self, folder: Path, read: Callable[[Json], MeasurementT]) -> None:
        self._folder, self._read = folder, read

    def append(self, made: MeasurementT) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._path(made.program)
        torn = path.exists() and path.stat().st_size > 0 and not path.read_bytes().endswith(b"\n")
        with path.open("a", encoding="utf-8") as file:
            file.write(("\n" if torn else "") + json.dumps(_to_json(made), separators=(",", ":")) + "\n")

    def of(self, program: str) -> list[MeasurementT]:
        """In the order in which they were made; what a kill cut off is left out."""
        path = self._path(program)
        if not path.exists():
            return []
        return [self._read(document) for document in _documents(path.read_text(encoding="utf-8"))]

    def latest_of(self, program: str) -> list[MeasurementT]:
        """Those of the code that was measured last: two codes are never averaged."""
        made = self.of(program)
        return [one for one in made if one.code == made[-1].code]

    def tell_of_other_code(self, program: str, code: str) -> None:
        """On standard error, when the program was measured and is not what it was."""
        stored = self.of(program)
        if stored and stored[-1].code != code:
            sys.stderr.write(f"{program} was changed since it was measured: --all measures it again\n")

    def _path(self, program: str) -> Path:
        return self._folder / f"{program}.jsonl"


def _to_json(made: Measured) -> Json:
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in asdict(made).items()}


def _documents(text: str) -> Iterator[Json]:
    for line in text.splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue  # what a kill cut off
