"""Run DataFog, an MIT-licensed program that finds personal data with its own expressions. It does not search for
tokens.
"""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from bench.drift_study.rivals.environment import QUIET, RivalUnavailableError, cache_folder, installed_python
from bench.redaction_study.sample import Span

LOCK = Path(__file__).parents[1] / "requirements-datafog.lock"


class DataFog:
    def __init__(self) -> None:
        python = installed_python("datafog", lock=LOCK, cache=cache_folder())
        self._process = subprocess.Popen(
            [str(python), "-I", str(Path(__file__).with_name("worker_datafog.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **QUIET, "DATAFOG_NO_TELEMETRY": "1"},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.wait(timeout=60)

    def found(self, texts: Sequence[str]) -> tuple[dict[str, list[Span]], str]:
        """Return the hits by text, and the version of the program."""
        answer = self._ask({"texts": list(texts)})
        return {text: _spans(text, found) for text, found in zip(texts, answer["found"], strict=True)}, answer[
            "version"
        ]

    def seconds(self, text: str, times: int) -> float:
        return float(self._ask({"text": text, "times": times})["seconds"])

    def _ask(self, question: Mapping[str, object]) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RivalUnavailableError(f"datafog: its worker left with {self._process.wait()}; see its errors above")
        return json.loads(answer)


def _spans(text: str, found: Sequence[tuple[str, int, int]]) -> list[Span]:
    return [
        Span(kind=kind, start=len(text[:start].encode()), end=len(text[:end].encode())) for kind, start, end in found
    ]
