"""The population stability index above 0.2, of pass and fail, each night against the baseline, on every channel."""

import numpy as np

from bench.drift_study.cases import Floats
from bench.drift_study.rivals.series import Series

THRESHOLD = 0.2
SMALLEST = 1e-4  # the share used for an empty bin, as is usual


def statistic(series: Series) -> Floats:
    """[monitored]: the largest index of the night's channels."""
    had, of = series.reference()
    expected = np.clip(had / np.maximum(of, 1), SMALLEST, 1.0 - SMALLEST)
    actual = np.clip(series.rates[series.baseline :], SMALLEST, 1.0 - SMALLEST)
    index = (actual - expected) * (np.log(actual / expected) - np.log((1.0 - actual) / (1.0 - expected)))
    return np.asarray(np.where(series.samples[series.baseline :] > 0, index, 0.0).max(axis=1), dtype=np.float64)
