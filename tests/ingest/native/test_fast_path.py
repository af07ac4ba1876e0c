"""The fast path gives the same interactions as the general decoder, or None."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.domain.interaction import Interaction
from monitor.errors import MalformedRecord
from monitor.ingest.json_text import read_json
from monitor.ingest.limits import Limits
from monitor.ingest.native.fast_path import read_plain
from monitor.ingest.native.record import DEFAULTS, read_record
from tests.ingest.build import NOW, native, native_feedback
from tests.ingest.native.test_record import FULL, JSON

SMALL = Limits(depth=5, attributes=2, value_chars=2_000)


def short(value: bytes, limits: Limits = DEFAULTS) -> Interaction | None:
    return read_plain(value, NOW, "default", "kafka", limits)


def long(value: bytes, limits: Limits = DEFAULTS) -> Any:
    """Return the result of the general decoder; None for a malformed record."""
    try:
        return read_record(read_json(value, "the value"), NOW, "default", "kafka", limits)
    except MalformedRecord:
        return None


PLAIN = [
    FULL,
    native(),
    native(request={"messages": ["hi", {"role": 7, "content": 7}]}),
    native(id="a", error="timeout", response=None),
    native(error={"type": "429", "message": {"any": 1}}, usage=None, prompt=None),
    native(id="", deployment="", user_id="", trace_id="", provider="", error="", attributes=None),
    native(started_at="2026-11-21t03:00:00.123456789+01:00", cost_usd=0, duration_ms=2**70),
    {"type": "interaction", "started_at": "2026-11-21T02:00:00Z"},
]


@pytest.mark.parametrize("record", PLAIN)
def test_a_well_formed_record_takes_the_fast_path_with_an_equal_result(record: dict[str, Any]) -> None:
    written = json.dumps(record).encode()
    assert short(written) is not None
    assert short(written) == long(written)


@pytest.mark.parametrize(
    "written",
    [
        json.dumps(native_feedback()).encode(),
        json.dumps([native()]).encode(),
        json.dumps(native(promt={})).encode(),
        json.dumps(native(usage={"input_tokens": 1.0})).encode(),
        json.dumps(native(request={"max_tokens": 2**63})).encode(),
        json.dumps(native(request={"seed": -(2**63)})).encode(),
        json.dumps(native(attributes={"driftd.unread": ["x"]})).encode(),
        json.dumps(native(started_at="2026-02-30T02:00:00Z")).encode(),
        json.dumps(native(started_at="20261121T020000Z")).encode(),
        json.dumps(native(trace_id="abc")).encode(),
        json.dumps(native(error={"type": ""})).encode(),
        json.dumps(native(user_id="\ud83d")).encode(),
        b"\xef\xbb\xbf" + json.dumps(native()).encode(),
        json.dumps(native())[:-1].encode() + b', "cost_usd": NaN}',
        json.dumps(native())[:-1].encode() + b', "attributes": ' + b'{"a": ' * 5_000 + b"1" + b"}" * 5_001,
        b"\xff",
        b"",
    ],
)
def test_the_fast_path_leaves_other_records_to_the_general_decoder(written: bytes) -> None:
    assert short(written) is None


def nested(depth: int) -> Any:
    return [nested(depth - 1)] if depth else 1


PART = {"type": "tool_call", "name": "look"}
INSIDE = [
    native(attributes={"a": nested(5), "b": 1}),
    native(request={"messages": [{"role": "user", "parts": [{"type": "text", "content": "hi"}]}]}),
    native(request={"messages": [{"role": "user", "content": [PART | {"arguments": nested(1)}]}]}),
    native(error={"type": "429", "message": nested(5)}),
]
BEYOND = [
    native(attributes={"a": nested(6)}),
    native(attributes={"a": 1, "b": 1, "c": 1}),
    native(request={"messages": [{"role": "user", "content": [PART | {"arguments": nested(2)}]}]}),
    native(request={"messages": [{"role": "user", "content": "hi", "finish_reason": nested(4)}]}),
    native(request={"messages": [{"parts": [{"type": "text", "content": "hi"}], "content": nested(4)}]}),
    native(error={"type": "429", "message": nested(6)}),
    native(user_id="u" * 2_001),
]


@pytest.mark.parametrize("record", INSIDE)
def test_a_record_within_the_limits_takes_the_fast_path(record: dict[str, Any]) -> None:
    written = json.dumps(record).encode()
    assert short(written, SMALL) is not None
    assert short(written, SMALL) == long(written, SMALL)


@pytest.mark.parametrize("record", BEYOND)
def test_a_record_beyond_a_limit_is_rejected_by_both_decoders(record: dict[str, Any]) -> None:
    written = json.dumps(record).encode()
    assert (short(written, SMALL), long(written, SMALL)) == (None, None)
    assert short(written) is not None


@given(change=st.dictionaries(st.sampled_from(["attributes", "request", "documents", "error"]), JSON, max_size=3))
@settings(max_examples=200)
def test_both_decoders_agree_on_limits(change: dict[str, Any]) -> None:
    written = json.dumps(FULL | change).encode()
    for limits in (SMALL, Limits(depth=4, attributes=1), Limits(depth=1)):
        found = short(written, limits)
        assert found is None or found == long(written, limits)


@given(change=st.dictionaries(st.sampled_from([*FULL, "what"]), JSON, max_size=3))
@settings(max_examples=400)
def test_both_decoders_agree_on_any_value_of_a_field(change: dict[str, Any]) -> None:
    written = json.dumps(FULL | change).encode()
    found = short(written)
    assert found is None or found == long(written)


@given(
    part=st.sampled_from(["request", "response", "usage", "prompt"]),
    change=st.dictionaries(
        st.sampled_from(["model", "messages", "seed", "id", "version", "input_tokens", "temperature"]), JSON, max_size=3
    ),
)
@settings(max_examples=400)
def test_both_decoders_agree_on_any_value_inside_an_object(part: str, change: dict[str, Any]) -> None:
    written = json.dumps(FULL | {part: FULL[part] | change}).encode()
    found = short(written)
    assert found is None or found == long(written)
