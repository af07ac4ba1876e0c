from collections.abc import Callable, Iterator

import httpx
import pytest

from replay.recorded.data import RecordedData
from replay.recorded.endpoint import RecordedEndpoint

Open = Callable[..., httpx.Client]


@pytest.fixture
def serve() -> Iterator[Open]:
    """Start an endpoint over some data and give a client at its address; all end with the test."""
    running: list[tuple[RecordedEndpoint, httpx.Client]] = []

    def start(data: RecordedData, **settings: object) -> httpx.Client:
        endpoint = RecordedEndpoint(data, **settings)  # type: ignore[arg-type]
        endpoint.start()
        client = httpx.Client(base_url=endpoint.address, timeout=30)
        running.append((endpoint, client))
        return client

    yield start
    for endpoint, client in running:
        client.close()
        endpoint.stop()
