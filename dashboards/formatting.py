"""Formats numbers and times for people. Missing data is a word, never zero."""

from datetime import datetime

from monitor.api.schema import AlertItem, FindingItem

NO_DATA = "no data"


def percent(rate: float | None) -> str:
    return NO_DATA if rate is None else f"{100 * rate:.1f} %"


def points(difference: float) -> str:
    """Return a difference of rates in points with its sign; no sign when it rounds to zero."""
    text = f"{100 * difference:+.1f}".replace("-", "−")
    return "0.0" if text in {"+0.0", "−0.0"} else text


def amount(value: float, unit: str) -> str:
    """Return the value of a production series on one day: a share, milliseconds or dollars."""
    if unit == "share":
        return f"{100 * value:.2f} %"
    return f"{value:,.0f} ms" if unit == "ms" else f"{value:.3g} USD"


def step(difference: float, unit: str) -> str:
    """Return the size of a change: points for a share, else percent."""
    return f"{100 * difference:.2f} points" if unit == "share" else f"{100 * difference:.0f} %"


def about(item: FindingItem | AlertItem) -> str:
    """Return the subject of a finding or alert: an eval set or a metric of it, a source, or a series of production
    traffic.
    """
    if item.metric is not None:
        return f"{item.set_name}, metric {item.metric}"
    return item.set_name or item.source or f"production {item.series}"


def ago(at: datetime, now: datetime) -> str:
    """Return the time between `at` and `now` in the largest unit that is not zero."""
    seconds = int((now - at).total_seconds())
    if seconds < 0:
        return "in the future"
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= size:
            return f"{count(seconds // size, unit)} ago"
    return "just now"


def count(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def plain(text: str) -> str:
    """Return text from outside with every special character of Markdown escaped."""
    return "".join(f"\\{char}" if char in "\\`*_{}[]()#+!|$<>~:" else char for char in text)
