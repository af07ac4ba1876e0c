"""Which process runs the loops: the only one with a file, and the holder of a lease with a lake."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from monitor.store.engine.database import Store
from monitor.supervisor import Turn, always

if TYPE_CHECKING:
    from monitor.store.lake.lease import Lease

LEASE: Final = "control"
MAINTENANCE: Final = "maintain"
WAIT_S: Final = 5.0  # of a command, for a lease without a holder


def _nothing() -> None:
    pass


def _leads() -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Leadership:
    """What the loops of one process need. `store` refuses their writes after another process took over, and `turn`
    covers each of their steps.
    """

    store: Store
    turn: Turn = always
    leads: Callable[[], bool] = _leads
    lease: "Lease | None" = None
    start: Callable[[], None] = _nothing
    stop: Callable[[], None] = _nothing


def leadership(store: Store, *, serving: bool, maintains: bool = False) -> Leadership:
    """Return the leadership of this process in what a lease covers, from `start` until `stop`. A command waits a few
    seconds for a lease that no process holds; a process that serves works on, and its loops stand by.
    """
    if not store.shared:
        return Leadership(store=store)
    from monitor.store.lake.lake_store import LakeStore  # a process with a file does not need it

    assert isinstance(store, LakeStore)
    lease = store.lease(MAINTENANCE if maintains else LEASE)

    def start() -> None:
        lease.renew()  # a free lease is held before the first step of a loop
        lease.start()
        if not serving:
            lease.wait(WAIT_S)

    return Leadership(
        store=store.under(lease),
        turn=lease.step,
        leads=lambda: lease.held,
        lease=lease,
        start=start,
        stop=lease.stop,
    )
