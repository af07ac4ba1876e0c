import logging

from monitor.cli.terminal.log_rate_limit import KINDS, LINES, WINDOW_S, RepeatLimit


class Watch:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def record(message: str, *values: object, level: int = logging.ERROR) -> logging.LogRecord:
    return logging.LogRecord("asyncio", level, __file__, 1, message, values, None)


def test_lines_that_repeat_are_dropped_and_counted_in_the_next_minute() -> None:
    watch = Watch()
    limit = RepeatLimit(watch)
    assert sum(limit.filter(record("accept failed: %d", n)) for n in range(10_000)) == LINES
    watch.now_s = WINDOW_S
    following = record("accept failed: %d", 7)
    assert limit.filter(following)
    assert following.getMessage() == f"accept failed: 7 ({10_000 - LINES} similar lines were not logged)"


def test_other_lines_pass_meanwhile() -> None:
    limit = RepeatLimit(Watch())
    for _ in range(100):
        limit.filter(record("accept failed"))
    assert limit.filter(record("the disk is full"))
    assert limit.filter(record("accept failed", level=logging.WARNING))


def test_a_percent_sign_in_a_dropped_line_is_no_placeholder() -> None:
    watch = Watch()
    limit = RepeatLimit(watch)
    for _ in range(LINES + 1):
        limit.filter(record("%s is full", "99 %s"))
    watch.now_s = WINDOW_S
    following = record("%s is full", "99 %s")
    assert limit.filter(following)
    assert following.getMessage() == "99 %s is full (1 similar lines were not logged)"


def test_its_memory_is_bounded() -> None:
    limit = RepeatLimit(Watch())
    for n in range(3 * KINDS):
        assert limit.filter(record(f"message {n}"))
    assert len(limit._windows) <= KINDS
