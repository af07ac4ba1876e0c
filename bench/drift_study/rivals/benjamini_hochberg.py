"""Benjamini and Hochberg's procedure at 0.05 over the channels of one night, around either nightly test."""

import numpy as np

from bench.drift_study.cases import Floats
from bench.drift_study.rivals.paired_t import log10_p
from bench.drift_study.rivals.series import Series
from bench.drift_study.rivals.two_proportion import z_scores

THRESHOLD = -float(np.log10(0.05))


def of_proportions(series: Series) -> Floats:
    """[monitored]: minus the decimal logarithm of the smallest adjusted p-value of the two-proportion tests."""
    from scipy.special import log_ndtr

    return _smallest((np.log(2.0) + log_ndtr(-np.abs(z_scores(series)))) / np.log(10.0))


def of_paired(series: Series) -> Floats:
    """[monitored]: the same of the paired t-tests."""
    return _smallest(log10_p(series))


def _smallest(logs: Floats) -> Floats:
    ordered = np.sort(logs, axis=1)
    tests = ordered.shape[1]
    adjusted = ordered + np.log10(tests / np.arange(1, tests + 1))
    return np.asarray(-adjusted.min(axis=1), dtype=np.float64)
