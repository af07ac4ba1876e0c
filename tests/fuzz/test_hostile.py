"""A part of what `bench/fuzz.py` does without end, against the real servers in this process."""

import itertools
import socket
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import grpc
import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from monitor.store.traffic import interactions
from tests.app.house import House, daemon
from tests.fuzz.attacks import attacks
from tests.fuzz.mutate import mutated
from tests.fuzz.over_grpc import Calls
from tests.fuzz.requests import Request, json_span, native, natives, text_attribute, traces_json
from tests.fuzz.shoot import Shots

MUTATED = 400
QUICK: dict[str, Any] = {"ingest": {"otlp": {"port": 0}, "otlp_grpc": {"port": 0}, "commit_max_delay_ms": 1}}
NUMBER = itertools.count()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with daemon(tmp_path_factory.mktemp("hostile"), **QUICK) as opened:
        yield opened


def shots(home: House) -> Shots:
    return Shots({"api": home.app.addresses["api"], "otlp": home.app.addresses["ingest.otlp"]})


def missing(home: House, ids: list[str]) -> list[str]:
    with home.app.store.read() as tx:
        return [key for key in ids if interactions.get(tx, key) is None]


def hold(home: House, requests: list[Request]) -> Shots:
    """Send the requests, and check that none is answered with a 5xx, that acknowledged records are stored, and that the
    daemon is ready.
    """
    fired = shots(home)
    fired.fire(requests)
    assert fired.wrong == []
    assert missing(home, fired.landed) == []
    assert home.api.get("/readyz").status_code == 200
    return fired


def test_known_attacks_are_rejected_and_their_valid_record_is_stored(home: House) -> None:
    fired = hold(home, list(attacks()))
    assert len(fired.landed) > 200
    assert fired.statuses["400"] > 0


def test_mutated_requests_of_real_clients_never_break_the_daemon(home: House) -> None:
    rng = Random(11)
    fired = hold(home, [mutated(rng, number) for number in range(MUTATED)])
    assert fired.statuses["200"] > MUTATED / 10
    assert home.file.path.exists()


def test_the_same_attacks_over_grpc_are_rejected(tmp_path: Path) -> None:
    """A separate store is used, because the other one has the same records from HTTP."""
    rng = Random(12)
    with daemon(tmp_path, **QUICK) as own:
        with grpc.insecure_channel(own.app.addresses["ingest.otlp_grpc"].removeprefix("http://")) as channel:
            fired = Calls(channel)
            fired.fire([*attacks(), *(mutated(rng, number) for number in range(MUTATED))])
        assert fired.wrong == []
        assert fired.codes[grpc.StatusCode.OK] > 10
        assert len(fired.landed) > 5
        assert missing(own, fired.landed) == []
        assert own.api.get("/readyz").status_code == 200


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=-(2**130), max_value=2**130)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec=None), max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=20,
)
FIELDS = ("duration_ms", "request", "response", "usage", "prompt", "error", "attributes", "user_id", "started_at", "x")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(FIELDS), value=values)
def test_any_value_in_a_native_record_rejects_only_that_record(home: House, name: str, value: Any) -> None:
    hold(home, [natives(f"any-{next(NUMBER)}", native("other", **{name: value}))])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(key=st.sampled_from(["stringValue", "intValue", "doubleValue", "arrayValue", "kvlistValue"]), value=values)
def test_any_value_in_a_span_rejects_only_that_span(home: House, key: str, value: Any) -> None:
    spans = [json_span("any", {"key": "gen_ai.usage.input_tokens", "value": {key: value}}), json_span("b", name=value)]
    hold(home, [traces_json(f"span-{next(NUMBER)}", *spans, json_span("c", text_attribute("x", "y"), events=value))])


@pytest.mark.parametrize("told", [0, 10, 10**9, 10**30])
def test_a_body_with_a_wrong_length_leaves_the_daemon_ready(home: House, told: int) -> None:
    for site, path in (("ingest.otlp", "/v1/traces"), ("api", "/api/v1/interactions")):
        url = httpx.URL(home.app.addresses[site])
        with socket.create_connection((url.host, url.port), timeout=10) as wire:
            head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            wire.sendall(f"{head}Content-Length: {told}\r\n\r\n".encode() + b'[{"id": "half')
            wire.shutdown(socket.SHUT_WR)
            answered = wire.recv(4096)
        assert b" 5" not in answered[:13], answered
    assert home.api.get("/readyz").status_code == 200


@pytest.mark.parametrize("chunks", [b"zz\r\nabc", b"5\r\nab", b"ffffffffffffffffff\r\n", b"-1\r\nx\r\n", b"0\r\n\r\n"])
def test_broken_chunks_leave_the_daemon_ready(home: House, chunks: bytes) -> None:
    url = httpx.URL(home.app.addresses["ingest.otlp"])
    with socket.create_connection((url.host, url.port), timeout=10) as wire:
        head = b"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        wire.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks)
        wire.shutdown(socket.SHUT_WR)
        answered = wire.recv(4096)
    assert b" 5" not in answered[:13], answered
    assert home.api.get("/readyz").status_code == 200


def test_a_hostile_record_is_a_dead_letter_with_its_reason(home: House) -> None:
    before = home.api.get("/api/v1/status").json()["dead_letters"]
    hold(home, [natives("beside", {"unknown": "field of this test"}, {"usage": 5, "of": "this test"})])
    assert home.api.get("/api/v1/status").json()["dead_letters"] == before + 2
