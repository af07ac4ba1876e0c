"""One measurement with its conditions, and the ledger that keeps it."""

from dataclasses import dataclass
from pathlib import Path

from bench.ledger import Json, Ledger
from bench.replay_study.jobs import Job

QUIET_LOAD = 1.5  # load average of the last minute before a measurement; above it the machine is loaded
QUIET_OTHERS = 0.25  # cores that other processes use during a measurement


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """Where and when. `load_before` is the load average of the minute before."""

    at: str
    machine: str
    cores: int
    python: str
    load_before: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """`first_request_s` is counted from the start of the process, `span_s` from there to the last answer.

    `endpoint_cpu_s`, `late_ms` (mean) and `most_late_ms` are the endpoint's own; `others_cores` is what processes that
    have nothing to do with the measurement used meanwhile.
    """

    program: str
    version: str
    code: str
    job: Job
    cpu_s: float
    peak_rss_mb: float
    wall_s: float
    first_request_s: float
    span_s: float
    endpoint_cpu_s: float
    late_ms: float
    most_late_ms: float
    most_in_flight: int
    connections: int
    others_cores: float
    conditions: Conditions

    @property
    def loaded(self) -> bool:
        return self.conditions.load_before >= QUIET_LOAD or self.others_cores >= QUIET_OTHERS

    @property
    def over_ideal(self) -> float:
        return self.span_s / self.job.ideal_s

    @property
    def endpoint_share(self) -> float:
        """Of one core, while it was asked."""
        return self.endpoint_cpu_s / self.span_s


def ledger_in(folder: Path) -> Ledger[Measurement]:
    return Ledger(folder, _from_json)


def _from_json(document: Json) -> Measurement:
    job, conditions = Job(**document.pop("job")), Conditions(**document.pop("conditions"))
    return Measurement(**document, job=job, conditions=conditions)
