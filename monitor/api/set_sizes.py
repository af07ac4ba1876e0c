"""How many cases a set needs: the smallest effect by number of cases, and the inverse, from the noise of its nights."""

from collections.abc import Sequence

from monitor.api.schema.findings import DetectableByCasesItem, NeededCasesItem
from monitor.stats.power import Noise, detectable_effect, plan

SIZES = (25, 50, 100, 200, 400, 800, 1_600, 3_200, 6_400)
NIGHTS = (1, 7)
EFFECTS = (0.01, 0.02, 0.05, 0.10)


def curve(noise: Noise, *, cases: int, samples: int) -> tuple[DetectableByCasesItem, ...]:
    """Return the smallest effect of each size and of the present `cases`, in the first night and in a week."""
    sizes = sorted({*SIZES, cases})
    return tuple(
        DetectableByCasesItem(cases=n, nights=m, effect=detectable_effect(noise, n=n, k=samples, nights=m))
        for m in NIGHTS
        for n in sizes
    )


def needed(noise: Noise, *, samples: int, effects: Sequence[float] = EFFECTS) -> tuple[NeededCasesItem, ...]:
    """Return the fewest cases for each effect, in the first night and in a week."""
    return tuple(
        NeededCasesItem(effect=e, nights=m, cases=_fewest(noise, e, m, samples)) for m in NIGHTS for e in effects
    )


def _fewest(noise: Noise, effect: float, nights: int, samples: int) -> int | None:
    found = plan(effect, noise, repeats=(samples,)).alternatives
    return min((each.n for each in found if each.nights <= nights), default=None)
