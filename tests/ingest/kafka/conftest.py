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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # kafka-python leaves the sockets of failed attempts open
        gc.collect()
