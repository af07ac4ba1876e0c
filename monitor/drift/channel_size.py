"""How large the change of a channel is between two windows of nights, and the smallest one that its test finds."""

import math
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from monitor.domain.evidence import Kind, Range
from monitor.drift.floor import LOOK, floor_of, planning_noise, samples_of
from monitor.drift.history import History
from monitor.drift.silent import OVERALL, OVERALL_WEIGHT, channel_names
from monitor.drift.window import Window
from monitor.stats.failure_mix import class_tally
from monitor.stats.known_change import interval_spread
from monitor.stats.night_tally import NightTally
from monitor.stats.paired_change import paired_change
from monitor.stats.power import Noise, detectable_effect
from monitor.stats.silent_power import silent_step


class Size(TypedDict, total=False):
    """Fields of a `ChannelEvidence`; empty where no case was scored on both sides."""

    cases: int
    before: float
    after: float
    delta: float
    interval: Range


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The sizes of all channels of one pair of windows."""

    history: History
    before: Window
    after: Window

    def size(self, kind: Kind, channel: str) -> Size:
        """Of the score of a category or of all cases; of a failure category, of its share of the samples."""
        tally, members = self._tally(kind, channel)
        then = tally.between(self.before.start, self.before.end)
        now = tally.between(self.after.start, self.after.end)
        if then.nights == 0 or now.nights == 0:
            return Size()
        spread = interval_spread(then, now, members[:, None].astype(np.float64))
        change = paired_change(then, now, members, spread=float(spread[0]))
        if change is None:
            return Size()
        return Size(
            cases=change.n,
            before=change.before,
            after=change.after,
            delta=change.delta,
            interval=(change.these_cases.low, change.these_cases.high),
        )

    def _tally(self, kind: Kind, channel: str) -> tuple[NightTally, NDArray[np.bool_]]:
        everyone = np.ones(len(self.history.categories), dtype=np.bool_)
        if kind == "mix":
            return class_tally(self.history.failures[channel], self.history.labelled_count), everyone
        chosen = channel in channel_names(self.history)[1:]
        return self.history.tally, np.array(self.history.categories) == channel if chosen else everyone

    def smallest_known(self, channel: str, *, alpha: float, look: int) -> float | None:
        """Of the looks after a known change, up to this one."""
        noise, cases = self._noise(), self._cases(channel)
        nights = self.before.end - self.before.start
        if noise is None or cases == 0 or nights < 1:
            return None
        k = self._samples()
        return min(detectable_effect(noise, n=cases, k=k, nights=look, alpha=alpha, baseline_nights=nights), 1.0)

    def smallest_silent(self, channel: str, log_needed: float) -> float | None:
        """Of the evidence for drift that nothing announced, within a week."""
        noise, cases = self._noise(), self._cases(channel)
        parts = len(channel_names(self.history)) - 1
        if noise is None or cases == 0 or not math.isfinite(log_needed):
            return None
        weight = 1.0 if not parts else OVERALL_WEIGHT if channel == OVERALL else (1.0 - OVERALL_WEIGHT) / parts
        step = silent_step(round(log_needed - math.log(weight), 2), self.before.end - self.before.start, LOOK)
        return None if step is None else min(step * math.sqrt(noise.of_night_mean(cases, self._samples())), 1.0)

    def _noise(self) -> Noise | None:
        tally = self.history.tally.between(self.before.start, self.before.end)
        floor = floor_of(tally) if tally.nights else None
        return None if floor is None else planning_noise(floor, samples_of(tally))

    def _samples(self) -> int:
        return max(1, round(samples_of(self.history.tally.between(self.before.start, self.before.end))))

    def _cases(self, channel: str) -> int:
        tonight = self.history.tally.count[-1] > 0
        return int((tonight & self._tally("score", channel)[1]).sum())
