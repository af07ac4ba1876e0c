import socket
import threading

import httpx
import pytest

from replay.errors import ReplayError
from replay.recorded.endpoint import RecordedEndpoint
from tests.replay.recorded.builders import question, recorded

DATA = recorded(question(1))


def test_it_answers_from_start_to_stop_and_can_start_again() -> None:
    endpoint = RecordedEndpoint(DATA)
    running = set(threading.enumerate())
    for _ in range(2):
        base_url = endpoint.start()
        assert base_url == f"{endpoint.address}/v1"
        assert httpx.get(f"{base_url}/models").status_code == 200
        endpoint.stop()
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{base_url}/models")
    assert "recorded-endpoint" not in {thread.name for thread in set(threading.enumerate()) - running}


def test_two_endpoints_run_beside_each_other() -> None:
    first, second = RecordedEndpoint(DATA), RecordedEndpoint(DATA)
    try:
        assert first.start() != second.start()
    finally:
        first.stop()
        second.stop()


def test_a_port_that_is_taken_is_one_sentence_and_leaves_nothing_behind() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        endpoint = RecordedEndpoint(DATA, port=port)
        with pytest.raises(ReplayError, match=rf"cannot listen on 127.0.0.1:{port}: .*; choose another port"):
            endpoint.start()
    assert endpoint.start() == f"http://127.0.0.1:{port}/v1"
    endpoint.stop()


def test_it_is_not_started_twice_and_has_no_address_before() -> None:
    endpoint = RecordedEndpoint(DATA)
    with pytest.raises(ReplayError, match="is not running"):
        _ = endpoint.address
    endpoint.stop()
    endpoint.start()
    with pytest.raises(ReplayError, match="is running already"):
        endpoint.start()
    endpoint.stop()


@pytest.mark.parametrize("scale", [-1.0, float("nan"), float("inf")])
def test_a_latency_scale_that_is_no_factor_is_refused(scale: float) -> None:
    with pytest.raises(ReplayError, match="latency-scale must be a number of at least 0"):
        RecordedEndpoint(DATA, latency_scale=scale)
