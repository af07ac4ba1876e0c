"""What was announced against what traffic shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from monitor.domain.served import ServedVersion
from monitor.domain.version import Change, How


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """`current` is the version that serves as far as is known: the observed one where traffic contradicts what was
    announced. `announced` is the version of the newest announcement, `observed` the one that answered last since then;
    None where there is none. `contradiction` says how the two disagree, None where they do not.
    """

    current: str | None
    announced: str | None = None
    observed: str | None = None
    contradiction: str | None = None


def serving(
    expected: str | None, newest: Change | None, served: Sequence[ServedVersion], labels: Mapping[str, str]
) -> Serving:
    """Return who serves. `expected` is where the newest change led, `served` who answered since it took effect, the
    newest first.
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
