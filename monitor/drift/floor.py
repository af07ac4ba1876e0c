"""The noise floor of stored nights, and the smallest change that shows above it."""

import numpy as np

from monitor.domain.evidence import NoiseEvidence
from monitor.drift.history import History, stretches
from monitor.stats.night_tally import Floats, NightTally
from monitor.stats.noise_floor import NoiseFloor, noise_floor
from monitor.stats.power import Noise, detectable_effect

LOOK = 7  # nights after a change in which the smallest effect is asked for


def floor_of(tally: NightTally) -> NoiseFloor | None:
    """Of the nights of one version; None without a scored case."""
    return noise_floor(_samples(tally)) if tally.count.sum() > 0 else None


def newest_nights(history: History) -> NightTally:
    """The nights of the newest version; none in an empty history."""
    cut = stretches(history.versions, history.judges)
    return history.tally.between(cut[-1].start if cut else 0, history.nights)


def planning_noise(floor: NoiseFloor, samples: float) -> Noise | None:
    """What the planner asks for. Without repeats a case's own variance is what it moves from night to night; one night
    alone tells of no night effect. None where nothing moved, or nothing was seen twice.
    """
    within = floor.within_variance
    if within is None and floor.cell_variance is not None:
        within = floor.cell_variance * samples
    if within is None or within <= 0.0:
        return None
    return Noise(within_variance=within, night_variance=floor.night_variance or 0.0)


def samples_of(tally: NightTally) -> float:
    """Scored samples of a case in a night, on average over what was scored."""
    scored = tally.count > 0
    return float(tally.count[scored].mean()) if scored.any() else 0.0


def noise_evidence(tally: NightTally, *, alpha: float, baseline_nights: int, cases: int) -> NoiseEvidence | None:
    """What a finding says of its noise: the nights of one version, and what `cases` cases can show in a week."""
    floor = floor_of(tally)
    if floor is None:
        return None
    noise = planning_noise(floor, samples_of(tally))
    known = noise is not None and cases > 0 and baseline_nights > 0
    return NoiseEvidence(
        nights=floor.nights,
        within_variance=floor.within_variance if floor.within_variance is not None else floor.cell_variance,
        night_variance=floor.night_variance,
        night_interval=floor.night_interval,
        smallest_effect=smallest_effect(noise, tally, cases, alpha, baseline_nights) if noise and known else None,
        smallest_nights=LOOK,
    )


def smallest_effect(noise: Noise, tally: NightTally, cases: int, alpha: float, baseline_nights: int) -> float | None:
    k = max(1, round(samples_of(tally)))
    effect = detectable_effect(noise, n=cases, k=k, nights=LOOK, alpha=alpha, baseline_nights=baseline_nights)
    return min(effect, 1.0)


def _samples(tally: NightTally) -> Floats:
    """[T, n, k] as `noise_floor` wants them. Passes are counts, so the samples are known but for their order; of graded
    repeats only the mean of a night is, which leaves the night effect as it is.
    """
    scored = tally.count > 0
    if not tally.binary:
        mean = np.where(scored, tally.first / np.maximum(tally.count, 1.0), np.nan)
        return np.clip(mean, 0.0, 1.0)[:, :, None]
    place = np.arange(int(tally.count.max(initial=1.0)))
    values = (place < tally.first[:, :, None]).astype(np.float64)
    return np.where(place < tally.count[:, :, None], values, np.nan)
