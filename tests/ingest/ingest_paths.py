"""Every ingest path of OTLP and native records, with given limits."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import grpc
import httpx
import pyarrow as pa
import pyarrow.parquet as pq
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]  # protobuf ships no types

from monitor.config.kafka import KafkaTopicConfig
from monitor.ingest.kafka.records import RecordBatch, RecordReader
from monitor.ingest.limits import Limits
from tests.ingest.pipeline import IngestPipeline, ingest_file, otlp_app, receiver, served, served_grpc
from tests.ingest.transports import METHODS, as_json

# Signal and protobuf request -> the reason why all of it was rejected, empty when it was not.
Send = Callable[[str, bytes], str]
IngestPath = Callable[[IngestPipeline, Limits, Path], AbstractContextManager[Send]]
TOPIC = "topic calls partition 0 offset"
OF_PART = re.compile(r"(^|: )(span|event) '")


def over_http(*, json_text: bool) -> IngestPath:
    @contextmanager
    def opened(pipeline: IngestPipeline, limits: Limits, _folder: Path) -> Iterator[Send]:
        kind = "application/json" if json_text else "application/x-protobuf"
        with served(otlp_app(pipeline, limits=limits)) as client:

            def send(signal: str, body: bytes) -> str:
                sent = as_json(signal, body) if json_text else body
                answer: httpx.Response = client.post(f"/v1/{signal}", content=sent, headers={"content-type": kind})
                if answer.status_code == 200:
                    return ""
                assert answer.status_code == 413
                return str(answer.json()["message"] if json_text else Status.FromString(answer.content).message)

            yield send

    return opened


@contextmanager
def over_grpc(pipeline: IngestPipeline, limits: Limits, _folder: Path) -> Iterator[Send]:
    with served_grpc(receiver(pipeline, limits=limits)) as where, grpc.insecure_channel(where) as channel:

        def send(signal: str, body: bytes) -> str:
            export: Callable[..., bytes] = channel.unary_unary(METHODS[signal])
            try:
                export(body, timeout=30)
            except grpc.RpcError as error:
                return str(error.details())
            return ""

        yield send


def in_kafka(*, json_text: bool) -> IngestPath:
    """Pass records to the Kafka source without a broker."""

    @contextmanager
    def opened(pipeline: IngestPipeline, limits: Limits, _folder: Path) -> Iterator[Send]:
        def send(signal: str, body: bytes) -> str:
            result = KafkaTopicConfig.model_validate(
                {"format": "otlp_json" if json_text else "otlp_proto", "signal": signal}
            )
            return read_from_kafka(pipeline, result, [as_json(signal, body) if json_text else body], limits)

        yield send

    return opened


def in_files(*, json_text: bool) -> IngestPath:
    @contextmanager
    def opened(pipeline: IngestPipeline, limits: Limits, folder: Path) -> Iterator[Send]:
        def send(signal: str, body: bytes) -> str:
            path = folder / "requests"
            path.write_bytes(as_json(signal, body) if json_text else len(body).to_bytes(4) + body)
            return read_file(pipeline, path, limits)

        yield send

    return opened


INGEST_PATHS: dict[str, IngestPath] = {
    "http, protobuf": over_http(json_text=False),
    "http, json": over_http(json_text=True),
    "grpc": over_grpc,
    "kafka, protobuf": in_kafka(json_text=False),
    "kafka, json": in_kafka(json_text=True),
    "file, protobuf": in_files(json_text=False),
    "file, json": in_files(json_text=True),
}


def read_from_kafka(pipeline: IngestPipeline, topic: KafkaTopicConfig, values: list[bytes], limits: Limits) -> str:
    """Return the reason why a whole value was rejected; empty when all values were read."""
    reader, gathered = (
        RecordReader(topic, pipeline.normalizer, limits=limits),
        RecordBatch(normalizer=pipeline.normalizer),
    )
    for offset, value in enumerate(values):
        reader.read(value, f"{TOPIC} {offset}", gathered, pipeline.clock.now())
    pipeline.intake.submit(gathered.batch(())).wait(30)
    return _of_whole([letter.reason for letter in gathered.letters])


def read_file(pipeline: IngestPipeline, path: Path, limits: Limits) -> str:
    _, refused = ingest_file(pipeline, path, limits=limits)
    return _of_whole([one.reason for one in refused])


def _of_whole(reasons: list[str]) -> str:
    return next((reason for reason in reasons if not OF_PART.search(reason)), "")


NativePath = Callable[[IngestPipeline, list[dict[str, Any]], Limits, Path], object]


def kafka_records(pipeline: IngestPipeline, records: list[dict[str, Any]], limits: Limits, _folder: Path) -> None:
    values = [json.dumps(record).encode() for record in records]
    read_from_kafka(pipeline, KafkaTopicConfig(), values, limits)


def kafka_array(pipeline: IngestPipeline, records: list[dict[str, Any]], limits: Limits, _folder: Path) -> None:
    read_from_kafka(pipeline, KafkaTopicConfig(), [json.dumps(records).encode()], limits)


def lines(pipeline: IngestPipeline, records: list[dict[str, Any]], limits: Limits, folder: Path) -> None:
    path = folder / "calls.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    read_file(pipeline, path, limits)


def parquet(pipeline: IngestPipeline, records: list[dict[str, Any]], limits: Limits, folder: Path) -> None:
    """Objects are JSON text here."""
    path = folder / "calls.parquet"
    names = sorted({key for record in records for key in record})
    rows = [{n: json.dumps(v) if isinstance(v := r.get(n), dict | list) else v for n in names} for r in records]
    pq.write_table(pa.Table.from_pylist(rows), path)
    read_file(pipeline, path, limits)


NATIVE_PATHS: dict[str, NativePath] = {
    "kafka": kafka_records,
    "kafka, an array": kafka_array,
    "file, lines": lines,
    "file, parquet": parquet,
}
