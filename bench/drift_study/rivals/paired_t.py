"""The paired t-test at 0.05 each night: every case's rate tonight against its mean over the baseline nights."""

import warnings

import numpy as np

from bench.drift_study.cases import Floats
from bench.drift_study.rivals.series import Series

THRESHOLD = -float(np.log10(0.05))


def statistic(series: Series) -> Floats:
    """[monitored]: minus the decimal logarithm of the smallest p-value of the night's channels."""
    return np.asarray(-log10_p(series).min(axis=1), dtype=np.float64)


def log10_p(series: Series) -> Floats:
    """[monitored, channels]: the decimal logarithm of each p-value."""
    return np.column_stack([_logs(series, channel) for channel in range(len(series.channels))])


def _logs(series: Series, channel: int) -> Floats:
    from scipy.stats import t

    rates = series.case_rates[:, series.members(channel)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a case without one baseline night has no mean: NaN is meant
        differences = rates[series.baseline :] - np.nanmean(rates[: series.baseline], axis=0)
        n = np.isfinite(differences).sum(axis=1)
        mean, sd = np.nanmean(differences, axis=1), np.nanstd(differences, axis=1, ddof=1)
    able = (n > 1) & (sd > 0.0)
    scores = np.divide(mean, sd / np.sqrt(np.maximum(n, 1)), out=np.zeros_like(mean), where=able)
    p = 2.0 * t.sf(np.abs(scores), np.maximum(n - 1, 1))
    return np.asarray(np.log10(np.maximum(p, 1e-300)), dtype=np.float64)
