"""What a token that is limited to deployments may send and change."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from tests.api.house import House, import_cases
from tests.api.policies import policy
from tests.api.records import interaction
from tests.api.test_deployment_limits import MINE, ROOT, THEIRS, opened, separate

SILENCE = {"comment": "move", "ends_at": "2026-11-21T09:00:00Z"}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with ExitStack() as stack:
        yield opened(stack, tmp_path, separate())


@pytest.fixture
def sharing(tmp_path: Path) -> Iterator[House]:
    """Two deployments with the same sets and one schedule."""
    known = policy()
    nightly = replace(known.schedules["nightly"], deployments=("bot", "other-bot"))
    with ExitStack() as stack:
        yield opened(stack, tmp_path, replace(known, schedules={"nightly": nightly}))


def test_a_batch_with_one_record_of_another_deployment_is_refused_whole(house: House) -> None:
    batch = [interaction(deployment="bot"), interaction(deployment="other-bot", id="i-2")]
    refused = house.post("/api/v1/interactions", batch, token=MINE)
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert "'other-bot' is outside the limit of this token (bot)" in refused.json()["detail"]
    assert house.get("/api/v1/interactions", token=ROOT).json()["items"] == []
    assert house.post("/api/v1/interactions", batch[:1], token=MINE).json()["accepted"] == 1


def test_a_list_and_its_cursor_have_only_the_allowed_deployments(house: House) -> None:
    batch = [interaction(deployment=name, id=f"{name}-{n}") for n in range(3) for name in ("bot", "other-bot")]
    assert house.post("/api/v1/interactions", batch, token=ROOT).json()["accepted"] == 6
    first = house.get("/api/v1/interactions", token=MINE, limit=2).json()
    second = house.get("/api/v1/interactions", token=MINE, limit=2, cursor=first["next_cursor"]).json()
    assert [item["deployment"] for item in first["items"] + second["items"]] == ["bot"] * 3
    assert second["next_cursor"] is None


def test_a_stored_answer_is_only_for_senders_with_the_same_limit(house: House) -> None:
    import_cases(house, token=ROOT)
    order = {"deployment": "bot", "set_name": "private"}
    assert house.post("/api/v1/runs", order, token=MINE, key="nightly").status_code == 201
    assert house.post("/api/v1/runs", order, token=THEIRS, key="nightly").status_code == 404


@pytest.mark.parametrize(
    ("matchers", "status"),
    [
        (["deployment=bot"], 201),
        (["deployment=other-bot"], 403),
        (["severity=critical"], 403),
        (['deployment=~".*"'], 403),
        (['deployment!="other-bot"'], 403),
    ],
)
def test_a_silence_needs_an_allowed_deployment(house: House, matchers: list[str], status: int) -> None:
    answer = house.post("/api/v1/silences", SILENCE | {"matchers": matchers}, token=MINE)
    assert answer.status_code == status
    assert len(house.get("/api/v1/silences", token=THEIRS).json()["items"]) == 0
    assert len(house.get("/api/v1/silences", token=MINE).json()["items"]) == (status == 201)


def test_a_shared_set_is_read_and_not_changed(sharing: House) -> None:
    import_cases(sharing, token=ROOT)
    assert len(sharing.get("/api/v1/cases", token=MINE, set_name="private").json()["items"]) == 3
    changed = {"name": "private", "cases": [{"id": "a", "input": "Is 4 a prime?"}]}
    refused = sharing.post("/api/v1/sets", changed, token=MINE)
    assert (refused.status_code, "other" in refused.json()["detail"]) == (403, False)


def test_an_own_set_is_changed_and_an_unknown_one_is_not_created(house: House) -> None:
    import_cases(house, token=MINE)
    assert house.get("/api/v1/sets", token=THEIRS).json()["items"] == []
    assert house.post("/api/v1/sets", {"name": "new", "cases": []}, token=MINE).status_code in {403, 404, 422}


def test_a_shared_schedule_is_listed_for_the_own_deployment_and_not_paused(sharing: House) -> None:
    assert sharing.get("/api/v1/schedules", token=MINE).json()["items"][0]["deployments"] == ["bot"]
    paused = sharing.post("/api/v1/schedules/nightly/pause", {"reason": "migration"}, token=MINE)
    assert paused.status_code == 403
    assert sharing.post("/api/v1/schedules/nightly/pause", {"reason": "migration"}, token=ROOT).status_code == 200
    assert sharing.post("/api/v1/schedules/nightly/resume", {}, token=MINE).status_code == 409
    assert sharing.get("/api/v1/schedules", token=ROOT).json()["items"][0]["pauses"] != []


def test_the_sender_sees_its_own_limit(house: House) -> None:
    assert house.get("/api/v1/whoami", token=MINE).json()["deployments"] == ["bot"]
    assert house.get("/api/v1/whoami", token=ROOT).json()["deployments"] is None
