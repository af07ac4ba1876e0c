"""The alerts of one history, and which of them count."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Detector = Callable[[Mapping[str, object]], Mapping[str, Any]]

REGRESSIONS = ("score", "mix")  # `behaviour` opens a change and `judge` excuses one: neither says that it got worse


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    night: int
    kind: str
    trigger: str
    channel: str
    delta: float | None
    onset: int | None = None
    ci: tuple[float, float] | None = None

    @property
    def counts(self) -> bool:
        return self.kind in REGRESSIONS

    @property
    def may_be_a_drop(self) -> bool:
        """An alert that says the product got better finds no drop."""
        return self.counts and (self.kind == "mix" or self.delta is None or self.delta < 0.0)


def alerts_of(answer: Mapping[str, Any]) -> list[Alert]:
    """The alerts of a backtest answer, in the order of their nights."""
    made: Iterable[Mapping[str, Any]] = answer["alerts"]
    found = [
        Alert(
            night=int(alert["night"]),
            kind=str(alert["kind"]),
            trigger=str(alert["trigger"]),
            channel=str(alert["channel"]),
            delta=None if alert["delta"] is None else float(alert["delta"]),
            onset=alert["onset"],
            ci=None if alert["ci"] is None else (float(alert["ci"][0]), float(alert["ci"][1])),
        )
        for alert in made
    ]
    return sorted(found, key=lambda alert: alert.night)
