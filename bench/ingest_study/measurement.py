"""One measurement with its conditions, and the file it is kept in: one JSON line each, appended when it is made."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.ingest_study.jobs import Job
from bench.replay_study.measurement import QUIET_LOAD, QUIET_OTHERS, Conditions


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """`spans` of `wall_s` seconds, from the first sending until the last could be queried; `acked_s` to its receipt.

    `cpu_s` is of the server alone, all its threads and children; `sender_cpu_s` of who sent. `ack_p50_ms` and
    `ack_p99_ms` count from when a batch was due. `disk_bytes` is what the server kept after it had come to rest.
    """

    program: str
    version: str
    code: str
    job: Job
    spans: int
    wall_s: float
    acked_s: float
    cpu_s: float
    sender_cpu_s: float
    ack_p50_ms: float
    ack_p99_ms: float
    refused: int
    disk_bytes: int
    peak_rss_mb: float
    others_cores: float
    conditions: Conditions

    @property
    def loaded(self) -> bool:
        """Others took from the machine what this needed."""
        return self.conditions.load_before >= QUIET_LOAD or self.others_cores >= QUIET_OTHERS

    @property
    def spans_a_second(self) -> float:
        return self.spans / self.wall_s

    @property
    def spans_a_core_second(self) -> float:
        return self.spans / self.cpu_s

    @property
    def bytes_a_span(self) -> float:
        return self.disk_bytes / self.spans


class Ledger:
    """One file a program in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def append(self, made: Measurement) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._path(made.program)
        torn = path.exists() and path.stat().st_size > 0 and not path.read_bytes().endswith(b"\n")
        with path.open("a", encoding="utf-8") as file:
            file.write(("\n" if torn else "") + json.dumps(_to_json(made), separators=(",", ":")) + "\n")

    def of(self, program: str) -> list[Measurement]:
        """In the order in which they were made; what a kill cut off is left out."""
        path = self._path(program)
        return list(_read(path.read_text(encoding="utf-8"))) if path.exists() else []

    def latest_of(self, program: str) -> list[Measurement]:
        """Those of the code that was measured last: two codes are never averaged."""
        made = self.of(program)
        return [one for one in made if one.code == made[-1].code]

    def _path(self, program: str) -> Path:
        return self._folder / f"{program}.jsonl"


def _to_json(made: Measurement) -> dict[str, object]:
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in asdict(made).items()}


def _read(text: str) -> Iterator[Measurement]:
    for line in text.splitlines():
        try:
            document = json.loads(line)
        except ValueError:
            continue  # what a kill cut off
        job, conditions = Job(**document.pop("job")), Conditions(**document.pop("conditions"))
        yield Measurement(**document, job=job, conditions=conditions)
