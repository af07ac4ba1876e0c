"""Benjamini and Hochberg's procedure at 0.05 over the channels of one night, two-proportion tests inside."""

import numpy as np

from bench.drift_study.cases import Floats
from bench.drift_study.rivals.series import Series
from bench.drift_study.rivals.two_proportion import z_scores

THRESHOLD = -float(np.log10(0.05))


def statistic(series: Series) -> Floats:
    """[monitored]: minus the decimal logarithm of the smallest adjusted p-value of the night."""
    from scipy.special import log_ndtr

    logs = (np.log(2.0) + log_ndtr(-np.abs(z_scores(series)))) / np.log(10.0)
    ordered = np.sort(logs, axis=1)
    tests = ordered.shape[1]
    adjusted = ordered + np.log10(tests / np.arange(1, tests + 1))
    return np.asarray(-adjusted.min(axis=1), dtype=np.float64)
