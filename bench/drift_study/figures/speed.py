"""Figure 9: processor seconds of one history, beside a fixed piece of work in the same process.

Seconds depend on the machine and on its neighbours; their ratio to the fixed work does so much less.
"""

from time import process_time

import numpy as np

from bench.drift_study.alerts import Detector
from bench.drift_study.document import document
from bench.drift_study.tally import Tally
from bench.drift_study.world import History


def count_speed(history: History, detector: Detector, tally: Tally) -> None:
    """Processor seconds of the detector, of the fixed work, and their ratio."""
    line = document(history, name="speed")
    detector(line)  # what is imported and cached by the first history is not a history's work
    reference = fixed_work_s()
    began = process_time()
    detector(line)
    took = process_time() - began
    tally.add("seconds", took)
    tally.add("reference_seconds", reference)
    tally.add("ratio", took / reference)


def fixed_work_s() -> float:
    """Processor seconds of sorting and summing two million numbers: about 0.2 s on a core of 2020."""
    numbers = np.random.default_rng(9).random(2_000_000)
    began = process_time()
    float(np.sort(numbers).cumsum()[-1])
    return process_time() - began
