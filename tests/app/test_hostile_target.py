"""A target with invalid answers costs outcomes; the daemon, its ingest and its other runs continue."""

import json
from pathlib import Path

import pytest
from aiohttp import web

from tests.app.house import House, daemon
from tests.app.test_private_stays_private import log_call
from tests.app.test_secrets_of_targets import asking, served

SETTLE_S = 60.0
HALF_AN_EMOJI = "\ud83d"


def reply(**changes: object) -> web.Response:
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": f"[Yes] {HALF_AN_EMOJI}"},
        "finish_reason": "stop",
    }
    document = {
        "id": HALF_AN_EMOJI,
        "model": "gpt-4-0314",
        "system_fingerprint": HALF_AN_EMOJI,
        "choices": [choice],
        "usage": {"prompt_tokens": 10**30, "completion_tokens": -(10**30)},
    } | changes
    return web.Response(text=json.dumps(document), content_type="application/json")


def well(house: House) -> None:
    """Return whether every loop works or waits, and ingest accepts a call."""
    states = house.api.get("/api/v1/status").json()
    assert "crashed" not in json.dumps(states)
    log_call(house, "What are the opening hours?")
    house.app.settle(SETTLE_S)
    assert [item["input_text"] for item in house.listed("interactions")] == ["What are the opening hours?"]


def test_numbers_and_texts_that_no_column_holds_are_stored_as_unknown(tmp_path: Path) -> None:
    async def nonsense(_request: web.Request) -> web.StreamResponse:
        return reply()

    with served(nonsense) as address, daemon(tmp_path, targets=asking(address)) as house:
        house.import_primes(20)
        run = house.replay()
        outcomes = house.listed("outcomes", run_id=run["id"])
        well(house)
    assert (run["state"], run["scored"]) == ("complete", 20)
    assert {(item["input_tokens"], item["output_tokens"], item["error_class"]) for item in outcomes} == {
        (None, None, None)
    }


@pytest.mark.parametrize("created", [10**400, "9999-12-31T23:59:59-14:00", [[]], 1e308])
def test_dates_that_no_calendar_has_are_stored_as_unknown(tmp_path: Path, created: object) -> None:
    async def nonsense(_request: web.Request) -> web.StreamResponse:
        return reply(created=created, usage=created)

    with served(nonsense) as address, daemon(tmp_path, targets=asking(address)) as house:
        house.import_primes(20)
        assert house.replay()["state"] == "complete"
        well(house)
