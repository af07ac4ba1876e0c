"""The evidence of a finding: the nights of its set, and each channel on them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from monitor.domain.detectable import DetectableEffect


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedStep:
    """A step of an investigation that was run. `result` is what the step showed about the drop, `detail` has the
    numbers.
    """

    step: str
    result: str
    detail: str
    bits: float  # expected information before the step
    calls: int
    usd: float


@dataclass(frozen=True, slots=True, kw_only=True)
class UntriedStep:
    step: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedCause:
    """A suspect with the probability that it contributed to the drop; None when no replay separates the suspects."""

    suspect: str | None  # None: there was no drop, the alarm was false
    probability: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """The cause of a drop. `named` are the suspects that caused it together, empty for a false alarm, None when the
    cause is not identifiable. `why` has the evidence, or what is missing. `differences` are the recorded conditions
    that differ from those of the baseline.

    `confirmed` is True when each named suspect was tested by restoring its old condition. Otherwise the suspects come
    from records only, and `probability` is None. `statement` is the sentence that all screens and messages show.
    """

    named: tuple[str, ...] | None
    probability: float | None  # of the most probable explanation
    why: str
    differences: tuple[str, ...]
    causes: tuple[RankedCause, ...]
    tried: tuple[TriedStep, ...]
    not_tried: tuple[UntriedStep, ...]
    calls: int  # spent
    usd: float  # spent
    confirmed: bool = False
    statement: str = ""


Phase = Literal["learning", "silent", "change", "episode"]
Trigger = Literal["silent", "version"]
Kind = Literal["score", "mix", "behaviour", "judge"]
PinStatus = Literal["waiting", "level", "below", "accepted", "other_judge"]
Pairs = Literal["one_night", "nights"]
Range = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelEvidence:
    """One channel on the judged night. For an unannounced change: `e`, and `e_needed`, the average that all channels of
    its kind must reach. After an announced change: the two-sided `p` and its largest value for an alarm, `p_needed`,
    in the direction of `worse`.

    `before`, `after`, `delta` and `interval` are the rates in the compared nights and their difference, on `cases`
    cases. `detectable` are the smallest falls that this test finds. None means unknown.
    """

    kind: Kind
    channel: str
    e: float | None = None
    e_needed: float | None = None
    p: float | None = None
    p_needed: float | None = None
    worse: bool | None = None
    cases: int | None = None
    before: float | None = None
    after: float | None = None
    delta: float | None = None
    interval: Range | None = None
    detectable: tuple[DetectableEffect, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseEvidence:
    """How much scores vary without a change, in squared score units. `detectable` are the smallest falls of all cases
    that the tests find with these nights, from this night on. None means that these nights cannot show it.

    `repeats` counts the cases of a night with more than one answer: `within_variance` is computed from them, and
    without any from the nights of a case, which include more than sampling. `flip_rate` is how often two answers to one
    case in one night differ, None for graded scores. `case_night_variance` is the variance of single cases between
    nights beyond sampling.
    """

    nights: int
    within_variance: float | None
    night_variance: float | None
    night_interval: Range | None
    detectable: tuple[DetectableEffect, ...] = ()
    within_interval: Range | None = None
    repeats: int = 0
    flip_rate: float | None = None
    flip_interval: Range | None = None
    case_night_variance: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedRunEvidence:
    """The newest nights compared with the pinned ones; `delta` is after minus before with its 95 % intervals.

    `status`: `waiting` until the first planned look, `level`, `below` (an alarm), `accepted` when a baseline was
    accepted after that alarm, `other_judge` when the scorers differ from those of the pinned nights. `p` is one-sided,
    of the newest look, in the channel nearest to an alarm. `detected_run` is the last night of the look that raised the
    alarm.
    """

    pin_id: str
    run_id: str
    nights: int  # the number of pinned nights
    recent_nights: int
    status: PinStatus
    looks: int
    delta: float | None = None
    interval: Range | None = None
    interval_new_cases: Range | None = None
    channel: str | None = None
    p: float | None = None
    p_needed: float | None = None
    detected_run: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsistencyEvidence:
    """How often two answers to one case differ in the nights before an announced change and since. `delta` is after
    minus before with its 95 % interval, clustered by case. `pairs`: two answers of one night, or answers of two
    nights.

    Tested at the planned look after `nights` nights: two-sided `p`, and its largest value that counts, `p_needed`.
    `direction` is the significant direction, or None. It is never a regression.
    """

    cases: int
    nights: int
    pairs: Pairs
    before: float
    after: float
    delta: float
    interval: Range
    p: float
    p_needed: float
    direction: Literal["less", "more"] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseOverlap:
    """The overlap of the judged night with the nights before it. Without a carried-over case it starts a new
    baseline.
    """

    cases: int  # scored in the judged night
    carried_over: int  # of these, scored in an earlier night as well
    revisions: int  # among the examined nights


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The evidence of a finding. `phase` is the test that applies: none yet (learning), for an unannounced change
    (silent), after an announced change (change), or whether the drop of an open alert persists (episode).

    `kind`, `channel`, `trigger` and the onset are those of the alarm, None without one. `delta` is after minus before
    with a 95 % interval for these cases and one for new cases like them, both conditional on the alarm. `e` is an
    e-value against 'nothing changed', `p` a p-value: one of them is set, with its threshold.
    """

    phase: Phase
    nights: int  # examined, including the judged one
    baseline_nights: int
    baseline_first_run: str | None
    baseline_last_run: str | None
    case_overlap: CaseOverlap
    trigger: Trigger | None = None
    kind: Kind | None = None
    channel: str | None = None
    onset_run: str | None = None
    onset_at: datetime | None = None
    delta: float | None = None
    interval: Range | None = None
    interval_new_cases: Range | None = None
    e: float | None = None
    e_needed: float | None = None
    p: float | None = None
    p_needed: float | None = None
    channels: tuple[ChannelEvidence, ...] = ()
    noise: NoiseEvidence | None = None
    not_tested: tuple[str, ...] = ()
    pinned_run: PinnedRunEvidence | None = None
    open_alert_change: ChannelEvidence | None = (
        None  # set while an alert stays open: the newest nights compared with its baseline
    )
    cause: Cause | None = None  # of the finding that opened an alert
    consistency: ConsistencyEvidence | None = None  # after a known change of the version
