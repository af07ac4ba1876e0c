"""Which regression an alarm is about: its channel, the nights before the onset and those since."""

from collections.abc import Sequence
from dataclasses import dataclass

from monitor.domain.evidence import Evidence
from monitor.domain.finding import Comparison
from monitor.domain.run import Run
from monitor.drift.cause.before_after import Channel

NIGHTS = 14  # newest nights of each side that are compared
OVERALL = Channel(kind="score", name="overall")


@dataclass(frozen=True, slots=True, kw_only=True)
class RegressionWindow:
    """The channel of a regression with the runs before the onset and since."""

    channel: Channel
    before: tuple[Run, ...]
    after: tuple[Run, ...]


def find_regression_window(
    run: Run, history: Sequence[Run], evidence: Evidence, comparison: Comparison | None, baseline_run: str | None
) -> RegressionWindow | None:
    """Return the regression of the detector, else that of the two compared runs, else that below a pinned run.

    `history` are the complete runs of the set, oldest first. None when there is no regression, or its nights have
    expired.
    """
    order = {each.id: n for n, each in enumerate(history)}
    baseline = next((each for each in history if each.id == baseline_run), None)
    window = _from_nights(run, history, order, evidence)
    if window is None and evidence.phase == "learning":
        window = _from_two_runs(run, baseline, comparison)
    if window is None:
        window = _from_pinned_run(run, history, order, evidence)
    return window if window is not None and window.before and window.after else None


def _from_nights(
    run: Run, history: Sequence[Run], order: dict[str, int], evidence: Evidence
) -> RegressionWindow | None:
    if evidence.kind not in {"score", "mix"} or evidence.channel is None or evidence.delta is None:
        return None
    if (evidence.delta > 0.0) != (evidence.kind == "mix"):  # it rose: this is not a regression
        return None
    first, last = order.get(evidence.baseline_first_run or ""), order.get(evidence.baseline_last_run or "")
    onset, judged = order.get(evidence.onset_run or ""), order.get(run.id)
    if first is None or last is None or onset is None or judged is None:
        return None
    return RegressionWindow(
        channel=Channel(kind=evidence.kind, name=evidence.channel),
        before=tuple(history[first : last + 1][-NIGHTS:]),
        after=tuple(history[onset : judged + 1][-NIGHTS:]),
    )


def _from_two_runs(run: Run, before: Run | None, comparison: Comparison | None) -> RegressionWindow | None:
    """Return the regression of two runs while there are too few nights: overall, else the category that fell most."""
    if comparison is None or before is None:
        return None
    fallen_categories = [row for row in comparison.categories if row.moved and row.effect < 0.0]
    worst = min(fallen_categories, key=lambda row: (row.effect, row.category), default=None)
    if comparison.interval.high >= 0.0 and worst is None:
        return None
    channel = OVERALL if comparison.interval.high < 0.0 or worst is None else Channel(kind="score", name=worst.category)
    return RegressionWindow(channel=channel, before=(before,), after=(run,))


def _from_pinned_run(
    run: Run, history: Sequence[Run], order: dict[str, int], evidence: Evidence
) -> RegressionWindow | None:
    """Return the regression below a pinned run; the pinned nights end with that run."""
    pinned_run, judged = evidence.pinned_run, order.get(run.id)
    if pinned_run is None or pinned_run.status != "below" or judged is None or pinned_run.run_id not in order:
        return None
    pinned = order[pinned_run.run_id] + 1
    recent = max(pinned, judged + 1 - pinned_run.recent_nights)
    return RegressionWindow(
        channel=Channel(kind="score", name=pinned_run.channel or OVERALL.name),
        before=tuple(history[max(0, pinned - pinned_run.nights) : pinned][-NIGHTS:]),
        after=tuple(history[recent : judged + 1]),
    )
