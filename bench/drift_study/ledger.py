"""The store of results: one JSON line per chunk of runs, appended when the chunk is done.

A line records the code and the world that it was measured with. A file with lines of other code is refused, so that a
table never adds up two detectors.
"""

import ast
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from bench.drift_study.tally import Tally

ROOT = Path(__file__).resolve().parents[2]


class OtherCodeError(Exception):
    """The stored results were measured with other code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The runs [start, stop) of one cell."""

    cell: str
    seed: int
    start: int
    stop: int
    code: str
    seconds: float
    tally: Tally

    def made_by(self, code: str) -> "Line":
        """Return the same result with another code hash."""
        return replace(self, code=code)


def code_hash(paths: Iterable[Path], world: str) -> str:
    """Return sixteen hexadecimal digits that change with the code, not with its comments and docstrings."""
    digest = hashlib.sha256(f"world {world}".encode())
    for path in sorted(paths):
        digest.update(f"\n{path.name}\n{_meaning(path.read_text(encoding='utf-8'))}".encode())
    return digest.hexdigest()[:16]


def _meaning(source: str) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = node.body[1:]
    return ast.dump(tree)


class Ledger:
    """One file of results."""

    def __init__(self, path: Path, *, code: str) -> None:
        self.path = path
        self.code = code

    def lines(self) -> list[Line]:
        """Return all lines. A last line cut off by a kill is left out, and its runs are repeated."""
        found = read_lines(self.path)
        strangers = {line.code for line in found} - {self.code}
        if strangers:
            raise OtherCodeError(
                f"{self.path} holds results of code {', '.join(sorted(strangers))}, this is {self.code}: "
                "--confirm repeats a chunk of each cell and keeps the file where they agree, --fresh begins it anew"
            )
        return found

    def done(self, seed: int) -> dict[str, list[tuple[int, int]]]:
        """Return cell to the chunks of runs that are stored."""
        chunks: dict[str, list[tuple[int, int]]] = {}
        for line in self.lines():
            if line.seed == seed:
                chunks.setdefault(line.cell, []).append((line.start, line.stop))
        return chunks

    def append(self, line: Line) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._mend()
        with self.path.open("a", encoding="utf-8") as file:
            file.write(_write(line))

    def tallies(self) -> dict[str, Tally]:
        """Return cell to the sum of its lines."""
        sums: dict[str, Tally] = {}
        for line in self.lines():
            sums.setdefault(line.cell, Tally()).merge(line.tally)
        return sums

    def compact(self) -> None:
        """Rewrite the file with adjoining chunks of a cell in one line, and its first chunk in another, for the
        repository. The first chunk is what --confirm repeats.
        """
        merged: dict[tuple[str, int], list[Line]] = {}
        for line in sorted(self.lines(), key=lambda one: (one.cell, one.seed, one.start)):
            rows = merged.setdefault((line.cell, line.seed), [])
            if rows and rows[-1].start > 0 and rows[-1].stop == line.start:
                rows.append(_joined(rows.pop(), line))
            else:
                rows.append(line)
        write_lines(self.path, [line for rows in merged.values() for line in rows])

    def _mend(self) -> None:
        """Cut off the rest of a line that a kill left."""
        if self.path.exists():
            text = self.path.read_text(encoding="utf-8")
            if text and not text.endswith("\n"):
                self.path.write_text(text[: text.rfind("\n") + 1], encoding="utf-8")


def read_lines(path: Path) -> list[Line]:
    """Return all lines of a file, of any code; a last one cut off by a kill is left out."""
    if not path.exists():
        return []
    return [_read(text) for text in path.read_text(encoding="utf-8").split("\n")[:-1] if text]


def write_lines(path: Path, lines: Iterable[Line]) -> None:
    """Replace the file atomically."""
    part = path.with_suffix(".part")
    part.write_text("".join(_write(line) for line in lines), encoding="utf-8")
    part.replace(path)


def _joined(first: Line, second: Line) -> Line:
    tally = Tally()
    tally.merge(first.tally)
    tally.merge(second.tally)
    return Line(
        cell=first.cell,
        seed=first.seed,
        start=first.start,
        stop=second.stop,
        code=first.code,
        seconds=first.seconds + second.seconds,
        tally=tally,
    )


def _write(line: Line) -> str:
    made = {
        "cell": line.cell,
        "seed": line.seed,
        "start": line.start,
        "stop": line.stop,
        "code": line.code,
        "seconds": round(line.seconds, 3),
        "tally": line.tally.to_json(),
    }
    return json.dumps(made, separators=(",", ":")) + "\n"


def _read(text: str) -> Line:
    made = json.loads(text)
    return Line(**{**made, "tally": Tally.from_json(made["tally"])})
