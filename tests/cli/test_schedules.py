"""`driftd schedule` against prepared answers. `test_schedules_in_process.py` has the real API."""

from datetime import UTC, datetime
from typing import Any

import pytest

from monitor.api.schema import (
    ListPage,
    NextRunItem,
    OccasionItem,
    PauseItem,
    PreviewItem,
    ScheduleItem,
    ScheduleRunsItem,
    SetForecastItem,
    SkippedRunItem,
)
from tests.cli.conftest import Run
from tests.cli.daemon import Daemon
from tests.cli.items import AT, run_item

NIGHT = datetime(2026, 11, 22, 1, tzinfo=UTC)
PAUSE = PauseItem(paused_at=AT, paused_by="anna", until=None, reason="migration", resumed_at=None, resumed_by=None)


def schedule(**fields: Any) -> ScheduleItem:
    return ScheduleItem(
        **{
            "name": "nightly",
            "timezone": "Europe/Berlin",
            "cron": "0 2 * * *",
            "every_s": None,
            "anchor": None,
            "jitter_s": 0.0,
            "blackouts": [],
            "in_blackout": "postpone",
            "catch_up_s": 86_400.0,
            "deployments": ["support"],
            "pause": None,
            "pauses": [],
            "next": [NextRunItem(deployment="support", at=NIGHT, local="2026-11-22 02:00")],
            **fields,
        }
    )


def occasion(**fields: Any) -> OccasionItem:
    return OccasionItem(
        **{
            "schedule": "nightly",
            "deployment": "support",
            "timezone": "Europe/Berlin",
            "nominal_at": NIGHT,
            "at": NIGHT,
            "local": "2026-11-22 02:00",
            "state": "planned",
            "window": None,
            "paused_by": None,
            "calls": 40,
            "tokens": 5200,
            "usd": 0.0123,
            **fields,
        }
    )


def preview(*occasions: OccasionItem, **fields: Any) -> PreviewItem:
    refused = SetForecastItem(
        deployment="support", set_name="corrections", calls=0, tokens=0, usd=0.0, basis="no replay", refused="no cases"
    )
    totals = {"replays": 1, "calls": 40, "tokens": 5200, "usd": 0.0123}
    return PreviewItem(
        **{"since": AT, "until": NIGHT, "occasions": list(occasions), "forecasts": [refused], **totals, **fields}
    )


def test_the_list_has_the_next_time_in_both_zones_and_the_pause(daemon: Daemon, run: Run) -> None:
    items = [schedule(), schedule(name="often", cron=None, every_s=21_600.0, jitter_s=60.0, pause=PAUSE)]
    daemon.respond("GET /api/v1/schedules", ListPage(items=items, next_cursor=None))
    result = run("schedule", "list", "--url", daemon.url)
    nightly, often = result.out.splitlines()[1:]
    assert nightly.split()[:6] == ["nightly", "cron", "0", "2", "*", "*"]
    assert "2026-11-22 02:00  2026-11-22 01:00:00Z" in nightly
    assert "every 6h, jitter 60 s" in often
    assert "paused by anna: migration" in often
    assert run("schedule", "list", "--url", daemon.url, "--json").document["items"][0]["name"] == "nightly"


def test_the_preview_has_every_time_with_its_state_and_the_totals(daemon: Daemon, run: Run) -> None:
    nothing = {"calls": 0, "tokens": 0, "usd": 0.0}
    daemon.respond(
        "GET /api/v1/schedules/preview",
        preview(
            occasion(),
            occasion(state="postponed", window="backup"),
            occasion(state="skipped", window="backup", **nothing),
            occasion(state="paused", paused_by="anna", **nothing),
        ),
    )
    result = run("schedule", "preview", "nightly", "--days", "3", "--url", daemon.url)
    assert (result.code, daemon.asked[-1].query) == (0, {"days": "3", "schedule": "nightly"})
    for part in (
        "2026-11-22 02:00  Europe/Berlin  2026-11-22 01:00  planned",
        "5200    0.0123 USD",
        "postponed from 01:00 UTC by blackout backup",
        "skipped by blackout backup",
        "paused by anna",
        "1 replays in 3 days: 40 calls, 5,200 tokens, cost 0.0123 USD",
    ):
        assert part in result.out, part
    assert "corrections on support does not run: no cases" in result.err


def test_an_unknown_cost_is_named_and_is_not_zero(daemon: Daemon, run: Run) -> None:
    daemon.respond("GET /api/v1/schedules/preview", preview(occasion(tokens=None, usd=None), tokens=None, usd=None))
    out = run("schedule", "preview", "--url", daemon.url).out
    assert "40 calls, unknown tokens, cost unknown" in out
    assert run("schedule", "preview", "--url", daemon.url, "--json").document["usd"] is None


def test_a_pause_has_an_end_and_a_reason(daemon: Daemon, run: Run) -> None:
    daemon.respond("POST /api/v1/schedules/nightly/pause", schedule(pause=PAUSE, next=[]))
    arguments = ("schedule", "pause", "nightly", "--until", "2026-11-24T08:00+01:00", "--reason", "migration")
    result = run(*arguments, "--url", daemon.url)
    assert result.out == "schedule nightly is paused by anna: migration; it has no next time\n"
    assert daemon.writes[0].body == {"until": "2026-11-24T07:00:00Z", "reason": "migration"}
    run("schedule", "pause", "nightly", "--for", "12h", "--url", daemon.url)
    assert daemon.writes[1].body["until"] is not None


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (("--for", "12h", "--until", "2026-11-24T08:00Z"), "give --until or --for, not both"),
        (("--for", "soon"), "--for: the interval 'soon' cannot be read"),
    ],
)
def test_a_pause_whose_end_cannot_be_read_is_refused(
    daemon: Daemon, run: Run, options: tuple[str, ...], part: str
) -> None:
    result = run("schedule", "pause", "nightly", *options, "--url", daemon.url)
    assert (result.code, daemon.writes) == (2, [])
    assert part in result.err


def test_a_schedule_is_resumed(daemon: Daemon, run: Run) -> None:
    daemon.respond("POST /api/v1/schedules/nightly/resume", schedule())
    out = run("schedule", "resume", "nightly", "--url", daemon.url).out
    assert out == ("schedule nightly is active; next at 2026-11-22 02:00 Europe/Berlin (2026-11-22 01:00:00Z)\n")


def test_run_prints_the_runs_and_the_sets_that_cannot_run(daemon: Daemon, run: Run) -> None:
    skipped = SkippedRunItem(deployment="support", set_name="corrections", reason="it has no cases")
    started = ScheduleRunsItem(schedule="nightly", runs=[run_item(state="planned", verdict=None)], skipped=[skipped])
    daemon.respond("POST /api/v1/schedules/nightly/run", started, status=201)
    result = run("schedule", "run", "nightly", "--url", daemon.url)
    assert result.code == 0
    assert "run-1  support     primes  planned  -" in result.out
    assert "corrections on support does not run: it has no cases" in result.err


def test_run_waits_on_request_and_a_failed_run_leaves_with_one(daemon: Daemon, run: Run) -> None:
    started = ScheduleRunsItem(schedule="nightly", runs=[run_item(state="running")], skipped=[])
    daemon.respond("POST /api/v1/schedules/nightly/run", started, status=201)
    daemon.respond("GET /api/v1/runs/run-1", run_item(state="failed", error="no route"))
    result = run("schedule", "run", "nightly", "--wait", "--url", daemon.url, "--json")
    assert (result.code, result.document["runs"][0]["state"]) == (1, "failed")
