"""Figure 7, `alarm`: does the interval of an alert hold the change that it is told for?

What is true is a matter of windows. `covered`: the mean pass rate of the channel's cases over the nights from the told
onset to the alert, less that over the nights before the onset, both from the version's probabilities without moods.
That is what the nights compared would show if asked for ever, wherever the change really began. `covered_whole`: the
pass rate on the night of the alert less that of the first night: the size of a drop, which an onset told too early or
too late dilutes. A slow decline has no one size, and is counted by its windows alone.
"""

import numpy as np
from numpy.typing import NDArray

from bench.drift_study.alerts import Alert
from bench.drift_study.document import category_name
from bench.drift_study.figures.detection import EVENT_NIGHTS
from bench.drift_study.tally import Tally
from bench.drift_study.world import History

Floats = NDArray[np.float64]
SMALL = 0.02  # true changes below it are counted by themselves too


def count_alarm_interval(history: History, alerts: list[Alert], tally: Tally) -> None:
    """The first alert that says regression, when it is one of the score: early ones, which are false, too."""
    first = next((alert for alert in alerts if alert.counts), None)
    tally.count("alarm", first is not None)
    if first is None or first.kind != "score" or first.ci is None or first.onset is None or first.delta is None:
        return
    rates = channel_rates(history, first.channel)
    low, high = first.ci
    change = (
        rates[first.onset : first.night + 1].mean()
        - rates[reference_start(history, alerts, first) : first.onset].mean()
    )
    covered = low <= change <= high
    tally.count("covered", covered)
    tally.count("covered_small" if abs(change) < SMALL else "covered_large", covered)
    tally.count("holds_zero", low <= 0.0 <= high)
    tally.add("width", high - low)
    tally.add("off", first.delta - change)
    if history.cell.change != "ramp":
        tally.count("covered_whole", low <= rates[first.night] - rates[0] <= high)


def channel_rates(history: History, channel: str) -> Floats:
    """[nights]: the version's own mean pass rate of a channel's cases, all of which are asked every night."""
    names = np.array([category_name(category) for category in history.cases.category])
    members = np.ones(names.size, dtype=np.bool_) if channel == "overall" else names == channel
    return np.asarray(history.paths.passing[:, members].mean(axis=1), dtype=np.float64)


def reference_start(history: History, alerts: list[Alert], alert: Alert) -> int:
    """The first of the nights that the alert compares with: that of the version, or of a stranger who stayed."""
    cell = history.cell
    if alert.trigger == "version" or alert.onset is None:
        return 0
    strangers = [each.onset for each in alerts if each.kind == "behaviour" and each.onset is not None]
    starts = [onset for onset in strangers if onset + EVENT_NIGHTS <= alert.onset]
    served = cell.version_night if cell.announced and alert.onset > cell.version_night else 0
    return max([served, *starts])
