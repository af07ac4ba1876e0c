"""The health of a set in one reading, and what of it somebody should do something about."""

from collections.abc import Iterator
from dataclasses import dataclass

from monitor.health.exposure import Exposure
from monitor.health.overfitting import Overfitting, Trend
from monitor.health.redundancy import Redundancy
from monitor.health.saturation import LabelNoise, Saturation
from monitor.health.staleness import Staleness

SATURATED = 0.5  # of the cases, under so many versions ...
SATURATED_VERSIONS = 4
FAR = 0.2  # of production at the least: twice what calls like the cases show
SPARE = 0.05  # of the cases


@dataclass(frozen=True, slots=True, kw_only=True)
class SetHealth:
    """`exposure` is None for a set that is not private, `overfitting` for one that is not frozen."""

    saturation: Saturation
    label_noise: LabelNoise
    staleness: Staleness
    redundancy: Redundancy
    exposure: Exposure | None
    overfitting: Overfitting | None


def concerns(health: SetHealth) -> list[str]:
    """A sentence for each thing to look at, the gravest first; empty when the set is well."""
    return [
        *_overfitting(health.overfitting),
        *_exposure(health.exposure),
        *_staleness(health.staleness),
        *_label_noise(health.label_noise),
        *_saturation(health.saturation),
        *_redundancy(health.redundancy),
    ]


def _overfitting(found: Overfitting | None) -> Iterator[str]:
    if found is not None and found.trend is Trend.OVERFITTING:
        yield (
            "probable overfitting: the set got better and corrections in production did not fall with it; "
            "replace cases, and ask whether prompts were tuned on them"
        )


def _exposure(found: Exposure | None) -> Iterator[str]:
    if found is not None and found.due:
        yield f"{len(found.over)} of {found.cases} cases have been seen as often as the budget allows; replace some"


def _staleness(found: Staleness) -> Iterator[str]:
    if found.far is not None and found.far_low is not None and found.far_low > FAR:
        yield f"{found.far:.0%} of production is near no case, where 10% would be usual; add cases of what is asked now"
    for name, share in found.missed.items():
        yield f"{share:.0%} of production is about {name!r}, and no case is"


def _label_noise(found: LabelNoise) -> Iterator[str]:
    if found.backwards and found.expected is not None and len(found.backwards) > 2 * found.expected:
        yield (
            f"{len(found.backwards)} cases are failed by better versions ({found.expected:.1f} would be by chance); "
            "look at their references"
        )
    if found.nobody_passes:
        yield f"{len(found.nobody_passes)} cases were never passed by any version; is what they expect right?"
    if found.unsteady:
        yield f"{len(found.unsteady)} cases get another verdict from run to run of one version; ask them more often"


def _saturation(found: Saturation) -> Iterator[str]:
    if found.share is not None and found.share >= SATURATED and found.versions >= SATURATED_VERSIONS:
        yield (
            f"{found.share:.0%} of the cases had the same score under every one of {found.versions} versions: "
            "they cost calls and tell no version from another"
        )


def _redundancy(found: Redundancy) -> Iterator[str]:
    if found.share >= SPARE:
        yield f"{found.spare} of {found.cases} cases ask the same as another one"
