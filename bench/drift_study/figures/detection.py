"""Figures 1, 2, 3, 5 and 8, and our side of 4: what the alerts of one history are worth."""

from bench.drift_study.alerts import Alert
from bench.drift_study.document import category_name
from bench.drift_study.tally import Tally
from bench.drift_study.world import History

WEEK = 7
FIRST_NIGHTS = (1, 3, 7, 30)  # within which a drop is counted as found
EVENT_NIGHTS = 30  # of the plan after a version change


def count_false_alarms(history: History, alerts: list[Alert], tally: Tally) -> None:
    """Nothing changed: every alert that says regression, or improvement, is false."""
    tally.count("alarm", any(alert.counts for alert in alerts))
    for kind in ("score", "mix", "behaviour", "judge"):
        tally.count(f"alarm_{kind}", any(alert.kind == kind for alert in alerts))
    tally.count("alarm_on_outage", any(alert.counts and history.outages[alert.night].any() for alert in alerts))


def count_again(history: History, alerts: list[Alert], tally: Tally) -> None:
    """One change and then nothing: after the alarm that was right, every further one is false."""
    change = history.cell.change_night
    after = [alert for alert in alerts if alert.counts and alert.night >= change]
    tally.count("nights_7", bool(after) and after[0].night < change + WEEK)
    tally.count("alarm", len(after) > 1)
    tally.count("before", any(alert.counts and alert.night < change for alert in alerts))


def count_silent(history: History, alerts: list[Alert], tally: Tally) -> None:
    """A change nobody announced."""
    change = history.cell.counted_from
    drops = [alert for alert in alerts if alert.may_be_a_drop and alert.trigger == "silent" and alert.night >= change]
    before = any(alert.counts and alert.night < history.cell.change_night for alert in alerts)
    _count_when(drops, change, tally)
    tally.count("before", before)
    delay = drops[0].night - change + 1 if drops else history.cell.nights - change
    if not before:
        tally.count("delay", delay)
    tally.count("night_found", delay)
    tally.count("behaviour_1", any(alert.kind == "behaviour" and alert.night == change for alert in alerts))
    if drops and history.paths.touched is not None:
        named = drops[0].channel == category_name(history.paths.touched)
        tally.count("named", named)
        if drops[0].night == change:
            tally.count("named_night_1", named)


def count_known(history: History, alerts: list[Alert], tally: Tally) -> None:
    """A change with a version string that says so, looked at over thirty nights."""
    change = history.cell.change_night
    event = [alert for alert in alerts if alert.counts and change <= alert.night < change + EVENT_NIGHTS]
    tally.count("alarm", any(alert.trigger == "version" for alert in event))
    tally.count("alarm_silent", any(alert.counts and alert.trigger == "silent" for alert in alerts))
    _count_when([alert for alert in event if alert.trigger == "version" and alert.may_be_a_drop], change, tally)
    tally.count("either_7", any(alert.may_be_a_drop and alert.night < change + WEEK for alert in event))


def count_event(history: History, alerts: list[Alert], tally: Tally) -> None:
    """A change looked at over thirty nights, announced or not, whatever triggers the alert.

    "alarm" is any regression within them, false where the change took nothing; "found_N" is one within N nights that
    may be a drop; "early" is one after the announcement and before the change.
    """
    cell, change = history.cell, history.cell.change_night
    event = [alert for alert in alerts if change <= alert.night < change + EVENT_NIGHTS]
    tally.count("alarm", any(alert.counts for alert in event))
    tally.count("alarm_night_1", any(alert.counts and alert.night == change for alert in event))
    tally.count("behaviour", any(alert.kind == "behaviour" for alert in event))
    for nights in FIRST_NIGHTS:
        tally.count(f"found_{nights}", any(a.may_be_a_drop and a.night < change + nights for a in event))
    tally.count("early", any(alert.counts and cell.version_night <= alert.night < change for alert in alerts))


def count_mix(history: History, alerts: list[Alert], tally: Tally) -> None:
    """The mix of failures, without a change of it and with one."""
    change = history.cell.change_night
    tally.count("alarm", any(alert.counts and alert.night < change for alert in alerts))
    tally.count("alarm_mix", any(alert.kind == "mix" and alert.night < change for alert in alerts))
    if history.cell.change == "none":
        return
    mix = [alert for alert in alerts if alert.kind == "mix" and alert.night >= change]
    _count_when(mix, change, tally)
    tally.count("either_7", any(alert.counts and change <= alert.night < change + WEEK for alert in alerts))
    if mix:
        tally.count("named", mix[0].channel == history.favoured_name)


def _count_when(alerts: list[Alert], change: int, tally: Tally) -> None:
    first = alerts[0].night - change if alerts else None
    tally.count("night_1", first == 0)
    tally.count("nights_7", first is not None and first < WEEK)
