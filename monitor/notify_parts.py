"""Build the loops that deliver notifications and repeat them. app.py runs them."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from monitor.alerting.notify.base import FailingPeer, Receiver, RepeatingReceiver
from monitor.clock import Clock
from monitor.config import tree
from monitor.domain.alert import Notification
from monitor.domain.policy import Policy
from monitor.jobs.alerting.notify_loop import NotifyLoop
from monitor.jobs.alerting.resend_loop import ResendLoop
from monitor.store.engine.database import Store
from monitor.supervisor import Loop
from monitor.telemetry import Recorder


def loops(
    config: tree.Config,
    *,
    store: Store,
    policy: Policy,
    clock: Clock,
    receivers: Mapping[str, Receiver],
    unstored: Callable[[str], Sequence[Notification]],
    telemetry: Recorder,
) -> Iterator[Loop]:
    """Yield a loop for each receiver, and one more for each receiver of a service that forgets alerts.

    `unstored` returns the notifications that a receiver got while the store could not be written.
    """
    for name, receiver in receivers.items():
        yield NotifyLoop(
            store=store,
            policy=policy,
            clock=clock,
            receiver=receiver,
            kind=config.receivers[name].kind,
            telemetry=telemetry,
        )
        if isinstance(receiver, RepeatingReceiver) and name in policy.alerts.all_receivers:
            yield ResendLoop(store=store, clock=clock, receiver=receiver, unstored=unstored, telemetry=telemetry)


def failing_peers(receivers: Mapping[str, Receiver]) -> dict[str, Callable[[], Sequence[FailingPeer]]]:
    """Return a reader of the servers that fail, by name of each receiver with several servers."""
    return {name: one.failing_peers for name, one in receivers.items() if isinstance(one, RepeatingReceiver)}
