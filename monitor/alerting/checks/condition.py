"""A condition that an alerting rule observes, and the decision whether a change of it needs a finding."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from monitor.domain.finding import Finding, Verdict

DAEMON = "driftd"  # deployment of a condition that concerns all deployments


class ConditionState(StrEnum):
    FIRING = "firing"
    CLEAR = "clear"
    UNKNOWN = "unknown"  # missing data: neither opens an alert nor resolves one


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """The state of one rule for one deployment and subject.

    `reason` is a sentence with the figure, the threshold and the next command. With `restated`, a firing condition is
    reported again when its sentence changes. `severity` is None for the severity of the rule.
    """

    rule: str
    deployment: str
    subject: str
    state: ConditionState
    reason: str
    severity: str | None = None
    restated: bool = False

    @property
    def key(self) -> tuple[str, str, str]:
        """Return the identity of the condition: rule, deployment and subject."""
        return self.rule, self.deployment, self.subject


class Check(Protocol):
    """Reads the conditions of one or more rules."""

    @property
    def rules(self) -> tuple[str, ...]:
        """Return the names of the rules of all conditions that this check can return."""

    @property
    def every_s(self) -> float:
        """Return the seconds between two readings."""

    @property
    def follows_runs(self) -> bool:
        """Return whether the conditions can change when a run or a finding is stored. Then the loop reads at once."""

    def conditions(self, now: datetime) -> Iterable[Condition]:
        """Return every condition that exists now, also those that are clear. One that is absent no longer exists."""


def verdict_of(condition: Condition, last: Finding | None, *, enabled: bool) -> Verdict | None:
    """Return the verdict of the finding that this condition needs now; None when nothing changed.

    `last` is the newest finding of the same rule, deployment and subject. A rule that is off counts as clear. An
    unknown condition changes nothing.
    """
    was_firing = last is not None and last.verdict is Verdict.REGRESSION
    if not enabled:
        return Verdict.OK if was_firing else None
    match condition.state:
        case ConditionState.UNKNOWN:
            return None
        case ConditionState.CLEAR:
            return Verdict.OK if was_firing else None
        case ConditionState.FIRING:
            if not was_firing or last is None:
                return Verdict.REGRESSION
            return Verdict.REGRESSION if condition.restated and last.reason != condition.reason else None


def minutes(seconds: float) -> str:
    """Return a duration as a text with its unit.

    >>> [minutes(one) for one in (45, 150, 7_200, 200_000)]
    ['45 s', '2.5 min', '2 h', '2.3 days']
    """
    for unit, name in ((86_400.0, "days"), (3600.0, "h"), (60.0, "min")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.1f}".removesuffix(".0") + f" {name}"
    return f"{seconds:.0f} s"


def when(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"
