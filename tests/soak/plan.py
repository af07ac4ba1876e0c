"""What happens in a simulated deployment: the nights of injected changes and outages, and the pages that they cause."""

from collections.abc import Sequence
from dataclasses import dataclass

OLD, NEW = "gpt-4-0314", "gpt-4-0613"


@dataclass(frozen=True, slots=True, kw_only=True)
class Injected:
    """A change of the served snapshot, on the evening before `night`.

    With `rollback` the old snapshot is back before the night `until`; otherwise a person accepts the finding on the
    day before it. `announced` sends the change to driftd first.
    """

    night: int
    until: int
    old: str = OLD
    new: str = NEW
    rollback: bool = False
    announced: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The nights, counted from 1. The receiver answers 503 for six hours from 01:00 on the nights `receiver_away`."""

    nights: int
    cases: int
    changes: Sequence[Injected] = ()
    target_down: Sequence[int] = ()
    receiver_away: Sequence[int] = ()
    resample: float = 0.3


def quiet(nights: int = 180, cases: int = 200) -> Plan:
    """Return a plan in which nothing changes."""
    return Plan(nights=nights, cases=cases)


def incidents(nights: int = 180, cases: int = 200) -> Plan:
    """Return three changes, a target that is down for two nights, and a receiver that is away when the first change is
    found. The changes are a silent one that is rolled back, an announced one and its reversal, both accepted.
    """
    at = [round(nights * share) for share in (0.25, 0.45, 0.6, 0.8)]
    return Plan(
        nights=nights,
        cases=cases,
        changes=(
            Injected(night=at[0], until=at[0] + 2, rollback=True),
            Injected(night=at[2], until=at[2] + 2, announced=True),
            Injected(night=at[3], until=at[3] + 2, old=NEW, new=OLD),
        ),
        target_down=(at[1], at[1] + 1),
        receiver_away=(at[0],),
    )


def short() -> Plan:
    """Return the incidents of twelve nights: two changes, the target down and the receiver away."""
    return Plan(
        nights=12,
        cases=40,
        changes=(Injected(night=4, until=6, rollback=True), Injected(night=10, until=12, announced=True)),
        target_down=(7, 8),
        receiver_away=(4,),
    )
