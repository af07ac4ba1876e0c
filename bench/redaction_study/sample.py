r"""Read the labelled sample: one text on each line, with private values as `[[kind|value]]`.

`\n` is a new line and `\\` a backslash. Tokens contain `·`, so that no secret scanner reports the file.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SAMPLE = Path(__file__).resolve().parents[2] / "tests" / "data" / "redaction" / "sample.txt"
_LABEL = re.compile(r"\[\[([a-z_]+)\|(.*?)\]\]", re.DOTALL)
_ESCAPE = re.compile(r"\\([n\\])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A range of the text, in bytes of its UTF-8."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    text: str
    spans: tuple[Span, ...]


def read_sample(path: Path = SAMPLE) -> list[Labelled]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [parse(line) for line in lines if line and not line.startswith("# ")]


def parse(line: str) -> Labelled:
    r"""Parse one line of the sample.

    >>> parse(r"to [[email|a@b.example]]\n")
    Labelled(text='to a@b.example\n', spans=(Span(kind='email', start=3, end=14),))
    """
    plain = _ESCAPE.sub(lambda m: "\n" if m.group(1) == "n" else "\\", line.replace("·", ""))
    parts: list[str] = []
    spans: list[Span] = []
    for part, kind in _parts(plain):
        start = len("".join(parts).encode())
        parts.append(part)
        if kind:
            spans.append(Span(kind=kind, start=start, end=start + len(part.encode())))
    return Labelled(text="".join(parts), spans=tuple(spans))


def _parts(line: str) -> Iterator[tuple[str, str | None]]:
    at = 0
    for match in _LABEL.finditer(line):
        yield line[at : match.start()], None
        yield match.group(2), match.group(1)
        at = match.end()
    yield line[at:], None
