"""One deadline for all steps of a call."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

Result = TypeVar("Result")


def run_within(timeout_s: float, make: Callable[[], Awaitable[Result]]) -> Result:
    """Return the result of the awaitable. Raise TimeoutError after `timeout_s` seconds, in any of its steps.

    A name lookup cannot be cancelled: it ends in its own thread, and this function does not wait for it.
    """
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(asyncio.wait_for(make(), timeout_s))
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
