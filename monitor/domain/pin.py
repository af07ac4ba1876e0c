"""The golden run of a set: what nights are held against whatever is accepted meanwhile."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """`run_id` is the golden run; its nights reach from `first_run` to it and stay the same as long as the pin does.
    `ended_at` is when it was taken away or replaced; a set has at most one that is not.
    """

    id: str
    deployment: str
    set_name: str
    run_id: str
    first_run: str
    counts_from: datetime  # when the first run finished
    counts_to: datetime  # when the golden run finished
    at: datetime
    who: str
    reason: str
    ended_at: datetime | None = None
    ended_by: str | None = None
