"""Findings, baselines and the noise floor."""

from datetime import date, datetime
from typing import Literal

from pydantic import Field

from monitor.api.schema.cause import CauseItem
from monitor.api.schema.comparisons import ComparisonItem
from monitor.api.schema.decided import AcceptanceItem, DecidingTestItem, DetectableEffectItem
from monitor.api.schema.pins import PinnedRunEvidenceItem
from monitor.api.schema.production import ProductionEvidenceItem, SeriesName
from monitor.api.schema.wire import Wire


class ChannelEvidenceItem(Wire):
    """One channel of the judged night: `e` and `e_needed` for an unannounced change, `p` and `p_needed` (two-sided, in
    the direction of `worse`) after an announced one. Rates and their difference are those of the compared nights, on
    `cases` cases.
    """

    kind: Literal["score", "mix", "behaviour", "judge"]
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
    interval: tuple[float, float] | None = None
    detectable: tuple[DetectableEffectItem, ...] = ()


class NoiseEvidenceItem(Wire):
    """Variances in squared score units; null if these nights are not enough. `within_variance` comes from the
    `repeats`: cases that were answered more than once in a night. `flip_rate` is the share of such pairs of answers
    that differ.
    """

    nights: int
    within_variance: float | None
    night_variance: float | None
    night_interval: tuple[float, float] | None
    detectable: tuple[DetectableEffectItem, ...] = ()
    within_interval: tuple[float, float] | None = None
    repeats: int = 0
    flip_rate: float | None = None
    flip_interval: tuple[float, float] | None = None
    case_night_variance: float | None = None


class ConsistencyEvidenceItem(Wire):
    """How often two answers to one case differ, before and after an announced change, with the 95 % interval of the
    difference, at the planned look after `nights` nights. `pairs`: two answers of one night, or of two nights.
    `direction` is whether the new version is less or more consistent; this is no regression.
    """

    cases: int
    nights: int
    pairs: Literal["one_night", "nights"]
    before: float
    after: float
    delta: float
    interval: tuple[float, float]
    p: float
    p_needed: float
    direction: Literal["less", "more"] | None


class CaseOverlapItem(Wire):
    cases: int
    carried_over: int
    revisions: int


class EvidenceItem(Wire):
    """The evidence of a finding over many nights. Kind, channel, trigger and onset belong to the alarm and are null
    without one. `delta` is after minus before, with 95 % intervals for these cases and for new cases of the same
    kind.
    """

    phase: Literal["learning", "silent", "change", "episode"]
    trigger: Literal["silent", "version"] | None
    kind: Literal["score", "mix", "behaviour", "judge"] | None
    channel: str | None
    onset_run: str | None
    onset_at: datetime | None
    delta: float | None
    interval: tuple[float, float] | None
    interval_new_cases: tuple[float, float] | None
    e: float | None
    e_needed: float | None
    p: float | None
    p_needed: float | None
    nights: int
    baseline_nights: int
    baseline_first_run: str | None
    baseline_last_run: str | None
    case_overlap: CaseOverlapItem
    channels: list[ChannelEvidenceItem]
    noise: NoiseEvidenceItem | None
    not_tested: list[str]
    pinned_run: PinnedRunEvidenceItem | None = None
    open_alert_change: ChannelEvidenceItem | None = None
    cause: CauseItem | None = None
    consistency: ConsistencyEvidenceItem | None = None


class BaselineItem(Wire):
    """An accepted baseline: the nights of the set from `run_id` on are normal. The old baseline, from `old_first_run`
    to `old_last_run`, stays comparable. For a production `series`, the baseline starts on the day `counts_from`.
    """

    id: str
    deployment: str
    set_name: str | None
    series: SeriesName | None = None
    run_id: str | None
    counts_from: datetime
    finding_id: str
    at: datetime
    who: str
    reason: str
    old_first_run: str | None
    old_last_run: str | None


class AcceptFinding(Wire):
    """Accept a finding as the new baseline of its set."""

    finding_id: str = Field(min_length=1, max_length=200)
    reason: str = Field(min_length=1, max_length=1000)


class DetectableByCasesItem(Wire):
    """The smallest announced change that `cases` cases with the noise of this set detect within `nights`, with 80 %
    power. `effect` is a share.
    """

    cases: int
    nights: int
    effect: float


