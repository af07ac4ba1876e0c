"""Every row that the decoders accept can be written: otherwise its sender would retry forever."""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from monitor.clock import SystemClock
from monitor.domain.interaction import Interaction
from monitor.errors import MalformedRecord
from monitor.ingest.conventions.table import CONVENTIONS
from monitor.ingest.intake import Batch, Intake
from monitor.ingest.native.record import decode_record
from monitor.ingest.otlp import json as otlp_json
from monitor.ingest.otlp.decode import decode
from monitor.ingest.writer import Writer
from monitor.store.engine.database import Store
from monitor.store.traffic import interactions
from tests.ingest import build
from tests.ingest.pipeline import RULES, normalizer
from tests.properties import examples

TEXT = st.text(max_size=20) | st.sampled_from(["\x00", "\ud83d", "🚲", "é", "{", '"', "\u2028"])
NUMBER = st.integers(-(2**65), 2**65) | st.floats() | st.sampled_from([0, 2**63 - 1, 2**63, 1e308, 5e-324])
SCALAR = st.none() | st.booleans() | NUMBER | TEXT
VALUE = st.recursive(SCALAR, lambda v: st.lists(v, max_size=3) | st.dictionaries(TEXT, v, max_size=3), max_leaves=6)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder: Path = tmp_path_factory.mktemp("store")
    opened = Store.open(folder / "driftd.duckdb", clock=SystemClock())
    yield opened
    opened.close()


class _RolledBack(Exception):
    """Rolls back each example, so that examples are independent."""


def assert_stored(store: Store, item: Interaction) -> None:
    with suppress(_RolledBack), store.write() as tx:
        assert interactions.insert(tx, [item]).accepted == 1
        found = interactions.get(tx, item.id)
        assert found is not None
        assert (found.system_prompt, found.input_messages) == (item.system_prompt, item.input_messages)
        assert (found.input_tokens, found.seed, found.started_at) == (item.input_tokens, item.seed, item.started_at)
        raise _RolledBack


@given(
    text=TEXT,
    numbers=st.fixed_dictionaries({}, optional={"temperature": NUMBER, "max_tokens": NUMBER, "seed": NUMBER}),
    attributes=st.dictionaries(TEXT, VALUE, max_size=3),
    started_at=st.datetimes().map(lambda at: at.isoformat() + "Z"),
)
@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_native_record_that_is_accepted(
    store: Store, text: str, numbers: dict[str, Any], attributes: dict[str, Any], started_at: str
) -> None:
    messages = [{"role": "system", "content": text}, {"role": "user", "content": text}]
    record = build.native(
        request={"model": text, "messages": messages, **numbers},
        attributes=attributes,
        started_at=started_at,
        user_id=text,
    )
    with suppress(MalformedRecord):
        item = decode_record(record, build.NOW, "support")
        assert isinstance(item, Interaction)
        assert_stored(store, build.alone(normalizer(), item))


@given(
    values=st.dictionaries(
        st.sampled_from(["gen_ai.usage.input_tokens", "gen_ai.request.seed", "gen_ai.response.id", "user.id", "other"]),
        st.one_of(
            TEXT.map(lambda v: {"stringValue": v}),
            NUMBER.map(lambda v: {"intValue": v}),
            NUMBER.map(lambda v: {"doubleValue": v}),
            TEXT.map(lambda v: {"arrayValue": {"values": [{"stringValue": v}]}}),
        ),
        max_size=5,
    ),
    text=TEXT,
    start=st.integers(-1, 2**66).map(str),
)
@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_span_that_is_accepted(store: Store, values: dict[str, Any], text: str, start: str) -> None:
    requested = json.dumps([{"role": "system", "content": text}, {"role": "user", "content": text}])
    attributes = values | {
        "gen_ai.operation.name": {"stringValue": "chat"},
        "gen_ai.input.messages": {"stringValue": requested},
    }
    span = {
        "traceId": build.TRACE,
        "spanId": build.SPAN,
        "startTimeUnixNano": start,
        "endTimeUnixNano": str(2**63),
        "attributes": [{"key": key, "value": value} for key, value in attributes.items()],
    }
    body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode()
    with suppress(MalformedRecord):
        request = otlp_json.read_traces(body)
        decoded = decode(request, rules=RULES, conventions=CONVENTIONS, now=build.NOW)
        assert len(decoded.interactions) + len(decoded.bad) == 1
        for item in decoded.interactions:
            assert_stored(store, build.alone(normalizer(), item))


def test_dead_letters_of_any_bytes(store: Store) -> None:
    letters = tuple(
        normalizer().dead_letter(source="http", code="malformed", reason=reason, raw=raw, now=build.NOW)
        for reason, raw in (("half an emoji \ud83d", b"\xff\x00"), ("empty", b""), ("long", b"x" * 100_000))
    )
    intake = Intake(10)
    receipt = intake.submit(Batch(dead_letters=letters))
    Writer(store, intake, SystemClock()).step()
    assert receipt.wait(0).accepted == 0
