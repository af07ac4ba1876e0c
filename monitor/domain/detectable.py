"""The smallest fall that a test finds, for one scenario and one horizon."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

# `silent`: no announcement. `announced`: the fall begins with a known change. The other two compare once.
Scenario = Literal["silent", "announced", "two_runs", "pinned_run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectableEffect:
    """The smallest true fall, equal for all cases of a channel, that the test finds with 80 % power, in score units.

    The test finds it by the end of `nights` nights, counted from the night of the fall; 1 is that night. For `two_runs`
    and `pinned_run` the effect may have either direction, and `nights` is the number of compared nights.
    """

    scenario: Scenario
    nights: int
    effect: float


def horizons(effects: Sequence[tuple[int, float]], where: str = "") -> str:
    """Return the effects with their nights, the size first; `where` names the channel after the first.

    >>> horizons([(1, 0.061), (7, 0.024)], " in refunds")
    '6.1 points in refunds tonight and of 2.4 within 7 nights'
    """
    parts: list[str] = []
    for nights, effect in effects:
        size = f"{100 * effect:.1f}"
        points = f"of {size}" if parts else f"{size} points{where}"
        parts.append(f"{points} {'tonight' if nights == 1 else f'within {nights} nights'}")
    return " and ".join(parts)
