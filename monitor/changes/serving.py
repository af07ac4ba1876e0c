"""Compares the announced version with the version that traffic shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from monitor.domain.served import ServedVersion
from monitor.domain.version import Change, How


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """The version that serves.

    - `current`: the best estimate: the observed version where traffic contradicts the announcement.
    - `announced`: the version of the newest announcement, or None.
    - `observed`: the version that answered last since then, or None.
    - `contradiction`: how the two disagree, None where they agree.
    """

    current: str | None
    announced: str | None = None
    observed: str | None = None
    contradiction: str | None = None


def serving(
    expected: str | None, newest: Change | None, served: Sequence[ServedVersion], labels: Mapping[str, str]
) -> Serving:
    """Return which version serves. `expected` is the target of the newest change; `served` are the versions that
    answered since it took effect, the newest first.
    """
    observed = served[0].version if served else None
    if newest is None or newest.how is not How.ANNOUNCED:
        return Serving(current=expected, observed=observed)
    announced = newest.to_version
    calls = sum(row.calls for row in served)
    if observed is None or any(row.version == announced for row in served):
        return Serving(current=expected, announced=announced, observed=observed)
    since = f"since the announcement of {newest.at:%Y-%m-%d %H:%M} UTC"
    contradiction = (
        f"{labels.get(announced, announced)} was announced but has answered none of {count(calls)} {since}; "
        f"{labels.get(observed, observed)} answers"
    )
    return Serving(current=observed, announced=announced, observed=observed, contradiction=contradiction)


def count(calls: int) -> str:
    return "1 production call" if calls == 1 else f"{calls:,} production calls"
