"""The verdict, its severity and the sentence that says why."""

from dataclasses import dataclass

from monitor.domain.finding import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    verdict: Verdict
    severity: str  # "critical", "warning" or "info"
    reason: str
