"""river's ADWIN and Page-Hinkley with their defaults, fed the nightly rate of every channel, baseline included."""

import numpy as np

from bench.drift_study.cases import Floats
from bench.drift_study.rivals.process import process_of, question_of
from bench.drift_study.rivals.series import Series


def adwin(series: Series) -> Floats:
    """[monitored]: 1 on a night on which a channel's ADWIN says drift."""
    return _ask("adwin", series)


def page_hinkley(series: Series) -> Floats:
    """[monitored]: 1 on a night on which a channel's Page-Hinkley test says drift."""
    return _ask("page_hinkley", series)


def _ask(detector: str, series: Series) -> Floats:
    question = {"detector": detector, **question_of(series)}
    return np.asarray(process_of("river").ask(question), dtype=np.float64)
