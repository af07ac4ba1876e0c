"""Data that many records of a request share is not multiplied by their number; the same for records of a file."""

import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from monitor.ingest.files.base import BEGINNING
from monitor.ingest.files.detect import open_records
from monitor.ingest.intake import Batch
from tests.growth import grows_linearly
from tests.ingest import build
from tests.ingest.requests import GENAI, otlp_traces, span, traces

MOST_OF_BODY = 40  # characters of rows for each byte of a request: a call has some kilobytes of shared data


def below(number: int, parent: Mapping[str, Any], **child: Any) -> tuple[dict[str, Any], ...]:
    """Return a span and `number` calls below it."""
    root = span(parent, spanId="f" * 16)
    calls = [
        span(GENAI | child, spanId=f"{i + 1:016x}", parentSpanId="f" * 16, startTimeUnixNano=str(build.START_NS + 1))
        for i in range(number)
    ]
    return (root, *calls)


def chain(number: int) -> tuple[dict[str, Any], ...]:
    return tuple(
        span(GENAI | {f"k{i}": "v"}, spanId=f"{i + 1:016x}", parentSpanId=f"{i + 2:016x}") for i in range(number)
    )


def retrievals(number: int) -> tuple[dict[str, Any], ...]:
    documents = json.dumps([{"content": "d" * 50}])
    found = [
        span({"gen_ai.retrieval.documents": documents}, spanId=f"{i + 1:016x}", endTimeUnixNano=str(build.START_NS))
        for i in range(number)
    ]
    calls = [span(GENAI, spanId=f"{i + 1:015x}f", startTimeUnixNano=str(build.START_NS + i)) for i in range(number)]
    return (*found, *calls)


SHARED: dict[str, Callable[[int], bytes]] = {
    "many attributes above": lambda n: traces(*below(n, {f"driftd.{i}": "v" for i in range(n)})),
    "long texts above": lambda n: traces(
        *below(n, dict.fromkeys(("session.id", "driftd.x", "driftd.prompt.id", "driftd.deployment"), "é" * 100 * n))
    ),
    "long JSON above": lambda n: traces(
        *below(
            n,
            {"mlflow.traceTag.mlflow.linkedPrompts": json.dumps([{"name": "x" * 100 * n}])},
            **{"mlflow.spanType": "LLM"},
        )
    ),
    "a long chain": lambda n: traces(*chain(n)),
    "many retrievals": lambda n: traces(*retrievals(n)),
    "a long resource": lambda n: traces(
        *below(n, {}), resource={"service.name": "s" * 100 * n, "service.version": "é" * 100 * n}
    ),
}


@pytest.mark.parametrize("name", SHARED)
def test_data_shared_by_many_records(name: str) -> None:
    """Neither the time nor the size of the rows grows with the product of two parts of the request."""
    made = SHARED[name]
    grows_linearly(made, otlp_traces, size=100)
    body = made(800)
    assert rows_size(otlp_traces(body)) < MOST_OF_BODY * len(body)


def rows_size(batch: Batch) -> int:
    """Return the characters of all rows."""
    rows: list[Any] = [*batch.interactions, *batch.span_contexts, *batch.dead_letters]
    return sum(len(str(row)) for row in rows)


@pytest.mark.parametrize("packed", [".jsonl", ".jsonl.gz", ".frames", ".frames.gz"])
def test_files(packed: str, tmp_path: Path) -> None:
    """Read one long record, and many short ones."""

    def written(size: int, record: bytes, number: int) -> Path:
        path = tmp_path / f"{size}-{number}{packed}"
        frame = len(record).to_bytes(4) + record if "frames" in packed else record + b"\n"
        path.write_bytes(gzip.compress(frame * number) if packed.endswith(".gz") else frame * number)
        return path

    def read(path: Path) -> int:
        reading = open_records(path, None)
        try:
            return sum(1 for _ in reading.records(BEGINNING))
        finally:
            reading.close()

    otlp = traces(span(GENAI))
    grows_linearly(lambda size: written(size, traces(span(GENAI | {"x": "y" * size})), 1), read, size=1_000_000)
    grows_linearly(lambda size: written(size, otlp, size), read, size=500)
