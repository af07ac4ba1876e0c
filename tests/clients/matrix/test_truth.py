"""When a row and a request belong together in time."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.clients.matrix.truth import same_time
from tests.clients.provider.call import Call, ModelRequest
from tests.store.build import interaction

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
REQUEST = ModelRequest(model="m", system=None, messages=())


@pytest.mark.parametrize(
    ("ahead_s", "lasted_s", "same"),
    [
        (0, 1, True),
        (9, 1, True),
        (-9, 1, True),
        (30, 31, True),  # the client was loading its modules
        (30, 19, False),  # the row ended long before the request arrived
        (-30, 60, False),  # the row began after it
        (3600, 1, False),
    ],
)
def test_a_row_matches_a_request_that_arrives_during_it(ahead_s: int, lasted_s: int, same: bool) -> None:
    row = interaction("1", started_at=NOON - timedelta(seconds=ahead_s), duration_ms=lasted_s * 1000.0)
    call = Call(api="chat", request=REQUEST, began_at=NOON, ended_at=NOON + timedelta(milliseconds=5))
    assert same_time(call, row) is same


def test_a_row_lasts_at_least_as_long_as_its_request() -> None:
    call = Call(api="chat", request=REQUEST, began_at=NOON, ended_at=NOON + timedelta(seconds=30))
    assert same_time(call, interaction("1", started_at=NOON, duration_ms=30_000.0))
    assert not same_time(call, interaction("1", started_at=NOON, duration_ms=1_000.0))
