import json
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.errors import CallError
from replay.targets.sse import MAX_EVENT_BYTES, Event, EventDecoder

endings = st.sampled_from(["\n", "\r", "\r\n"])
lines = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=12)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=30)


def decoded(*pieces: bytes) -> list[Event]:
    decoder = EventDecoder()
    return [event for piece in pieces for event in decoder.feed(piece)]


def cut(data: bytes, places: list[int]) -> list[bytes]:
    """The bytes in pieces, some of them empty."""
    bounds = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(bounds)]


@st.composite
def streams(draw: st.DrawFn) -> tuple[bytes, list[Event]]:
    """A stream as any server may write it, and the events it holds."""
    ending = draw(endings)
    written, expected = "\ufeff" if draw(st.booleans()) else "", []
    for data in draw(st.lists(texts, max_size=4)):
        name = draw(st.sampled_from(["", "message_start", "é"]))
        written += f": a comment{ending}" if draw(st.booleans()) else ""
        written += f"event: {name}{ending}" if name else ""
        written += (
            "".join(f"data: {line}{ending}" for line in data.split("\n")) + f"id: 7{ending}retry: 3{ending}{ending}"
        )
        expected.append(Event(name=name or "message", data=data))
    return written.encode(), expected


@given(streams(), st.lists(st.integers(min_value=0), max_size=8))
def test_a_stream_says_the_same_however_it_is_cut(stream: tuple[bytes, list[Event]], places: list[int]) -> None:
    data, expected = stream
    assert decoded(data) == expected
    assert decoded(*cut(data, places)) == expected
    assert decoded(*(data[i : i + 1] for i in range(len(data)))) == expected


@given(st.binary(max_size=200), st.lists(st.integers(min_value=0), max_size=6))
def test_any_bytes_are_read_alike_however_they_are_cut(data: bytes, places: list[int]) -> None:
    assert decoded(*cut(data, places)) == decoded(data)


@given(st.lists(lines, max_size=6), endings)
def test_lines_that_are_no_data_make_no_event(other: list[str], ending: str) -> None:
    quiet = [line for line in other if not re.match(r"(\ufeff)?data(:|$)", line)]
    assert decoded("".join(f"{line}{ending}" for line in ["", *quiet, ""]).encode()) == []


def test_an_event_is_out_with_its_blank_line_and_not_later() -> None:
    decoder = EventDecoder()
    assert decoder.feed(b'data: {"a"') == []
    assert decoder.feed(b": 1}\r\n\r") == [Event(name="message", data='{"a": 1}')]
    assert decoder.feed(b"\ndata: b\n\n") == [Event(name="message", data="b")]


def test_a_piece_without_bytes_between_the_two_ends_of_a_line_changes_nothing() -> None:
    assert decoded(b"event: a\r", b"", b"\ndata: b\n\n") == [Event(name="a", data="b")]


def test_what_the_end_of_the_stream_cut_off_is_no_event() -> None:
    assert decoded(b"data: a\n\ndata: half") == [Event(name="message", data="a")]
    assert decoded(b"data: a\n\ndata: whole but not over\n") == [Event(name="message", data="a")]


def test_only_one_space_after_the_colon_is_not_of_the_data() -> None:
    assert [event.data for event in decoded(b"data:  a\n\ndata:b\n\ndata\n\n")] == [" a", "b", ""]


@pytest.mark.parametrize("piece", [b"x" * 2**20, b"data: " + b"x" * 2**20 + b"\n"], ids=["a line", "many lines"])
def test_an_event_without_an_end_is_given_up(piece: bytes) -> None:
    endless = [b"data: ", *[piece] * (MAX_EVENT_BYTES // 2**20 + 1)]
    with pytest.raises(CallError, match="longer than") as raised:
        decoded(*endless)
    assert raised.value.error_class == "malformed_reply"


def test_json_survives_the_way_through_a_stream() -> None:
    document = {"text": "a\nb\r\u2028é"}
    [event] = decoded(f"data: {json.dumps(document)}\n\n".encode())
    assert json.loads(event.data) == document
