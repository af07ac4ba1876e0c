"""Any value of any optional attribute: the call is stored, and its other fields are unchanged."""

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import fields, replace

from monitor.domain.interaction import Interaction
from monitor.ingest.conventions.roles import CALL
from monitor.ingest.conventions.table import CONVENTIONS, candidate_finder, recognized
from monitor.ingest.conventions.unread import UNREAD
from monitor.ingest.http.body import decompress
from monitor.ingest.normalize.deployments import DeploymentRules
from monitor.ingest.otlp.decode import RUN, decode
from monitor.ingest.otlp.wire import TRACES
from monitor.ingest.spans import OtlpRequest, OtlpSpan
from tests.ingest.build import NOW, alone, span
from tests.ingest.captures import CLIENTS, captures
from tests.ingest.conventions.test_hostile_dialects import VALUES
from tests.ingest.odd_values import ODD, SOUND
from tests.ingest.pipeline import normalizer

RULES = DeploymentRules(default_deployment="support")
FIELDS = [f.name for f in fields(Interaction) if f.name != "attributes"]
ODDITIES = VALUES | st.sampled_from([case.value for case in ODD]) | st.integers(-(2**70), 2**70)
# A name is responsible for every field that changes when it is missing or has a value of another type.
PROBES: tuple[Any, ...] = (
    "[",
    "[REDACTED]",
    "true",
    "7",
    7,
    -7,
    0.5,
    True,
    "",
    "stop",
    ["a"],
    {"a": 1},
    '[{"role":"user","content":"x"}]',
    '{"a":1}',
    {"system": "x"},
)


@cache
def examples() -> dict[str, list[OtlpSpan]]:
    """Return the calls of real clients by convention, and the spans with the forty odd values."""
    found: dict[str, list[OtlpSpan]] = {"otel-genai": [span(SOUND)]}
    for client in CLIENTS:
        for request in captures(client):
            if request.path.endswith("/v1/traces"):
                plain = decompress(request.body, request.content_encoding, 1 << 24)
                for one in TRACES.readers[request.content_type](plain).spans:
                    if (reads := claimed_by(one)) is not None:
                        found.setdefault(reads, []).append(one)
    return found


def claimed_by(one: OtlpSpan) -> str | None:
    found = recognized(one, candidate_finder(tuple(CONVENTIONS))(one.attributes))
    return found.by.name if found.by is not None and found.role is CALL else None


def names_of(convention: str) -> list[str]:
    """Return every optional attribute name of the convention's calls, without the names that select the convention."""
    return sorted({name for one in examples()[convention] for name in one.attributes} - {RUN})


def read(one: OtlpSpan) -> Interaction | None:
    found = decode(OtlpRequest(spans=(one,)), rules=RULES, conventions=CONVENTIONS, now=NOW)
    assert found.bad == ()
    return found.interactions[0] if found.interactions else None


def with_value(one: OtlpSpan, name: str, value: Any) -> OtlpSpan:
    return replace(one, attributes={**one.attributes, name: value})


def without(one: OtlpSpan, name: str) -> OtlpSpan:
    return replace(one, attributes={n: v for n, v in one.attributes.items() if n != name})


def touched_by(one: OtlpSpan, name: str, call: Interaction) -> set[str]:
    others = [read(without(one, name)), *(read(with_value(one, name, probe)) for probe in PROBES)]
    return {f for f in FIELDS for other in others if other is not None and getattr(other, f) != getattr(call, f)}


@pytest.mark.parametrize("convention", sorted(c.name for c in CONVENTIONS if c.name in examples()))
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_it_never_loses_or_alters_the_rest_of_the_call(convention: str, data: st.DataObject) -> None:
    one = data.draw(st.sampled_from(examples()[convention]), label="span")
    name = data.draw(st.sampled_from(names_of(convention)), label="name")
    odd = with_value(one, name, data.draw(ODDITIES, label="value"))
    assume(claimed_by(odd) == convention)
    call, found = read(one), read(odd)
    assert call is not None
    assert found is not None
    untouched = set(FIELDS) - touched_by(one, name, call)
    assert {f: getattr(found, f) for f in untouched} == {f: getattr(call, f) for f in untouched}
    assert set(found.attributes.get(UNREAD, [])) <= found.attributes.keys()
    json.dumps(dict(alone(normalizer(), found).attributes), allow_nan=False)


def test_every_captured_convention_is_a_candidate() -> None:
    assert {"langsmith"} == {c.name for c in CONVENTIONS} - examples().keys()
