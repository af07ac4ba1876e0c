"""Change-point detection: the evidence, night by night, that something changed without announcement.

1. Each channel gets a standard normal score for each night (`conformal_scores`): is the night unusual among the nights
   so far?
2. Scores are divided by the spread of the earlier scores (`studentise`), because nights vary for other reasons too.
3. A Shiryaev-Roberts mixture accumulates the evidence over all possible onsets and sizes (`shiryaev_roberts`). The
   evidence of the channels is averaged, and the evidence of a collapse in one night is added.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from monitor.drift.detect.collapse import CERTAIN_FALL, collapse_log_e, night_falls
from monitor.drift.detect.history import History
from monitor.drift.detect.night_scores import (
    OVERALL,
    channel_names,
    failure_scores,
    night_behaviour,
    night_scores,
    score_members,
)
from monitor.drift.detect.window import Window
from monitor.stats.change_point.shiryaev_roberts import NEVER, PART, WHOLE, Evidence, shiryaev_roberts
from monitor.stats.conformal_z import Scores, conformal_scores
from monitor.stats.failure_mix import MixScores, failure_mix_scores
from monitor.stats.studentise import studentise

Floats = NDArray[np.float64]
OVERALL_WEIGHT = 0.5  # the categories share the rest
OWN_FALL = -2.0  # score by the version's own nights, from which on the nights before it may add to a collapse


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """The nights [start, end) of one version that the evidence covers.

    - `first_onset`: the first night that can be the onset of a change of the score.
    - `other_first_onset`: the same for failure categories and behaviour.
    - `first_collapse`: the first night that can be a collapse.
    - `earlier_nights`: nights before `start` that measure how much nights vary.
    - `same_level_until`: before this night, `earlier_nights` also count as nights of the same level, although another
      version answered them.
    """

    start: int
    end: int
    first_onset: int
    other_first_onset: int
    first_collapse: int
    earlier_nights: Window | None = None
    same_level_until: int = 0

    @classmethod
    def first(cls, start: int, end: int, other_first_onset: int) -> Self:
        """Return the span of the first version, or of nights without earlier ones."""
        return cls(
            start=start,
            end=end,
            first_onset=other_first_onset,
            other_first_onset=other_first_onset,
            first_collapse=other_first_onset,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Channels:
    """The channels of one kind, by name, with their evidence from `start` on and the average, log [nights].

    `collapsed` [nights] is the channel that collapsed in that night, -1 for none; `fall` [nights] is the fall of the
    first channel.
    """

    names: tuple[str, ...]
    evidence: Evidence
    log_e: Floats
    collapsed: NDArray[np.int64] | None = None
    fall: Floats | None = None

    def certain(self, night: int) -> bool:
        """Return whether all cases collapsed by more than the noise of any version explains."""
        if self.collapsed is None or self.fall is None:
            return False
        return bool(self.collapsed[night] == 0 and self.fall[night] >= CERTAIN_FALL)

    def strongest(self, night: int) -> tuple[str, int]:
        """Return the channel with the largest likelihood ratio by that night, and its onset counted from `start`."""
        if self.collapsed is not None and self.collapsed[night] >= 0:
            first = night
            while first > 0 and self.collapsed[first - 1] == self.collapsed[night]:
                first -= 1
            return self.names[self.collapsed[night]], first
        column = int(self.evidence.log_best[night].argmax())
        return self.names[column], int(self.evidence.onset[night, column])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UnannouncedChangeEvidence:
    """The evidence by kind. Nights are counted from `start`, the first night of the reference."""

    start: int
    score: Channels
    mix: Channels | None
    behaviour: Channels


def unannounced_change_evidence(history: History, span: Span, log_needed: float) -> UnannouncedChangeEvidence:
    """Return the evidence of the nights of a span; `log_needed` is the threshold of the score."""
    return history.once(
        ("unannounced_change_evidence", span, log_needed),
        lambda: UnannouncedChangeEvidence(
            start=span.start,
            score=_score_channels(history, span, log_needed),
            mix=_mix_channels(history, span),
            behaviour=_behaviour_channels(history, span),
        ),
    )


def _score_channels(history: History, span: Span, log_needed: float) -> Channels:
    names, members = channel_names(history), score_members(history)
    # Step 1: score each night against the nights of this version so far.
    own_scores = night_scores(history, Window(start=span.start, end=span.end))
    earlier_nights = None if span.earlier_nights is None else night_scores(history, span.earlier_nights)
    # Step 2: divide by the spread of the earlier nights, those of the version before included.
    u = studentise(own_scores, earlier_nights, shares=members.mean(axis=0))
    # Step 3: accumulate evidence for a fall, hence -u.
    evidence = shiryaev_roberts(-u, span.first_onset - span.start, [WHOLE, *[PART] * (len(names) - 1)])
    categories = len(names) - 1
    # Overall has half of the weight, the categories share the other half.
    weights = (
        np.array([OVERALL_WEIGHT, *[(1.0 - OVERALL_WEIGHT) / categories] * categories]) if categories else np.ones(1)
    )
    # Step 4: add the evidence of a single night. Its weights are part of the budget of the average.
    fall = night_falls(history.tally.between(span.start, span.end), members)
    collapse = _collapse_evidence(history, span, own_scores, fall, log_needed)
    has_collapsed = np.isfinite(collapse.max(axis=1))
    return Channels(
        names=names,
        evidence=evidence,
        log_e=np.logaddexp(evidence.average(weights), collapse.max(axis=1)),
        collapsed=np.where(has_collapsed, collapse.argmax(axis=1), -1),
        fall=fall[:, 0],
    )


def _collapse_evidence(history: History, span: Span, own_scores: Scores, fall: Floats, log_needed: float) -> Floats:
    """Return [nights, C]: the log evidence of a collapse in each night. `fall` are the `night_falls` of the span.

    After a change without harm so far, the nights before it have the same level. They are pooled with the nights of the
    new version, so that its second night can be tested. A pooled night must also be below the new version's own nights.
    """
    scores, nights = own_scores, span.end - span.start
    same_level_nights = span.same_level_until - span.start
    if same_level_nights > 0 and span.earlier_nights is not None:
        # Score the nights as if both versions were one: with few own nights this is the only comparison.
        tally, members = history.tally.between(span.start, span.end), score_members(history)
        combined = history.tally.between(span.earlier_nights.start, span.earlier_nights.end).then(tally)
        combined_scores, combined_falls = conformal_scores(combined, members), night_falls(combined, members)
        # Use the combined score only on nights that are low by the version's own nights too.
        pooled = (np.arange(nights) < same_level_nights)[:, None] & (np.nan_to_num(own_scores.z) <= OWN_FALL)
        scores = Scores(
            z=np.where(pooled, combined_scores.z[-nights:], own_scores.z),
            square=np.where(pooled, combined_scores.square[-nights:], own_scores.square),
        )
        # Take the smaller of both falls: neither comparison alone may call it large.
        fall = np.where(pooled, np.minimum(fall, combined_falls[-nights:]), fall)
    log_e = collapse_log_e(scores, np.nan_to_num(fall), log_needed)
    # Baseline nights cannot be a collapse.
    log_e[: max(span.first_collapse - span.start, 1)] = NEVER
    return log_e


def _mix_channels(history: History, span: Span) -> Channels | None:
    mix = mix_scores(history, span)
    if not mix.names:
        return None
    evidence = shiryaev_roberts(studentise(mix.scores), span.other_first_onset - span.start, [PART] * len(mix.names))
    # A failure category is unknown before its first night: its absence must not count as evidence there.
    evidence = replace(evidence, log_e=np.where(mix.seen, evidence.log_e, NEVER))
    return Channels(names=mix.names, evidence=evidence, log_e=evidence.average(mix.weights))


def mix_scores(history: History, span: Span) -> MixScores:
    return failure_mix_scores(
        {name: counts[span.start : span.end] for name, counts in history.failures.items()},
        history.labelled_count[span.start : span.end],
        baseline=span.other_first_onset - span.start,
        scores_of=lambda name: failure_scores(history, name, Window(start=span.start, end=span.end)),
    )


def _behaviour_channels(history: History, span: Span) -> Channels:
    scores = night_behaviour(history, Window(start=span.start, end=span.end))
    evidence = shiryaev_roberts(-studentise(scores), span.other_first_onset - span.start, [WHOLE])
    return Channels(names=(OVERALL,), evidence=evidence, log_e=evidence.log_e[:, 0])