class NeededCasesItem(Wire):
    """The cases that detect a change of `effect` within `nights`, with 80 % power; null when no number of cases does,
    because whole nights vary by more.
    """

    effect: float
    nights: int
    cases: int | None


class NoiseItem(Wire):
    """The noise of a set's scores, from the nights of its newest version. Variances are in squared score units.
    `within_variance` is the variance of one sample of a case within one night, measured on `repeats`: cases that
    were answered more than once in a night; without repeats it is all variation of a case. `case_night_variance` is
    the additional variation of single cases between nights, `night_variance` that of whole nights. `flip_rate` is
    how often two answers to one case in one night differ, null for graded scores. `detectable` are the smallest
    falls, beginning the next night, that would be detected: unannounced and announced, in that night and within 7
    nights. `curve` has the smallest effect by number of cases, `needed` the inverse; both are empty without enough
    nights. Null means that these nights are not enough.
    """

    deployment: str
    set_name: str
    nights: int
    cases: int
    samples: float
    repeats: int
    within_variance: float | None
    within_interval: tuple[float, float] | None
    flip_rate: float | None
    flip_interval: tuple[float, float] | None
    case_night_variance: float | None
    night_variance: float | None
    night_interval: tuple[float, float] | None
    detectable: tuple[DetectableEffectItem, ...] = ()
    curve: tuple[DetectableByCasesItem, ...] = ()
    needed: tuple[NeededCasesItem, ...] = ()


class GateCaseItem(Wire):
    """A critical case at the severity gate: `violations` of its `samples` in the judged run have forbidden content."""

    case_id: str
    category: str
    samples: int
    violations: int
    state: Literal["failing", "unconfirmed", "unknown", "passed"]


class GateEvidenceItem(Wire):
    """The cases of a finding of the severity gate. `failures_needed` fresh samples of one case must fail."""

    failures_needed: int
    cases: tuple[GateCaseItem, ...]


class PartItem(Wire):
    """One part of a dynamic set in a run: `sampled` from production, `corrected` by users, or `imported`.

    `passed` of the `scored` cases passed. The rates `baseline` and `candidate` are those of the `n` paired cases and
    are null without a comparison, as is the 95 % interval of their difference. No improvement is claimed for the
    corrected part, because a version failed its cases.
    """

    part: str
    cases: int
    scored: int
    passed: int
    verdict: Literal["ok", "regression", "improvement", "insufficient", "failed", "drift"]
    reason: str
    n: int
    baseline: float | None
    candidate: float | None
    effect: float | None
    ci_low: float | None
    ci_high: float | None


class FindingItem(Wire):
    """A finding about a replay (`set_name`, `set_kind`, `candidate_run`), about a production `series` up to `day`, or
    about a `source` of records; the fields of other subjects are null. `decided` has the numbers of the deciding
    test; `comparison` compares two runs, and its p-values and `mde` are null unless they decided. `severity_gate` has
    the cases of a finding with the signal `severity_gate`; it has no statistics. `part` is the part of a dynamic set
    that decided, `parts` has the results of all its parts. `metric` is the watched metric that the finding is about;
    null for the deciding verdict of the set. `held_back` is why a finding opens and resolves no alert.
    """

    id: str
    deployment: str
    at: datetime
    signal: str
    segment: str
    set_name: str | None
    set_kind: Literal["frozen", "dynamic"] | None
    series: SeriesName | None = None
    day: date | None = None
    source: str | None = None
    verdict: Literal["ok", "regression", "improvement", "insufficient", "failed", "drift"]
    severity: str
    reason: str
    alpha: float
    candidate_run: str | None
    baseline_run: str | None
    from_version: str | None
    to_version: str | None
    change_id: str | None
    comparison: ComparisonItem | None
    evidence: EvidenceItem | None = None
    production: ProductionEvidenceItem | None = None
    decided: DecidingTestItem | None = None
    acceptance: AcceptanceItem | None = None
    severity_gate: GateEvidenceItem | None = None
    part: str | None = None
    parts: list[PartItem] = Field(default_factory=list)
    metric: str | None = None
    held_back: str | None = None
