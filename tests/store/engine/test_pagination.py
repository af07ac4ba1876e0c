import base64
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.errors import UsageError
from monitor.store.engine.database import Tx
from monitor.store.engine.pagination import PageQuery, decode_cursor, encode_cursor
from monitor.store.traffic import interactions
from tests.store.build import at, interaction


def walk(tx: Tx, q: PageQuery) -> list[str]:
    """Return every id of a list, page by page."""
    seen: list[str] = []
    while True:
        page = interactions.page(tx, q)
        seen += [item.id for item in page.items]
        if page.next_cursor is None:
            return seen
        q = PageQuery(limit=q.limit, cursor=page.next_cursor, deployment=q.deployment, since=q.since, until=q.until)


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 50])
def test_walking_the_pages_sees_every_row_once_newest_first(tx: Tx, limit: int) -> None:
    rows = [interaction(f"i{n}", started_at=at(n // 3)) for n in range(10)]  # three share each instant
    interactions.insert(tx, rows)
    newest_first = [row.id for row in sorted(rows, key=lambda row: (row.started_at, row.id), reverse=True)]
    assert walk(tx, PageQuery(limit=limit)) == newest_first


def test_rows_that_arrive_during_the_walk_shift_nothing(tx: Tx) -> None:
    interactions.insert(tx, [interaction(f"i{n}", started_at=at(n)) for n in range(4)])
    first = interactions.page(tx, PageQuery(limit=2))
    interactions.insert(tx, [interaction("late", started_at=at(9))])
    second = interactions.page(tx, PageQuery(limit=2, cursor=first.next_cursor))
    assert [item.id for item in (*first.items, *second.items)] == ["i3", "i2", "i1", "i0"]
    assert second.next_cursor is None


def test_since_is_inside_and_until_is_not(tx: Tx) -> None:
    interactions.insert(tx, [interaction(f"i{n}", started_at=at(n)) for n in range(4)])
    assert walk(tx, PageQuery(since=at(1), until=at(3))) == ["i2", "i1"]


def test_a_deployment_shows_its_own_rows(tx: Tx) -> None:
    interactions.insert(tx, [interaction("a"), interaction("b", deployment="search")])
    assert walk(tx, PageQuery(deployment="search")) == ["b"]


def test_the_last_page_that_is_full_has_no_cursor(tx: Tx) -> None:
    interactions.insert(tx, [interaction("a"), interaction("b")])
    assert interactions.page(tx, PageQuery(limit=2)).next_cursor is None


@pytest.mark.parametrize("limit", [0, -1, 1001])
def test_a_limit_out_of_range_is_told(tx: Tx, limit: int) -> None:
    with pytest.raises(UsageError, match="use 1 to 1000 items"):
        interactions.page(tx, PageQuery(limit=limit))


@pytest.mark.parametrize(
    "cursor",
    [
        "x",
        "é",
        "!!!!",
        *(base64.b64encode(raw).decode() for raw in (b"no bar", b"x|id", b"99999999999999999999|id", b"\xff|id")),
    ],
)
def test_a_cursor_we_did_not_write_is_told(tx: Tx, cursor: str) -> None:
    with pytest.raises(UsageError, match="is invalid"):
        interactions.page(tx, PageQuery(cursor=cursor))


@given(
    at=st.datetimes(min_value=datetime(1, 1, 1), max_value=datetime(9999, 12, 31), timezones=st.just(UTC)),
    tie=st.text(st.characters(codec="utf-8")),
)
def test_a_cursor_comes_back_as_it_was(at: datetime, tie: str) -> None:
    assert decode_cursor(encode_cursor(at, tie)) == (at, tie)
