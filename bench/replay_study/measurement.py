"""One measurement with its conditions, and the file it is kept in: one JSON line each, appended when it is made."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

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


class Ledger:
    """One file a program in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def append(self, made: Measurement) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._path(made.program)
        torn = path.exists() and not path.read_bytes().endswith(b"\n") and path.stat().st_size > 0
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
