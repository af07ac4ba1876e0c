"""The verdict, its severity and the sentence that says why."""

from dataclasses import dataclass
from typing import Literal

from monitor.domain.finding import Verdict

Basis = Literal["two_runs", "nights", "open_alert", "pinned_run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """`basis` names what was tested for it, None where nothing was."""

    verdict: Verdict
    severity: str  # "critical", "warning" or "info"
    reason: str
    basis: Basis | None = None
