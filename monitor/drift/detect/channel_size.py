"""The size of the change of each channel between two windows of nights."""

from dataclasses import dataclass
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from monitor.domain.evidence import Kind, Range
from monitor.drift.detect.history import History
from monitor.drift.detect.unannounced_change import channel_names
from monitor.drift.detect.window import Window
from monitor.stats.failure_mix import class_tally
from monitor.stats.night_tally import NightTally
from monitor.stats.two_versions.known_change import interval_spread
from monitor.stats.two_versions.paired_change import paired_change


class ChannelSize(TypedDict, total=False):
    """The size fields of `ChannelEvidence`; empty when no case has a score in both windows."""

    cases: int
    before: float
    after: float
    delta: float
    interval: Range


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowComparison:
    """Compares the channels of a history between two windows of nights."""

    history: History
    before: Window
    after: Window

    def size(self, kind: Kind, channel: str) -> ChannelSize:
        """Return the change of a score (overall or of a category), or of the share of samples with a failure
        category.
        """
        tally, members = self._tally(kind, channel)
        then = tally.between(self.before.start, self.before.end)
        now = tally.between(self.after.start, self.after.end)
        if then.nights == 0 or now.nights == 0:
            return ChannelSize()
        spread = interval_spread(then, now, members[:, None].astype(np.float64))
        change = paired_change(then, now, members, spread=float(spread[0]))
        if change is None:
            return ChannelSize()
        return ChannelSize(
            cases=change.n,
            before=change.before,
            after=change.after,
            delta=change.delta,
            interval=(change.these_cases.low, change.these_cases.high),
        )

    def _tally(self, kind: Kind, channel: str) -> tuple[NightTally, NDArray[np.bool_]]:
        all_cases = np.ones(len(self.history.categories), dtype=np.bool_)
        if kind == "mix":
            return class_tally(self.history.failures[channel], self.history.labelled_count), all_cases
        is_category = channel in channel_names(self.history)[1:]
        return self.history.tally, np.array(self.history.categories) == channel if is_category else all_cases
