"""Where the baseline of a set was made to start again."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedBaseline:
    """From `run_id` on, nights of the set count as normal: somebody, or the policy, accepted what a finding told.
    The baseline until then lies between two runs that stay comparable.
    """

    id: str
    deployment: str
    set_name: str
    run_id: str
    counts_from: datetime  # when that run finished
    finding_id: str
    at: datetime
    who: str
    reason: str
    old_first_run: str | None = None
    old_last_run: str | None = None
