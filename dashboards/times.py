"""Times in the time zone of the reader's browser. Outside of a page (tests of pure parts) the zone is UTC."""

from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx


def reader_zone() -> tzinfo:
    """Return the zone of the browser that shows this page; UTC when it is unknown."""
    name = st.context.timezone if get_script_run_ctx(suppress_warning=True) is not None else None
    try:
        return ZoneInfo(name) if name else UTC
    except (KeyError, ValueError, OSError):  # a browser may send any text
        return UTC


def zone_name() -> str:
    """Return `UTC` or, for example, `Europe/Berlin`."""
    return str(reader_zone())


def moment(at: datetime | None) -> str:
    """Return `2026-03-06 02:14` in the zone of the reader. The head of the page names the zone."""
    return "never" if at is None else f"{at.astimezone(reader_zone()):%Y-%m-%d %H:%M}"


def moment_in_zone(at: datetime) -> str:
    """Return `2026-03-06 03:14 CET`: for a text that is read without the head of the page."""
    return f"{at.astimezone(reader_zone()):%Y-%m-%d %H:%M %Z}"


def axis_labels(times: Sequence[datetime]) -> list[str]:
    """Return a short label for each time of an axis: day, month and time, with the year when there are several years.

    >>> axis_labels([datetime(2026, 3, 6, 2, 14, tzinfo=UTC)])
    ['06 Mar 02:14']
    >>> axis_labels([datetime(2023, 3, 6, 2, tzinfo=UTC), datetime(2026, 3, 6, 2, tzinfo=UTC)])
    ['06 Mar 2023', '06 Mar 2026']
    """
    local = [at.astimezone(reader_zone()) for at in times]
    form = "%d %b %Y" if len({at.year for at in local}) > 1 else "%d %b %H:%M"
    return [at.strftime(form) for at in local]
