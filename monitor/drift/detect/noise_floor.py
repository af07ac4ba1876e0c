"""The noise floor of stored nights."""

from monitor.domain.detectable import DetectableEffect
from monitor.domain.evidence import NoiseEvidence, Range
from monitor.drift.detect.history import History, stretches
from monitor.stats.night_tally import NightTally
from monitor.stats.noise_floor import NoiseFloor, noise_of_sums
from monitor.stats.power import Noise


def floor_of(tally: NightTally, again: NightTally | None = None) -> NoiseFloor | None:
    """Of the nights of one version, `again` being the A/A share of them; None without a scored case."""
    return noise_of_sums(tally, again) if tally.count.sum() > 0 else None


def newest_stretch(history: History) -> tuple[int, int]:
    """The nights [start, end) of the newest version; none in an empty history."""
    cut = stretches(history.versions, history.judges)
    return (cut[-1].start if cut else 0), history.nights


def planning_noise(floor: NoiseFloor, samples: float) -> Noise | None:
    """What the planner asks for. Where no repeat tells sampling from the nights of a case, all that a case moves is
    taken as sampling; one night alone tells of no night effect. None where nothing moved, or nothing was seen twice.
    """
    within, case_night = floor.within_variance, floor.case_night_variance
    if not within:
        within, case_night = (floor.cell_variance or 0.0) * samples, None
    if within <= 0.0:
        return None
    return Noise(
        within_variance=within, night_variance=floor.night_variance or 0.0, case_night_variance=case_night or 0.0
    )


def samples_of(tally: NightTally) -> float:
    """Scored samples of a case in a night, on average over what was scored."""
    scored = tally.count > 0
    return float(tally.count[scored].mean()) if scored.any() else 0.0


def flips_of(floor: NoiseFloor, *, binary: bool) -> tuple[float | None, Range | None]:
    """How often two answers to one case in one night differ, with its interval: of passes and failures alone."""
    if not binary or floor.within_variance is None:
        return None, None
    ends = floor.within_interval
    return 2.0 * floor.within_variance, None if ends is None else (2.0 * ends[0], 2.0 * ends[1])


def noise_evidence(
    tally: NightTally, again: NightTally | None = None, *, detectable: tuple[DetectableEffect, ...] = ()
) -> NoiseEvidence | None:
    """What a finding says of its noise: the nights of one version, and what the tests can find in them."""
    floor = floor_of(tally, again)
    if floor is None:
        return None
    flips, flip_interval = flips_of(floor, binary=tally.binary)
    return NoiseEvidence(
        nights=floor.nights,
        within_variance=floor.within_variance if floor.within_variance is not None else floor.cell_variance,
        within_interval=floor.within_interval,
        repeats=floor.repeated_cells,
        flip_rate=flips,
        flip_interval=flip_interval,
        case_night_variance=floor.case_night_variance,
        night_variance=floor.night_variance,
        night_interval=floor.night_interval,
        detectable=detectable,
    )
