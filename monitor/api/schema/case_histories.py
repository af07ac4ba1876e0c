"""Cases over runs: the list of a set, and the history of one case."""

from datetime import datetime
from typing import Literal

from monitor.api.schema.runs import OutcomeItem
from monitor.api.schema.sets import CaseItem
from monitor.api.schema.wire import Wire

CaseStateName = Literal["failing", "newly_failing", "flaky", "never_passes", "too_easy"]


class CaseTrendItem(Wire):
    """A case with its figures over the newest runs of its set.

    `runs` scored the case and `failed` of them failed it; `fail_share` is the difficulty. Of `pairs` of answers of one
    night, `disagreeing` have different verdicts; of `night_pairs` consecutive nights of one version, `flips` have.
    `passed` and `failure_category` are of the newest run; both are null when it did not score the case, and
    `failure_category` is null for a case that passed.
    """

    case_id: str
    category: str
    severity: str
    part: str | None
    cluster: str | None
    runs: int
    failed: int
    fail_share: float | None
    pairs: int
    disagreeing: int
    night_pairs: int
    flips: int
    passed: bool | None
    failure_category: str | None
    states: list[CaseStateName]


class CaseTrendsItem(Wire):
    """A page of the cases of a set. `runs` are the runs that count, up to `run_id`, which ended `at`. `total` is the
    number of cases that match, and `states` counts those that match the other filters by state.
    """

    set_name: str
    revision: str
    deployment: str | None
    run_id: str | None
    at: datetime | None
    runs: int
    total: int
    states: dict[CaseStateName, int]
    categories: list[str]
    severities: list[str]
    parts: list[str]
    failure_categories: list[str]
    items: list[CaseTrendItem]
    next_cursor: str | None


class CaseAnswerItem(Wire):
    """One answer. `kind`: a planned `sample`, the `repeat` of a night, or a `fresh` sample of the severity gate. Only
    samples decide the verdict of a run; only samples and repeats count for flakiness.
    """

    sample: int
    kind: Literal["sample", "repeat", "fresh"]
    passed: bool | None
    value: float | None
    failure_category: str


class CaseRunItem(Wire):
    """The case in one run. `passed` is its verdict, null without a score. `same_content` is false when the run asked
    the case with another content; such a run counts in no figure.
    """

    run_id: str
    at: datetime
    version: str | None
    version_label: str | None
    trigger: str
    passed: bool | None
    same_content: bool
    answers: list[CaseAnswerItem]


class CaseVersionItem(Wire):
    """The case under one version: `passes` of `answers`, with Wilson's 95 % interval of the pass rate, and `failed` of
    `nights`.
    """

    version: str | None
    version_label: str | None
    first_at: datetime
    nights: int
    failed: int
    answers: int
    passes: int
    pass_rate: float
    ci_low: float
    ci_high: float


class CaseExposureCountItem(Wire):
    """How often the content of the case was sent to an endpoint and revealed; `recent_calls`: in the last 30 days."""

    calls: int
    reveals: int
    providers: int
    people: int
    recent_calls: int
    last_at: datetime | None
    budget: int | None


class CaseRevisionItem(Wire):
    """A revision that brought the case into the set, or changed its content."""

    revision: str
    at: datetime
    origin: str
    part: str | None
    change: Literal["entered", "changed"]


class CaseOriginItem(Wire):
    """The candidate that became the case: the correction or the sampled call that it came from."""

    candidate_id: str
    deployment: str
    interaction_id: str
    failure_category: str
    proposed_at: datetime
    decided_at: datetime | None
    decided_by: str | None


class CaseHistoryItem(Wire):
    """One case over the newest runs of its set, the oldest first. It has no text of the case or of an answer.
    `exposure` is null for a set that is not sealed, `origin` for a case that was imported. `variants` are the other
    cases of its cluster. `failed_versions` of `versions` failed the case in at least half of their nights.
    """

    set_name: str
    revision: str
    sealed: bool
    deployment: str | None
    trend: CaseTrendItem
    failed_versions: int
    runs: list[CaseRunItem]
    versions: list[CaseVersionItem]
    revisions: list[CaseRevisionItem]
    origin: CaseOriginItem | None
    exposure: CaseExposureCountItem | None
    variants: list[CaseTrendItem]


class CaseRepliesItem(Wire):
    """One case with its replies in one run. If `sealed`, all texts are null unless the role `reveal` requests them."""

    run_id: str
    sealed: bool
    case: CaseItem
    outcomes: list[OutcomeItem]
