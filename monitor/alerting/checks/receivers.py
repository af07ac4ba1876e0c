"""Decides whether a receiver of alerts fails."""

from collections.abc import Sequence
from datetime import datetime

from monitor.alerting.checks.condition import DAEMON, Condition, ConditionState, minutes, when
from monitor.alerting.needs_update import failing_receiver
from monitor.alerting.notify.base import FailingPeer

RULE = "ReceiverFailing"
FAILING_S = 600.0  # a receiver that restarts is back by then


def receiver_condition(
    receiver: str,
    *,
    queued: int,
    attempts: int,
    refused: bool,
    since: datetime | None,
    error: str | None,
    now: datetime,
    peers: Sequence[FailingPeer] = (),
) -> Condition:
    """Return the condition of a receiver.

    `queued` notifications wait for it, after `attempts` attempts. `since` is the oldest plan since its last delivery.
    It fires at once when the receiver refused a notification, and after `FAILING_S` seconds without a delivery.
    Notifications that wait without an attempt prove nothing. A receiver with several servers fails too when one of
    `peers` fails for `FAILING_S` seconds, although the others accept the notifications.
    """
    failing = since is not None and attempts > 0 and (refused or (now - since).total_seconds() >= FAILING_S)
    test = f"test it with `driftd alerts test --receiver {receiver}`"
    if failing and since is not None:
        waiting = f"{queued} notification{'s' if queued > 1 else ''} not delivered since {when(since)}"
        how = "refuses" if refused else "does not accept"
        lasting = "" if refused else f" for {minutes((now - since).total_seconds())}"
        reason = f"receiver {receiver} {how} notifications{lasting}: {error}; {waiting}; {test}"
        state = ConditionState.FIRING
    elif lasting_peers := [one for one in peers if (now - one.since).total_seconds() >= FAILING_S]:
        since_when = "; ".join(f"peer {one.peer} since {when(one.since)}: {one.error}" for one in lasting_peers)
        reason = f"receiver {receiver} reaches only some of its peers: {since_when}; {test}"
        state = ConditionState.FIRING
    else:
        reason = f"receiver {receiver} accepts notifications"
        state = ConditionState.UNKNOWN if queued else ConditionState.CLEAR
    return Condition(rule=RULE, deployment=DAEMON, subject=failing_receiver(receiver), state=state, reason=reason)
