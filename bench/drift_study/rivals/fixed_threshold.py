"""Fixed thresholds: a channel's rate more than five points below its baseline mean."""

import numpy as np

from bench.drift_study.cases import Floats
from bench.drift_study.rivals.series import Series

THRESHOLD = 0.05


def overall(series: Series) -> Floats:
    """[monitored]: how far the overall rate has fallen."""
    return _fallen(series)[:, 0]


def any_category(series: Series) -> Floats:
    """[monitored]: how far the worst category has fallen."""
    return np.asarray(_fallen(series)[:, 1:].max(axis=1), dtype=np.float64)


def _fallen(series: Series) -> Floats:
    had, of = series.reference()
    known = series.samples[series.baseline :] > 0
    return np.where(known, had / np.maximum(of, 1) - series.rates[series.baseline :], 0.0)
