"""Evidence, night by night, that something changed although nothing was announced."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from monitor.drift.history import History
from monitor.stats.behaviour import behaviour_z
from monitor.stats.certain_nights import draw_certain
from monitor.stats.conformal_z import conformal_z
from monitor.stats.failure_mix import MixScores, failure_mix_z
from monitor.stats.shiryaev_roberts import NEVER, PART, WHOLE, Evidence, shiryaev_roberts
from monitor.stats.studentise import studentise
from monitor.stats.two_version import membership

Floats = NDArray[np.float64]
OVERALL = "overall"
OVERALL_WEIGHT = 0.5  # the categories share the rest


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Channels:
    """One kind of drift: its channels by name, their evidence from `start` on, and the average, log [nights]."""

    names: tuple[str, ...]
    evidence: Evidence
    log_e: Floats

    def strongest(self, night: int) -> tuple[str, int]:
        """The channel with the largest likelihood ratio by then, and the onset (from `start`) it belongs to."""
        column = int(self.evidence.log_best[night].argmax())
        return self.names[column], int(self.evidence.onset[night, column])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SilentEvidence:
    """Nights are counted from `start`, the first night of the reference."""

    start: int
    score: Channels
    mix: Channels | None
    behaviour: Channels


def silent_evidence(history: History, start: int, end: int, first_onset: int) -> SilentEvidence:
    """The evidence of the nights [start, end), all answered by one version; onsets from `first_onset` on (absolute)."""
    onset = first_onset - start
    return SilentEvidence(
        start=start,
        score=_score(history, start, end, onset),
        mix=_mix(history, start, end, onset),
        behaviour=_behaviour(history, start, end, onset),
    )


def channel_names(history: History) -> tuple[str, ...]:
    """Overall, then the categories by name; one category alone says nothing that overall does not."""
    names = sorted(set(history.categories))
    return (OVERALL, *names) if len(names) > 1 else (OVERALL,)


def score_members(history: History) -> Floats:
    return membership(history.categories, channel_names(history)[1:])


def _score(history: History, start: int, end: int, onset: int) -> Channels:
    names = channel_names(history)
    uniforms = np.stack([history.uniforms(f"score/{name}")[start:end] for name in names], axis=1)
    tally, members = history.tally.between(start, end), score_members(history)
    z = draw_certain(conformal_z(tally, members, uniforms), tally, members, uniforms)
    evidence = shiryaev_roberts(-studentise(z), onset, [WHOLE, *[PART] * (len(names) - 1)])
    parts = len(names) - 1
    weights = np.array([OVERALL_WEIGHT, *[(1.0 - OVERALL_WEIGHT) / parts] * parts]) if parts else np.ones(1)
    return Channels(names=names, evidence=evidence, log_e=evidence.average(weights))


def _mix(history: History, start: int, end: int, onset: int) -> Channels | None:
    scores = mix_scores(history, start, end, onset)
    if not scores.names:
        return None
    evidence = shiryaev_roberts(studentise(scores.z), onset, [PART] * len(scores.names))
    # Nobody knew of a failure category before its first night: its silence must not count as evidence there.
    evidence = replace(evidence, log_e=np.where(scores.seen, evidence.log_e, NEVER))
    return Channels(names=scores.names, evidence=evidence, log_e=evidence.average(scores.weights))


def mix_scores(history: History, start: int, end: int, onset: int) -> MixScores:
    return failure_mix_z(
        {name: counts[start:end] for name, counts in history.failures.items()},
        history.labelled_count[start:end],
        {name: history.uniforms(f"mix/{name}")[start:end] for name in history.failures},
        baseline=onset,
    )


def _behaviour(history: History, start: int, end: int, onset: int) -> Channels:
    tally = history.tally.between(start, end)
    everyone, uniforms = np.ones((len(history.categories), 1)), history.uniforms("behaviour")[start:end]
    z = draw_certain(behaviour_z(tally)[:, None], tally, everyone, uniforms[:, None])
    evidence = shiryaev_roberts(-studentise(z), onset, [WHOLE])
    return Channels(names=(OVERALL,), evidence=evidence, log_e=evidence.log_e[:, 0])
