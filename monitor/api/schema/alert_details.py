"""The details of one alert: what differs between its versions, and its evidence over the nights."""

from datetime import datetime
from typing import Literal

from monitor.api.schema.wire import Wire


class VersionDifferenceItem(Wire):
    """One value that differs between two versions; null means that it is not set. A prompt without a name is identified
    by its digest.
    """

    what: Literal["model", "prompt", "parameters"]
    name: str
    before: str | None
    after: str | None


class AlertDiffItem(Wire):
    """What differs between the versions of an alert. `prompt_before` and `prompt_after` are the texts of the system
    prompt if it differs; null for a text that is not stored.
    """

    alert_id: str
    from_version: str | None
    to_version: str | None
    from_label: str | None
    to_label: str | None
    differences: list[VersionDifferenceItem]
    prompt_before: str | None
    prompt_after: str | None


class AlertNightItem(Wire):
    """One finding about the subject of an alert. `rate` is that of its judged run on `cases` paired cases.

    `e` with `e_needed`, or `p` with `p_needed`, is the evidence of the channel of the alert; null if the night was not
    tested. `worse` is the direction of `p`. `delta` is after minus before with its 95 % `interval`.
    """

    finding_id: str
    at: datetime
    run_id: str | None
    version: str | None
    version_label: str | None
    verdict: str
    rate: float | None
    cases: int | None
    delta: float | None
    interval: tuple[float, float] | None
    e: float | None
    e_needed: float | None
    p: float | None
    p_needed: float | None
    worse: bool | None


class AlertEvidenceItem(Wire):
    """The nights of the subject of an alert, the oldest first: at most `most`, the newest until the alert resolved.

    `channel` is the channel that decided: overall, a category, a failure category or a metric. `rate_of` is what `rate`
    is about: overall or a category. `is_share` is whether `rate` is a share of passed cases.
    """

    alert_id: str
    channel: str
    rate_of: str
    is_share: bool
    most: int
    nights: list[AlertNightItem]
