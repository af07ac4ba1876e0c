from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.api.listing import PageStart, decode_start, encode_start, slice_at
from monitor.errors import UsageError


@given(st.integers(0, 999_999_999))
def test_a_cursor_of_ours_is_read_back(start: int) -> None:
    assert decode_start(encode_start(start)) == start


@given(st.text(max_size=40))
def test_anything_else_is_refused_or_leads_to_a_place(cursor: str) -> None:
    with suppress(UsageError):
        assert decode_start(cursor) >= 0


@pytest.mark.parametrize("cursor", ["", "!", "YXQ6LTE", "YXQ6", "YXQ6MTIzNDU2Nzg5MDEyMw"])
def test_no_cursor_leads_before_the_start_or_beyond_every_list(cursor: str) -> None:
    with pytest.raises(UsageError):
        decode_start(cursor)


@given(rows=st.lists(st.integers(), max_size=30), limit=st.integers(1, 7))
def test_following_the_cursor_gives_every_row_once(rows: list[int], limit: Any) -> None:
    seen: list[int] = []
    place = PageStart(limit=limit, start=0)
    while True:
        page = slice_at(rows, place)
        seen += page.items
        if page.next_cursor is None:
            break
        assert len(page.items) == limit
        place = PageStart(limit=limit, start=decode_start(page.next_cursor))
    assert seen == rows
