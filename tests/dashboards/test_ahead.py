"""The requests of a page are sent at once, and an error of one is left to its panel."""

import threading

from dashboards.requests.ahead import read_ahead


def test_reads_run_at_once() -> None:
    meeting = threading.Barrier(3, timeout=20)
    met: list[int] = []
    read_ahead(*[lambda: met.append(meeting.wait())] * 3)
    assert sorted(met) == [0, 1, 2]


def test_an_error_is_not_raised_and_the_others_are_read() -> None:
    done: list[str] = []
    read_ahead(lambda: 1 / 0, lambda: done.append("read"))
    assert done == ["read"]
