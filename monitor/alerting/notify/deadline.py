"""One deadline over everything that a call waits for."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

Result = TypeVar("Result")


def run_within(timeout_s: float, make: Callable[[], Awaitable[Result]]) -> Result:
    """Return what the awaitable gives; TimeoutError once `timeout_s` has passed, whatever it waits for by then.

    A name lookup cannot be cancelled: it ends in its own thread, and nothing waits for it.
    """
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(asyncio.wait_for(make(), timeout_s))
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
