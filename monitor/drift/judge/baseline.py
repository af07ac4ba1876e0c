"""Which earlier run a run is compared with."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from monitor.domain.run import Run, Trigger
from monitor.domain.version import Change


class BaselineReason(StrEnum):
    OPEN_ALERT = "the run the open alert was raised against"
    BEFORE_CHANGE = "the last run before the change"
    FIRST_OF_VERSION = "the first run of this version"
    BEFORE_ONSET = "the last run before the onset"


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    run: Run
    why: BaselineReason


def choose_baseline(
    candidate: Run,
    history: Sequence[Run],
    open_alert_baseline: str | None,
    *,
    change: Change | None = None,
    min_scored_share: float = 0.9,
) -> Baseline | None:
    """The run that `candidate` is judged against; None when no earlier run can serve.

    `history` holds the complete runs of the same deployment and set, oldest first; the candidate itself and runs that
    finished after it are passed over. `open_alert_baseline` is the baseline run of the set's open alert, `change` the
    one that triggered the candidate. Runs scored on less than `min_scored_share` of their samples (an outage) never
    serve: a change that happened during an outage would otherwise be compared with itself, and missed.
    """
    earlier = [run for run in history if _finished_before(run, candidate)]
    open_alert_run = next((run for run in earlier if run.id == open_alert_baseline), None)
    if open_alert_run is not None:
        return Baseline(run=open_alert_run, why=BaselineReason.OPEN_ALERT)
    usable = [run for run in earlier if scored_share(run) >= min_scored_share]
    if not usable:
        return None
    if change is not None or candidate.trigger is Trigger.CHANGE or _differs(candidate, earlier[-1]):
        return Baseline(run=_last_before_change(usable, change), why=BaselineReason.BEFORE_CHANGE)
    segment = _runs_of_version(candidate, earlier)
    first = next((run for run in segment if run in usable), None)
    if first is None:  # the version has only been seen in an outage: its change is still to be judged
        return Baseline(run=usable[-1], why=BaselineReason.BEFORE_CHANGE)
    return Baseline(run=first, why=BaselineReason.FIRST_OF_VERSION)


def scored_share(run: Run) -> float:
    """Share of the planned samples that have a verdict, as the manifest counts them; 1.0 where it does not say."""
    scored = run.manifest.get("scored") if run.manifest is not None else None
    planned = run.cases_asked * run.samples + run.repeats
    return scored / planned if isinstance(scored, int) and planned > 0 else 1.0


def _finished_before(run: Run, candidate: Run) -> bool:
    if run.id == candidate.id or run.finished_at is None:
        return False
    return candidate.finished_at is None or run.finished_at <= candidate.finished_at


def _differs(candidate: Run, earlier: Run) -> bool:
    """A run whose replies did not say what served them is no evidence of a change."""
    return candidate.version is not None and earlier.version is not None and candidate.version != earlier.version


def _last_before_change(usable: Sequence[Run], change: Change | None) -> Run:
    """The newest run of what the change left behind; the newest of all where no such run exists."""
    if change is None:
        return usable[-1]
    if change.from_version == change.to_version:  # the fingerprint shifted: only time tells before from after
        before_change = [run for run in usable if run.finished_at is not None and run.finished_at <= change.at]
    else:
        before_change = [run for run in usable if run.version == change.from_version]
    return before_change[-1] if before_change else usable[-1]


def _runs_of_version(candidate: Run, earlier: Sequence[Run]) -> list[Run]:
    """The newest runs without a change of version among them, oldest first."""
    segment: list[Run] = []
    for run in reversed(earlier):
        if _differs(candidate, run):
            break
        segment.append(run)
    return segment[::-1]
