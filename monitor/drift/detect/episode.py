"""Whether the drop that opened an alert persists."""

from dataclasses import dataclass

from monitor.domain.evidence import ChannelEvidence, Evidence, Kind
from monitor.drift.detect.announced_change import channel_change
from monitor.drift.detect.channel_size import WindowComparison
from monitor.drift.detect.night_scores import channel_names
from monitor.drift.detect.nightly_history import Nights
from monitor.drift.detect.window import Window

RECENT = 14  # newest nights that decide whether the drop is over


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """The drop of an open alert: a change of `delta` in a channel. `before` are the nights before its onset,
    `alert_night` is the night of the alarm.
    """

    kind: str
    channel: str
    delta: float
    before: Window
    alert_night: int


def open_episode(nights: Nights, evidence: Evidence | None, run_id: str | None) -> Episode | None:
    """Return the drop of the open alert; None when there is none, or when its nights have expired."""
    if evidence is None or evidence.kind not in {"score", "mix"} or evidence.channel is None or evidence.delta is None:
        return None
    onset, alert_night = nights.index(evidence.onset_run), nights.index(run_id)
    first = nights.index(evidence.baseline_first_run)
    if onset is None or alert_night is None or first is None or first >= onset:
        return None
    last = nights.index(evidence.baseline_last_run)
    end = onset if last is None else min(onset, last + 1)
    return Episode(
        kind=evidence.kind,
        channel=evidence.channel,
        delta=evidence.delta,
        before=Window(start=first, end=end),
        alert_night=alert_night,
    )


def drop_persists(nights: Nights, episode: Episode) -> bool:
    """Return False when the newest nights rule out that half of the drop remains, else True.

    The test uses the newest night, the newest two, and so on, of the version that serves now. A window rules the drop
    out when the 95 % interval of its difference to the nights before the onset is on the good side of half the drop. A
    collapse is over after one good night; a drop of two points takes longer. Any of the windows is enough, so earlier
    bad nights do not delay a recovery.
    """
    channels = channel_names(nights.history) if episode.kind == "score" else tuple(nights.history.failures)
    if episode.channel not in channels:
        return False  # the channel has no cases any more
    return not any(_rules_out(nights, episode, recent) for recent in _recent_windows(nights, episode.alert_night))


def remaining_drop(nights: Nights, episode: Episode) -> ChannelEvidence:
    """Return the change of the nights since the alarm against the nights before the onset."""
    comparison = WindowComparison(
        history=nights.history, before=episode.before, after=_recent_windows(nights, episode.alert_night)[-1]
    )
    kind: Kind = "mix" if episode.kind == "mix" else "score"
    return ChannelEvidence(kind=kind, channel=episode.channel, **comparison.size(kind, episode.channel))


def _rules_out(nights: Nights, episode: Episode, recent: Window) -> bool:
    change = channel_change(nights.history, episode.kind, episode.channel, episode.before, recent)
    if change is None:
        return False
    half_drop = episode.delta / 2.0
    return change[1].low > half_drop if half_drop < 0 else change[1].high < half_drop


def _recent_windows(nights: Nights, alert_night: int) -> list[Window]:
    """Return the newest night, the newest two, and so on: after the alarm, of the current version and judge."""
    end = nights.history.nights
    windows = [Window(start=end - 1, end=end)]
    while (
        windows[-1].start - 1 > alert_night
        and len(windows) < RECENT
        and _same_version_and_judge(nights, windows[-1].start - 1)
    ):
        windows.append(Window(start=windows[-1].start - 1, end=end))
    return windows


def _same_version_and_judge(nights: Nights, night: int) -> bool:
    history = nights.history
    return history.versions[night] == history.versions[-1] and history.judges[night] == history.judges[-1]
