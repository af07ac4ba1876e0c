"""Which nights the last night of a history is measured against: the same that the watch takes."""

from collections.abc import Sequence
from dataclasses import dataclass

from monitor.drift.history import History, Stretch, stretches
from monitor.drift.watch import FEWEST_AFTER_RESTART, FEWEST_BEFORE, DriftAlert
from monitor.drift.window import Window
from monitor.stats.group_sequential import LOOKS


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """`stretch` is the one of the last night. `before` holds the nights of what a known change left behind, None
    before the first; `own` those of the stretch since its reference began. Silent onsets count from `first_onset` on.
    """

    stretch: Stretch
    before: Window | None
    own: Window
    first_onset: int

    @property
    def after_change(self) -> bool:
        """Whether the looks after a known change go on."""
        return self.before is not None and self.stretch.end - self.stretch.start <= LOOKS[-1]


def reference_of(history: History, alerts: Sequence[DriftAlert]) -> Reference:
    """Of the last night; `alerts` are those of the watch before it."""
    cut = stretches(history.versions, history.judges)
    before: Window | None = None
    for stretch in cut[:-1]:
        window = Window(start=_reference_start(stretch, alerts), end=stretch.end)
        if before is None or window.end - window.start >= FEWEST_BEFORE:
            before = window
    last = cut[-1]
    return Reference(
        stretch=last,
        before=before,
        own=Window(start=_reference_start(last, alerts), end=last.end),
        first_onset=_first_onset(history, last, alerts),
    )


def _reference_start(stretch: Stretch, alerts: Sequence[DriftAlert]) -> int:
    return max((alert.onset for alert in _restarts(stretch, alerts)), default=stretch.start)


def _first_onset(history: History, stretch: Stretch, alerts: Sequence[DriftAlert]) -> int:
    restarts = _restarts(stretch, alerts)
    if restarts:
        newest = max(restarts, key=lambda alert: alert.night)
        return max(newest.night + 1, newest.onset + FEWEST_AFTER_RESTART)
    if stretch.start == 0:
        return max(history.baseline_nights, 1)
    learnt = min(history.baseline_nights, FEWEST_BEFORE)
    return max(history.baseline_nights, stretch.start + learnt, stretch.start + 1)


def _restarts(stretch: Stretch, alerts: Sequence[DriftAlert]) -> list[DriftAlert]:
    return [a for a in alerts if a.trigger == "silent" and stretch.start <= a.onset and a.night < stretch.end]
