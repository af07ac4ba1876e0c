"""The health of a set, and the sentences about what needs attention."""

from collections.abc import Iterator
from dataclasses import dataclass

from monitor.health.exposure import Exposure
from monitor.health.overfitting import Overfitting, Trend
from monitor.health.redundancy import Redundancy
from monitor.health.saturation import LabelNoise, Saturation
from monitor.health.staleness import Staleness

SATURATED = 0.5  # share of the cases with the same score under at least SATURATED_VERSIONS versions
SATURATED_VERSIONS = 4
FAR = 0.2  # share of production that is near no case: twice the usual share
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
    """Return one sentence for each problem, the most serious first. A healthy set has none."""
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
            "probable overfitting: the score of the set rose but corrections in production did not fall; "
            "replace cases, and check whether prompts were tuned on them"
        )


def is_saturated(found: Saturation) -> bool:
    """Return whether too many cases no longer separate versions."""
    return found.share is not None and found.share >= SATURATED and found.versions >= SATURATED_VERSIONS


def is_stale(found: Staleness) -> bool:
    """Return whether the set is far from production, with 95 % confidence."""
    return found.distant is not None and found.distant_low is not None and found.distant_low > FAR


def _exposure(found: Exposure | None) -> Iterator[str]:
    if found is not None and found.due:
        yield exposure_concern(len(found.over_budget), found.cases)


def exposure_concern(over_budget: int, cases: int) -> str:
    """Return the sentence about cases whose exposure reached the budget."""
    return f"{over_budget} of {cases} cases reached the exposure budget; replace some"


def _staleness(found: Staleness) -> Iterator[str]:
    if is_stale(found):
        yield f"{found.distant:.0%} of production is near no case (usual: 10%); add cases of current questions"
    for name, share in found.uncovered_categories.items():
        yield f"{share:.0%} of production has the category {name!r}, but no case has it"


def _label_noise(found: LabelNoise) -> Iterator[str]:
    if (
        found.failed_by_better_versions
        and found.expected is not None
        and len(found.failed_by_better_versions) > 2 * found.expected
    ):
        yield (
            f"better versions fail {len(found.failed_by_better_versions)} cases "
            f"({found.expected:.1f} expected by chance); check their references"
        )
    if found.never_passed:
        yield f"no version ever passed {len(found.never_passed)} cases; check what they expect"
    if found.unstable:
        yield f"{len(found.unstable)} cases change their score between runs of one version; take more samples of them"


def _saturation(found: Saturation) -> Iterator[str]:
    if is_saturated(found):
        yield (
            f"{found.share:.0%} of the cases had the same score under every one of {found.versions} versions: "
            "they cost calls and do not separate versions"
        )


def _redundancy(found: Redundancy) -> Iterator[str]:
    if found.share >= SPARE:
        yield f"{found.redundant} of {found.cases} cases repeat another case"
