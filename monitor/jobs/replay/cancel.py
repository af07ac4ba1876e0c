"""Ends the calls of a run that a person cancelled."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from replay.run.pause import StopSignal

T = TypeVar("T")
POLL_S = 0.1
GRACE_S = 5.0  # The provider bills calls in flight, so they get this long to complete.


class RunCancelled(Exception):
    """The calls of a cancelled run have ended."""


class RunInterrupted(Exception):
    """This process ends its work on a run whose calls other processes make. The process that leads next goes on."""


async def until_cancelled(work: Coroutine[Any, Any, T], cancelled: StopSignal, *, grace_s: float = GRACE_S) -> T:
    """Return the result of `work`. Raise RunCancelled once `cancelled` is set and `work` has ended.

    `work` receives the signal too and starts no further calls. Calls in flight are abandoned after `grace_s`.
    """
    task = asyncio.create_task(work)
    try:
        while not task.done() and not cancelled.is_set():
            await asyncio.wait({task}, timeout=POLL_S)
        if not cancelled.is_set():
            return task.result()
        await asyncio.wait({task}, timeout=grace_s)
    finally:
        task.cancel()
        await asyncio.wait({task})
    if not task.cancelled():
        task.exception()  # any error: the run is over
    raise RunCancelled
