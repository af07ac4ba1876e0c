"""The two-proportion z-test at 0.05, each night against the pooled baseline, on every channel."""

import numpy as np

from bench.drift_study.cases import Floats
from bench.drift_study.rivals.series import Series

THRESHOLD = 1.959964  # |z| at p = 0.05, as every textbook has it


def statistic(series: Series) -> Floats:
    """[monitored]: the largest |z| of the night's channels."""
    return np.asarray(np.abs(z_scores(series)).max(axis=1), dtype=np.float64)


def z_scores(series: Series) -> Floats:
    """[monitored, channels]: z of the night against the baseline, pooled variance; 0 where both are saturated."""
    had, of = series.reference()
    passes, samples = series.passes[series.baseline :], series.samples[series.baseline :]
    pooled = (had + passes) / np.maximum(of + samples, 1)
    variance = pooled * (1.0 - pooled) * (1.0 / np.maximum(of, 1) + 1.0 / np.maximum(samples, 1))
    fallen = passes / np.maximum(samples, 1) - had / np.maximum(of, 1)
    able = (variance > 0.0) & (samples > 0)
    return np.asarray(np.divide(fallen, np.sqrt(variance), out=np.zeros_like(fallen), where=able), dtype=np.float64)
