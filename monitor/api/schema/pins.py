"""Golden runs, and where a night stands beside them."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from monitor.api.schema.wire import Wire


class PinItem(Wire):
    """Nights of the set are held against those from `first_run` to `run_id`; no more once it has an `ended_at`."""

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
    """Hold the nights of its set against this run."""

    run_id: str = Field(min_length=1, max_length=200)
    reason: str = Field(min_length=1, max_length=1000)


class EndPin(Wire):
    """Hold the nights of a set against no run any more."""

    deployment: str = Field(min_length=1, max_length=200)
    set_name: str = Field(min_length=1, max_length=200)


class PinnedRunEvidenceItem(Wire):
    """The newest nights beside the pinned ones: `delta` is after minus before with its 95 % intervals for these cases
    and for new cases like them; `p` is one-sided, of the newest of so many `looks`, beside the share of the budget that
    it must not exceed. `status` is `below` from the look that told until one that takes it back, or `accepted`.
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
