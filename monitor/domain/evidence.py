"""What a finding rests on beyond two runs: the nights of its set, and what each channel says about them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from monitor.domain.detectable import DetectableEffect


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedStep:
    """A step that was taken: `showing` is what it showed of the drop, `detail` the numbers behind."""

    step: str
    result: str
    detail: str
    bits: float  # of information expected of it beforehand
    calls: int
    usd: float


@dataclass(frozen=True, slots=True, kw_only=True)
class UntriedStep:
    step: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedCause:
    """`probability` is that it had a part in the drop; None where no replay tells the suspects apart."""

    suspect: str | None  # None: nothing made a drop, the alarm was false
    probability: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """`named` are the suspects that made the drop together, empty where nothing did, None when it is not identifiable;
    `why` is what that rests on, or what is missing. `differences` are the recorded conditions that are not those of the
    baseline.

    `confirmed` is True when each named suspect was put back and the scores were looked at again. Otherwise the records
    alone name it, and `probability` is None. `statement` is the sentence that every surface shows.
    """

    named: tuple[str, ...] | None
    probability: float | None  # of the likeliest explanation
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
    """One channel tonight. Silent drift: `e` and what all channels of its kind must average to, `e_needed`. After a
    change: the two-sided `p` and what it must not exceed, `p_needed`, in the direction of worse (`worse`).

    `before`, `after`, `delta` and `interval` are the channel's rates in the compared nights and their difference, on
    `cases` cases. `detectable` are the smallest falls that this test finds. None where it is not known.
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
    """How much scores move by themselves, in squared score units; `detectable` are the smallest falls of all cases that
    these nights let the tests find from tonight on, announced or not. None is what these nights cannot tell.

    `repeats` counts the cases of a night that were asked more than once: `within_variance` rests on them, and without
    any on the nights of a case, which hold more than sampling. `flip_rate` is how often two answers to one case in one
    night differ, None of graded scores; `case_night_variance` what moves single cases between nights beyond sampling.
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
    """The newest nights beside the pinned ones, `delta` being after minus before with its 95 % intervals.

    `status`: `waiting` until the first planned look, `level`, `below` and so to be told, `accepted` when a baseline
    was accepted after it was told, `other_judge` when scores are no longer those of the pinned nights. `p` is that of
    the newest look, one-sided, in the channel nearest to an alarm; `detected_run` the last night of the look that told.
    """

    pin_id: str
    run_id: str
    nights: int  # pinned
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
    """How often two answers to one case differ in the nights before a known change and since, `delta` being after minus
    before with its 95 % interval, clustered by case. `pairs`: two answers of one night, or answers of two nights.

    Judged at the planned look after `nights` nights: `p`, two-sided, and what it must not exceed, `p_needed`. `told`
    says which way it did. It is never a regression.
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
    """How the judged night hangs together with those before it; nothing carried over is a new baseline."""

    cases: int  # scored in the judged night
    carried_over: int  # of these, scored in an earlier night as well
    revisions: int  # among the nights looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """`phase` says which test was asked: none yet (learning), that for drift without a known change (silent), that
    after a known change (change), or whether an open alert's drop is still there (episode).

    `kind`, `channel`, `trigger` and the onset are those of the alarm, None without one. `delta` is after minus before
    with a 95 % interval for these cases and one for new cases like them, both conditional on the alarm. `e` is evidence
    against "nothing changed", `p` a p-value: one of them is given, beside what it had to reach.
    """

    phase: Phase
    nights: int  # looked at, the judged one included
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
        None  # of an open alert that is not over: the newest nights against its baseline
    )
    cause: Cause | None = None  # of the finding that opened an alert
    consistency: ConsistencyEvidence | None = None  # after a known change of the version
