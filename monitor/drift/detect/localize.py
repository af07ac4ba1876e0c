"""Whether a drop of the whole set is the drop of one category."""

import numpy as np

from monitor.drift.detect.history import History
from monitor.drift.detect.night_scores import OVERALL, channel_names, score_members
from monitor.drift.detect.window import Window
from monitor.stats.conformal_z import Draw, channel_scores

NEARLY_ALL = 0.9  # of the whole's evidence: the cases outside the category add next to nothing


def localize_drop(history: History, before: Window, after: Window) -> str:
    """Return the category whose cases alone give nearly all of the evidence, `overall` when there is none.

    In a set that otherwise always passes, the collapse of one category is the drop of the whole set: the other cases
    have no information. Which of the two channels has more evidence then depends on the few failures of earlier nights,
    which studentise each channel. So this comparison uses sampling alone, on all samples of both windows: z^2 of the
    category against nine tenths of z^2 of the whole.
    """
    names = channel_names(history)
    then = history.tally.between(before.start, before.end).pooled()
    now = history.tally.between(after.start, after.end).pooled()
    z = np.nan_to_num(-channel_scores(Draw(now=now, everything=then + now), score_members(history)).z[0])
    part = int(z[1:].argmax()) + 1 if len(names) > 1 else 0
    return names[part] if z[part] > 0.0 and z[part] ** 2 >= NEARLY_ALL * z[0] ** 2 else OVERALL
