"""river's ADWIN and Page-Hinkley with their defaults, on every channel, baseline nights included."""

from typing import Literal

import numpy as np

from bench.drift_study.cases import Floats
from bench.drift_study.rivals.process import process_of, question_of
from bench.drift_study.rivals.series import Series

Method = Literal["adwin", "page_hinkley"]
Feed = Literal["nights", "samples"]  # one rate a night, or every sample by itself: a stream, as its examples show it


def ask_river(method: Method, feed: Feed, series: Series) -> Floats:
    """[monitored]: 1 on a night on which a channel's detector says drift."""
    question = {"detector": method, "feed": feed, **question_of(series)}
    return np.asarray(process_of("river").ask(question), dtype=np.float64)
