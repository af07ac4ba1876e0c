"""A verdict with its severity and the sentence that gives the reason."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from monitor.domain.finding import Comparison, Verdict
from monitor.drift.judge.pairing import Pair, count_flips
from monitor.stats.mcnemar import exact_mcnemar
from replay.types import Severity

CRITICAL_DROP = 0.10  # of the overall pass rate
GRAVE_ALPHA = 0.05  # grades a regression that is already established, so it is outside the budget of false alarms


def grade_regression(comparison: Comparison, pairs: Sequence[Pair], effect: float | None = None) -> str:
    """Return `critical` or `warning` for a comparison that is a regression.

    Critical when either holds, else warning:

    - The overall pass rate fell by at least ten points. `effect` is that change where nights were compared.
    - Among the cases of severity `high` or `critical`, significantly more flipped to fail than to pass (exact McNemar
      on those cases alone, 0.05; that takes at least six). Single severe cases flip every night and raise no alert.
    """
    if (comparison.effect if effect is None else effect) <= -CRITICAL_DROP:
        return "critical"
    grave = count_flips([pair for pair in pairs if pair.severity.rank >= Severity.HIGH.rank])
    fell = grave.to_fail > grave.to_pass and exact_mcnemar(grave.to_fail, grave.to_pass) < GRAVE_ALPHA
    return "critical" if fell else "warning"


Basis = Literal["two_runs", "nights", "open_alert", "pinned_run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A verdict. `basis` names the deciding test, None when nothing was tested."""

    verdict: Verdict
    severity: str  # "critical", "warning" or "info"
    reason: str
    basis: Basis | None = None
