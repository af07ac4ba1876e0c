"""The floor: a server with the minimum of work. Run it with `python -m bench.ingest_study.floor PORT FILE`.

Protobuf's C core parses the bytes, every field of every span becomes a column, and DuckDB appends about a thousand
spans in one transaction with its log synced to disk. Then the server answers. It applies no conventions, checks no span
and detects no duplicates. Its HTTP is a few lines of asyncio in the same thread.
"""

import asyncio
import json
import os
import re
import sys
from collections import defaultdict
from typing import Any

import duckdb
import pyarrow as pa
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

ROWS = 1000
GATHER_S = 0.1
LENGTH = re.compile(rb"(?i)\r\ncontent-length:[ \t]*(\d+)")
TEXTS = (
    "gen_ai.provider.name", "gen_ai.request.model", "gen_ai.response.model", "gen_ai.response.id",
    "gen_ai.conversation.id", "gen_ai.system_instructions", "gen_ai.input.messages", "gen_ai.output.messages",
    "server.address",
)  # fmt: skip
NUMBERS = ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "gen_ai.request.max_tokens", "server.port")
SCHEMA = pa.schema(
    [(name, pa.string()) for name in ("trace_id", "span_id", "name", *TEXTS)]
    + [(name, pa.int64()) for name in ("started_ns", "ended_ns", *NUMBERS)]
    + [("gen_ai.request.temperature", pa.float64())]
)


class Floor:
    """The whole server in one event loop."""

    def __init__(self, path: str) -> None:
        threads = len(os.sched_getaffinity(0))
        self._connection = duckdb.connect(path, config={"checkpoint_threshold": "256MB", "threads": threads})
        columns = ", ".join(f'"{field.name}" {_SQL[field.type]}' for field in SCHEMA)
        self._connection.execute(f"CREATE TABLE span ({columns})")
        self._columns: dict[str, list[Any]] = defaultdict(list)
        self._waiting: list[asyncio.StreamWriter] = []
        self._timer: asyncio.TimerHandle | None = None

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection. A GET is answered at once with the number of stored spans."""
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = LENGTH.search(head)
                body = await reader.readexactly(int(length[1])) if length else b""
                if head.startswith(b"GET"):
                    writer.write(_answer(json.dumps({"spans": self._count()}).encode()))
                else:
                    self._take(body, writer)
        except asyncio.IncompleteReadError:
            writer.close()

    def _take(self, body: bytes, writer: asyncio.StreamWriter) -> None:
        for group in ExportTraceServiceRequest.FromString(body).resource_spans:
            for scope in group.scope_spans:
                _append(self._columns, scope.spans)
        self._waiting.append(writer)
        if len(self._columns["span_id"]) >= ROWS:
            self._commit()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(GATHER_S, self._commit)

    def _commit(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        batch = pa.Table.from_arrays(
            [pa.array(self._columns[field.name], field.type) for field in SCHEMA], schema=SCHEMA
        )
        self._columns.clear()
        self._connection.register("batch", batch)
        self._connection.execute("INSERT INTO span SELECT * FROM batch")
        self._connection.unregister("batch")
        for writer in self._waiting:
            writer.write(_answer(b""))
        self._waiting.clear()

    def _count(self) -> int:
        found = self._connection.execute("SELECT count(*) FROM span").fetchall()
        return int(found[0][0])


def _append(columns: dict[str, list[Any]], spans: Any) -> None:
    """Append the value of every span to every column; None for a missing value."""
    for span in spans:
        columns["trace_id"].append(span.trace_id.hex())
        columns["span_id"].append(span.span_id.hex())
        columns["name"].append(span.name)
        columns["started_ns"].append(span.start_time_unix_nano)
        columns["ended_ns"].append(span.end_time_unix_nano)
        found = {pair.key: pair.value for pair in span.attributes}
        for name in TEXTS:
            value = found.get(name)
            columns[name].append(None if value is None else value.string_value)
        for name in NUMBERS:
            value = found.get(name)
            columns[name].append(None if value is None else value.int_value)
        value = found.get("gen_ai.request.temperature")
        columns["gen_ai.request.temperature"].append(None if value is None else value.double_value)


def _answer(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body) + body


_SQL = {pa.string(): "VARCHAR", pa.int64(): "BIGINT", pa.float64(): "DOUBLE"}


async def main(port: int, path: str) -> None:
    floor = Floor(path)
    server = await asyncio.start_server(floor.serve, "127.0.0.1", port, limit=2**24)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2]))
