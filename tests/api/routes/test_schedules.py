"""Schedules over the API: the list, the preview with its forecast, pause, resume and run."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import time
from pathlib import Path
from typing import Any

import pytest

from monitor.api.auth import Role
from monitor.domain.calendar.windows import Window
from monitor.domain.policy import Policy
from monitor.domain.run import RunState
from monitor.store.runs import runs
from tests.api.house import NOW, House, import_cases, open_house, token_of, tokens_for_roles
from tests.api.policies import policy
from tests.api.rows import add_run

PATH = "/api/v1/schedules"
PREVIEW = f"{PATH}/preview"


def known(**fields: Any) -> Policy:
    """The test application is at 02:00 UTC on Saturday 21 November 2026: 03:00 in Berlin."""
    base = policy()
    nightly = replace(base.schedules["nightly"], **fields)
    bot = replace(base.deployments["bot"], sets=("private", "corrections"))
    return replace(base, deployments={**base.deployments, "bot": bot}, schedules={"nightly": nightly})


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path, known=known()) as opened:
        yield opened


def test_the_list_has_each_schedule_with_its_next_time_in_its_zone_and_utc(house: House) -> None:
    [item] = house.get(PATH).json()["items"]
    assert (item["name"], item["cron"], item["timezone"]) == ("nightly", "0 2 * * *", "Europe/Berlin")
    assert (item["pause"], item["pauses"]) == (None, [])
    assert item["next"] == [{"deployment": "bot", "at": "2026-11-22T01:00:00Z", "local": "2026-11-22 02:00"}]


def test_a_preview_has_every_time_with_the_forecast_of_the_last_run(house: House) -> None:
    import_cases(house)
    _finish_run(house)
    preview = house.get(PREVIEW, days=2).json()
    assert [(one["local"], one["at"], one["state"]) for one in preview["occasions"]] == [
        ("2026-11-22 02:00", "2026-11-22T01:00:00Z", "planned"),
        ("2026-11-23 02:00", "2026-11-23T01:00:00Z", "planned"),
    ]
    private, corrections = preview["forecasts"]
    assert (private["set_name"], private["calls"], private["basis"]) == ("private", 4, "the last run")  # one repeat
    assert (corrections["calls"], corrections["refused"]) == (0, "the set has no cases yet")
    assert (preview["replays"], preview["calls"]) == (2, 8)
    assert (private["tokens"], private["usd"]) == (400, pytest.approx(0.04))
    assert (preview["tokens"], preview["usd"]) == (800, pytest.approx(0.08))


def _finish_run(house: House) -> None:
    """Add a complete run of three calls, 300 tokens and 0.03 USD."""
    manifest = {
        "outcomes": 3,
        "errors": {},
        "latency_ms_p50": 20.0,
        "cost_usd": 0.03,
        "input_tokens": 200,
        "output_tokens": 100,
        "extra": {"requests": 3},
    }
    run = add_run(house, "run-1")
    with house.store.write() as tx:
        runs.set_running(tx, run.id, NOW)
        runs.finish(tx, run.id, RunState.COMPLETE, "v1", NOW, manifest, None)


def test_a_preview_without_an_earlier_run_has_calls_and_no_invented_cost(house: House) -> None:
    import_cases(house)
    preview = house.get(PREVIEW, days=1).json()
    assert (preview["replays"], preview["calls"], preview["tokens"], preview["usd"]) == (1, 4, None, None)


def test_a_preview_shows_blackouts_and_costs_only_what_runs(tmp_path: Path) -> None:
    backup = Window(name="backup", timezone="UTC", days=frozenset({"sun"}), start=time(0), end=time(5))
    with open_house(tmp_path, known=known(blackouts=(backup,), postpone=False)) as closed:
        import_cases(closed)
        preview = closed.get(PREVIEW, days=2).json()
        assert [(one["state"], one["window"], one["calls"]) for one in preview["occasions"]] == [
            ("skipped", "backup", 0),
            ("planned", None, 4),
        ]
        assert preview["calls"] == 4
        [item] = closed.get(PATH).json()["items"]
        assert item["blackouts"] == [
            {"name": "backup", "timezone": "UTC", "days": ["sun"], "start": "00:00", "end": "05:00"}
        ]


def test_an_interval_is_in_the_list_and_a_postponed_time_keeps_its_nominal_one(tmp_path: Path) -> None:
    backup = Window(name="backup", timezone="UTC", start=time(5), end=time(7))
    interval = known(cron=None, every_s=43_200.0, anchor=policy().schedules["nightly"].anchor, blackouts=(backup,))
    shifted = replace(interval.schedules["nightly"], anchor=interval.schedules["nightly"].anchor.replace(hour=6))
    with open_house(tmp_path, known=replace(interval, schedules={"nightly": shifted})) as often:
        [item] = often.get(PATH).json()["items"]
        assert (item["cron"], item["every_s"], item["in_blackout"]) == (None, 43_200.0, "postpone")
        first = often.get(PREVIEW, days=1).json()["occasions"][0]
        assert (first["state"], first["nominal_at"], first["at"]) == (
            "postponed",
            "2026-11-21T06:00:00Z",
            "2026-11-21T07:00:00Z",
        )


def test_a_pause_is_stored_with_who_when_and_why_and_ends_with_a_resume(house: House) -> None:
    paused = house.post(f"{PATH}/nightly/pause", {"reason": "migration"}).json()
    expected = {
        "paused_at": "2026-11-21T02:00:00Z",
        "paused_by": "local",
        "until": None,
        "reason": "migration",
        "resumed_at": None,
        "resumed_by": None,
    }
    assert paused["pause"] == expected
    assert paused["next"][0]["at"] is None
    assert [one["state"] for one in house.get(PREVIEW, days=2).json()["occasions"]] == ["paused", "paused"]
    resumed = house.post(f"{PATH}/nightly/resume", {}).json()
    assert resumed["pause"] is None
    assert resumed["pauses"] == [expected | {"resumed_at": "2026-11-21T02:00:00Z", "resumed_by": "local"}]
    assert resumed["next"][0]["at"] == "2026-11-22T01:00:00Z"


def test_a_pause_with_an_end_names_the_first_time_after_it(house: House) -> None:
    paused = house.post(f"{PATH}/nightly/pause", {"until": "2026-11-23T12:00:00+01:00"}).json()
    assert paused["pause"]["until"] == "2026-11-23T11:00:00Z"
    assert paused["next"][0]["at"] == "2026-11-24T01:00:00Z"
    preview = house.get(PREVIEW, days=3).json()
    assert [(one["state"], one["paused_by"]) for one in preview["occasions"]] == [
        ("paused", "local"),
        ("paused", "local"),
        ("planned", None),
    ]


def test_a_second_pause_replaces_the_first_and_both_stay_in_the_history(house: House) -> None:
    house.post(f"{PATH}/nightly/pause", {"reason": "first"})
    house.post(f"{PATH}/nightly/pause", {"reason": "second"})
    [item] = house.get(PATH).json()["items"]
    assert item["pause"]["reason"] == "second"
    assert sorted((one["reason"], one["resumed_by"]) for one in item["pauses"]) == [
        ("first", "local"),
        ("second", None),
    ]


@pytest.mark.parametrize(
    ("path", "body", "status", "part"),
    [
        ("hourly/pause", {}, 404, "schedule 'hourly' is unknown; known: nightly"),
        ("nightly/pause", {"until": "2026-11-21T01:00:00Z"}, 422, "until: the end of the pause is in the past"),
        ("nightly/pause", {"until": "2026-11-22T01:00:00"}, 422, "until"),
        ("nightly/resume", {}, 409, "schedule 'nightly' is not paused"),
        (
            "nightly/run",
            {},
            409,
            "schedule 'nightly' has nothing to run: private on bot: eval set",
        ),
        ("nightly/run", {"now": True}, 422, "now"),
    ],
)
def test_an_order_that_cannot_be_carried_out_names_its_reason(
    house: House, path: str, body: dict[str, Any], status: int, part: str
) -> None:
    response = house.post(f"{PATH}/{path}", body)
    assert response.status_code == status
    assert part in response.json()["detail"]


def test_run_starts_every_set_that_can_run_and_names_the_others(house: House) -> None:
    import_cases(house)
    house.post(f"{PATH}/nightly/pause", {})  # a person may run a paused schedule
    house.wakes.clear()
    response = house.post(f"{PATH}/nightly/run", {}, key="k")
    assert response.status_code == 201
    document = response.json()
    assert [(run["deployment"], run["set_name"], run["trigger"]) for run in document["runs"]] == [
        ("bot", "private", "manual")
    ]
    assert [one["set_name"] for one in document["skipped"]] == ["corrections"]
    assert len(house.wakes) == 1
    again = house.post(f"{PATH}/nightly/run", {}, key="k")
    assert (again.json(), again.headers["idempotency-replayed"]) == (document, "true")
    busy = house.post(f"{PATH}/nightly/run", {})
    assert (busy.status_code, len(house.get("/api/v1/runs").json()["items"])) == (409, 1)
    assert "is still planned; wait for it" in busy.json()["detail"]


def test_a_repeated_pause_under_its_key_is_one_pause(house: House) -> None:
    first = house.post(f"{PATH}/nightly/pause", {}, key="k")
    again = house.post(f"{PATH}/nightly/pause", {}, key="k")
    assert (again.text, again.headers["idempotency-replayed"]) == (first.text, "true")
    assert len(house.get(PATH).json()["items"][0]["pauses"]) == 1


def test_a_preview_of_too_many_times_asks_for_fewer_days(tmp_path: Path) -> None:
    base = known(cron="*/5 * * * *")
    bots = {f"bot-{n}": replace(base.deployments["bot"], name=f"bot-{n}") for n in range(2)}
    often = replace(base.schedules["nightly"], deployments=tuple(bots))
    with open_house(tmp_path, known=replace(base, deployments=bots, schedules={"nightly": often})) as busy:
        response = busy.get(PREVIEW, days=31)
        assert response.status_code == 422
        assert "ask for fewer days or for one schedule" in response.json()["detail"]


def test_reading_needs_the_role_read_and_orders_the_role_operate(tmp_path: Path) -> None:
    with open_house(tmp_path, tokens=tokens_for_roles(), known=known()) as guarded:
        assert guarded.get(PREVIEW, token=token_of(Role.READ)).status_code == 200
        assert guarded.post(f"{PATH}/nightly/pause", {}, token=token_of(Role.READ)).status_code == 403
        paused = guarded.post(f"{PATH}/nightly/pause", {}, token=token_of(Role.OPERATE)).json()
        assert paused["pause"]["paused_by"] == "name of token-operate"
