import gc
import os
import warnings
from collections.abc import Iterator

import pytest

from tests.ingest.kafka.broker import Broker, running_broker, why_not, without_broker


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    if reason := why_not(os.environ):
        without_broker(os.environ, reason)
    with running_broker(tmp_path_factory.mktemp("kafka")) as found:
        yield found


@pytest.fixture(autouse=True)
def _sockets_of_failed_attempts() -> Iterator[None]:
    """Close the sockets that kafka-python leaves to the garbage collector, which would report them in a later test."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
