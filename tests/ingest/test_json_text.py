import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.errors import MalformedRecord
from monitor.ingest.json_text import MAX_CONTAINERS, parse_json, read_json, storable


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "the line is not JSON: Expecting property name .* at character 1"),
        ('{"a": NaN}', "NaN is not a JSON number"),
        (b"\xff", "the line is not JSON"),
        ("[" * 100_000, "nested too deep"),
        ("9" * 5000, "the line is not JSON"),
    ],
)
def test_invalid_json_is_reported_with_its_position(text: str | bytes, reason: str) -> None:
    with pytest.raises(MalformedRecord, match=reason):
        read_json(text, "the line")


def test_a_byte_order_mark_is_ignored() -> None:
    assert read_json(b'\xef\xbb\xbf{"a": 1}', "x") == {"a": 1}


def test_half_an_emoji_becomes_the_replacement_character_and_a_whole_one_stays() -> None:
    assert read_json('{"\\ud83d": ["\\ud83d\\udeb2", "a\\udeb2"]}', "x") == {"�": ["🚲", "a�"]}


def test_numbers_that_are_not_finite_become_text() -> None:
    assert storable({"a": [float("nan"), float("-inf"), 1.5]}) == {"a": ["nan", "-inf", 1.5]}


@given(st.text() | st.binary())
def test_anything_is_read_or_malformed_and_what_is_read_can_be_stored(text: str | bytes) -> None:
    try:
        value: Any = read_json(text, "x")
    except MalformedRecord:
        return
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode()


def test_too_many_lists_and_objects_are_rejected_without_decoding() -> None:
    crowded = "[" + "[]," * MAX_CONTAINERS + "[]]"
    for text in (crowded, crowded.encode()):
        with pytest.raises(MalformedRecord, match="lists and objects"):
            parse_json(text, "the body")


JSON_BUT_FOR_ITS_WRITING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec=None)), inner),
)


@given(JSON_BUT_FOR_ITS_WRITING, st.booleans())
def test_the_strict_decoder_gives_the_result_of_the_lenient_one(value: Any, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    try:
        lenient = storable(parse_json(text, "x"))
    except MalformedRecord:
        with pytest.raises(MalformedRecord):
            read_json(text, "x")
    else:
        assert repr(read_json(text, "x")) == repr(lenient)
