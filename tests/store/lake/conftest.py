"""The tests of a running lake need PostgreSQL and DuckDB's extensions: `make test-lake`."""

import os
from collections.abc import Iterator

import pytest

from tests.ingest.kafka.broker import Broker, running_broker, why_not, without_broker
from tests.store.conftest import ON_LAKE

collect_ignore_glob = [] if ON_LAKE else ["test_lake_[!s]*.py", "test_lake_slices.py", "test_lake_split.py"]


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    if reason := why_not(os.environ):
        without_broker(os.environ, reason)
    with running_broker(tmp_path_factory.mktemp("kafka")) as found:
        yield found
