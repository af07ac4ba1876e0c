import asyncio
import threading

from replay.run.pause import Pause


class ManualTime:
    """Passes half a second at each look."""

    def __init__(self) -> None:
        self.at = 100.0

    def monotonic(self) -> float:
        self.at += 0.5
        return self.at


def test_there_is_no_pause_until_somebody_asks_for_one() -> None:
    asyncio.run(asyncio.wait_for(Pause(lambda: 100.0, None).over(), 5))


def test_a_pause_lasts_as_long_as_the_longest_that_was_asked_for() -> None:
    time = ManualTime()
    pause = Pause(time.monotonic, None)
    pause.extend(3.0)
    pause.extend(0.1)
    asyncio.run(pause.over())
    assert 103.0 < time.at < 105.0


def test_a_stop_from_another_thread_ends_a_pause_of_any_length() -> None:
    stop = threading.Event()
    pause = Pause(lambda: 100.0, stop)
    pause.extend(1e9)
    threading.Timer(0.05, stop.set).start()
    asyncio.run(asyncio.wait_for(pause.over(), 10))
    assert pause.stopped


def test_a_stop_ends_a_sleep_of_any_length() -> None:
    async def stopped_while_asleep() -> None:
        stop = asyncio.Event()
        asyncio.get_running_loop().call_soon(stop.set)
        await asyncio.wait_for(Pause(lambda: 100.0, stop).sleep(1e9), 10)

    asyncio.run(stopped_while_asleep())
