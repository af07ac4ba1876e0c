"""Pinned runs, and the evidence of the test against them."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from monitor.api.schema.wire import Wire


class PinItem(Wire):
    """A pin: the nights of the set are compared with the nights from `first_run` to `run_id`, until `ended_at`."""

    id: str
    deployment: str
    set_name: str
    run_id: str
    first_run: str
    counts_from: datetime
    counts_to: datetime
    at: datetime
    who: str
    reason: str
    ended_at: datetime | None
    ended_by: str | None


class PinRun(Wire):
    """Compare the nights of a set with this run."""

    run_id: str = Field(min_length=1, max_length=200)
    reason: str = Field(min_length=1, max_length=1000)


class EndPin(Wire):
    """Remove the pinned run of a set."""

    deployment: str = Field(min_length=1, max_length=200)
    set_name: str = Field(min_length=1, max_length=200)


class PinnedRunEvidenceItem(Wire):
    """The newest nights compared with the pinned nights. `delta` is after minus before, with 95 % intervals for these
    cases and for new cases of the same kind. `p` is one-sided, from the newest of `looks` looks; `p_needed` is the
    share of the error budget that it must not exceed. `status` is `below` from the look that detects a drop until a
    look that does not, or `accepted`.
    """

    pin_id: str
    run_id: str
    nights: int
    recent_nights: int
    status: Literal["waiting", "level", "below", "accepted", "other_judge"]
    looks: int
    delta: float | None
    interval: tuple[float, float] | None
    interval_new_cases: tuple[float, float] | None
    channel: str | None
    p: float | None
    p_needed: float | None
    detected_run: str | None
