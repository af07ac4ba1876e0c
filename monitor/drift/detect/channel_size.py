"""The size of the change of each channel between two windows of nights."""

from dataclasses import dataclass
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from monitor.domain.evidence import Kind, Range
from monitor.drift.detect.history import History
from monitor.drift.detect.night_scores import channel_names, failure_spread, night_spread, pooled_nights, score_members
from monitor.drift.detect.window import Window
from monitor.stats.failure_mix import class_tally
from monitor.stats.night_tally import NightTally
from monitor.stats.two_versions.known_change import interval_factor
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
        if self.before.end <= self.before.start or self.after.end <= self.after.start:
            return ChannelSize()
        members, spread = self._channel(kind, channel)
        then, now = self._pooled(kind, channel, self.before), self._pooled(kind, channel, self.after)
        change = paired_change(then, now, members, spread=spread)
        if change is None:
            return ChannelSize()
        return ChannelSize(
            cases=change.n,
            before=change.before,
            after=change.after,
            delta=change.delta,
            interval=(change.these_cases.low, change.these_cases.high),
        )

    def _channel(self, kind: Kind, channel: str) -> tuple[NDArray[np.bool_], float]:
        """Return the cases of a channel, and the factor of the variance of its interval."""
        if kind == "mix":
            spread = failure_spread(self.history, channel, self.before, self.after)
            return np.ones(len(self.history.categories), dtype=np.bool_), float(interval_factor(spread)[0])
        names = channel_names(self.history)
        column = names.index(channel) if channel in names else 0
        spread = night_spread(self.history, self.before, self.after)
        return score_members(self.history)[:, column] > 0, float(interval_factor(spread)[column])

    def _pooled(self, kind: Kind, channel: str, nights: Window) -> NightTally:
        """Return the samples of the nights of a window as one night."""
        history = self.history
        if kind == "mix":
            tally = class_tally(history.failures[channel], history.labelled_count)
            return tally.between(nights.start, nights.end).pooled()
        return pooled_nights(history, nights)
