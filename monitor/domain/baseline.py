"""Where the baseline of a set, or of a production series, was made to start again."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedBaseline:
    """From `run_id` on, nights of the set count as normal: somebody, or the policy, accepted what a finding told.
    The baseline until then lies between two runs that stay comparable. Of a production `series` days count, and there
    is neither set nor run.
    """

    id: str
    deployment: str
    set_name: str | None
    run_id: str | None
    counts_from: datetime  # when that run finished, or when the day of a series began
    finding_id: str
    at: datetime
    who: str
    reason: str
    old_first_run: str | None = None
    old_last_run: str | None = None
    series: str | None = None
