"""The noise floor of stored nights."""

from monitor.domain.detectable import DetectableEffect
from monitor.domain.evidence import NoiseEvidence, Range
from monitor.drift.detect.history import History, version_segments
from monitor.stats.night_tally import NightTally
from monitor.stats.noise_floor import NoiseFloor, noise_of_sums
from monitor.stats.power import Noise


def noise_floor_of(tally: NightTally, repeats: NightTally | None = None) -> NoiseFloor | None:
    """Return the noise floor of the nights of one version; None without a scored case. `repeats` are their repeated
    answers.
    """
    return noise_of_sums(tally, repeats) if tally.count.sum() > 0 else None


def newest_segment(history: History) -> tuple[int, int]:
    """Return the nights [start, end) of the newest version; empty for an empty history."""
    segments = version_segments(history.versions, history.judges)
    return (segments[-1].start if segments else 0), history.nights


def planning_noise(noise_floor: NoiseFloor, samples: float) -> Noise | None:
    """Return the noise for `driftd drift plan`.

    Without repeats, all variation of a case counts as sampling. One night alone gives no night effect. None when
    nothing varied, or no case was scored twice.
    """
    within, case_night = noise_floor.within_variance, noise_floor.case_night_variance
    if not within:
        within, case_night = (noise_floor.cell_variance or 0.0) * samples, None
    if within <= 0.0:
        return None
    return Noise(
        within_variance=within, night_variance=noise_floor.night_variance or 0.0, case_night_variance=case_night or 0.0
    )


def samples_per_case(tally: NightTally) -> float:
    """Return the scored samples of a case in a night, on average over scored cases."""
    scored = tally.count > 0
    return float(tally.count[scored].mean()) if scored.any() else 0.0


def flip_rate_of(noise_floor: NoiseFloor, *, binary: bool) -> tuple[float | None, Range | None]:
    """Return how often two answers to one case in one night differ, with its interval; only for pass or fail."""
    if not binary or noise_floor.within_variance is None:
        return None, None
    interval = noise_floor.within_interval
    return 2.0 * noise_floor.within_variance, None if interval is None else (2.0 * interval[0], 2.0 * interval[1])


def noise_evidence(
    tally: NightTally, repeats: NightTally | None = None, *, detectable: tuple[DetectableEffect, ...] = ()
) -> NoiseEvidence | None:
    """Return the noise evidence of a finding: the nights of one version, and the effects that the tests detect in
    them.
    """
    noise_floor = noise_floor_of(tally, repeats)
    if noise_floor is None:
        return None
    flip_rate, flip_interval = flip_rate_of(noise_floor, binary=tally.binary)
    return NoiseEvidence(
        nights=noise_floor.nights,
        within_variance=noise_floor.within_variance
        if noise_floor.within_variance is not None
        else noise_floor.cell_variance,
        within_interval=noise_floor.within_interval,
        repeats=noise_floor.repeated_cells,
        flip_rate=flip_rate,
        flip_interval=flip_interval,
        case_night_variance=noise_floor.case_night_variance,
        night_variance=noise_floor.night_variance,
        night_interval=noise_floor.night_interval,
        detectable=detectable,
    )
