"""One measurement with its conditions, and the ledger that stores it."""

from dataclasses import dataclass
from pathlib import Path

from bench.ingest_study.jobs import Job
from bench.ledger import Json, Ledger
from bench.replay_study.measurement import QUIET_LOAD, QUIET_OTHERS, Conditions


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """A measurement. `wall_s` is the time from the first request until all `spans` could be queried; `acked_s` the time
    until the last acknowledgement.

    `cpu_s` is the CPU time of the server with all threads and children, `sender_cpu_s` that of the sender. `ack_p50_ms`
    and `ack_p99_ms` count from the time when a batch was due. `disk_bytes` is the size after the server was idle.
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
        """Whether other programs used CPU time that the measurement needed."""
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


def ledger_in(folder: Path) -> Ledger[Measurement]:
    return Ledger(folder, _from_json)


def _from_json(document: Json) -> Measurement:
    job, conditions = Job(**document.pop("job")), Conditions(**document.pop("conditions"))
    return Measurement(**document, job=job, conditions=conditions)
