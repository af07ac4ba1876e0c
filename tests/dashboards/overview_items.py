"""Rows of GET /api/v1/overview for the fake daemon."""

from datetime import datetime, timedelta
from typing import Any

from dashboards.intervals import rate_interval
from monitor.api.schema.overview import (
    AreaHealthItem,
    NightItem,
    OverviewAlertsItem,
    OverviewChangeItem,
    OverviewItem,
    OverviewNextItem,
    OverviewReplayItem,
    OverviewSetItem,
    OverviewTrafficItem,
)

NOW = datetime.fromisoformat("2026-03-07T09:30:00+00:00")
OLD, NEW = "gpt-4-0314 · prompt 3f2a9c", "gpt-4-0613 · prompt 3f2a9c"
LAST_NIGHT = NOW - timedelta(hours=7)
UNKNOWN = AreaHealthItem(state="unknown", reason="nothing measured it yet")
FINE = AreaHealthItem(state="ok", reason="no problem found by TrafficStopped")
STATES = ("regression", "pending", "failed", "attention", "stale", "insufficient", "no_data", "improvement", "ok")


def night(place: int, passed: int, scored: int = 400, label: str = OLD) -> NightItem:
    found = rate_interval(passed, scored)
    return NightItem(
        run_id=f"run-{place}",
        at=LAST_NIGHT - timedelta(days=30 - place),
        version_label=label,
        passed=passed,
        scored=scored,
        rate=passed / scored if scored else None,
        low=found.low if found else None,
        high=found.high if found else None,
    )


def nights(fall: bool = False, count: int = 30) -> list[NightItem]:
    """Nights around 84 %; with `fall`, the last three are under a new version, at about 50 %."""
    found = [night(place, 336 + (place * 7) % 9 - 4) for place in range(count)]
    if fall:
        found[-3:] = [night(place, 200 + place % 5, label=NEW) for place in range(count - 3, count)]
    return found


def overview_set(name: str = "primes", **fields: Any) -> OverviewSetItem:
    return OverviewSetItem(
        **{
            "set_name": name,
            "kind": "frozen" if name == "primes" else "dynamic",
            "cases": 800,
            "imported": False,
            "verdict": "ok",
            "verdict_at": LAST_NIGHT,
            "measured_at": LAST_NIGHT,
            "reason": "nothing moved",
            "finding_id": "finding-1",
            "run_id": "run-29",
            "channel": "overall",
            "effect": 0.004,
            "effect_low": -0.031,
            "effect_high": 0.039,
            "held_back": None,
            "acceptance": None,
            "stale_at": NOW + timedelta(days=1),
            "alert_id": None,
            "nights": nights(),
            **fields,
        }
    )


def no_verdict(name: str = "corrections", **fields: Any) -> OverviewSetItem:
    names = (
        "verdict",
        "verdict_at",
        "measured_at",
        "reason",
        "finding_id",
        "run_id",
        "channel",
        "effect",
        "effect_low",
    )
    empty = dict.fromkeys((*names, "effect_high", "stale_at"))
    return overview_set(name, **{**empty, "cases": 0, "nights": [], **fields})


def overview_item(name: str = "support-bot", state: str = "ok", **fields: Any) -> OverviewItem:
    return OverviewItem(
        **{
            "deployment": name,
            "state": state,
            "reason": "no regression found in primes and corrections",
            "since": None,
            "alert_id": None,
            "version_label": OLD,
            "change": None,
            "sets": [overview_set(), overview_set("corrections", cases=120)],
            "alerts": OverviewAlertsItem(
                critical=0, warning=0, info=0, acknowledged=0, lead_id=None, lead_summary=None
            ),
            "traffic": OverviewTrafficItem(
                calls=12_400, calls_today=101, corrections=124, corrections_today=3, last_call_at=NOW
            ),
            "candidates_proposed": 0,
            "candidates_ready": 0,
            "replay": None,
            "next_replay": OverviewNextItem(schedule="nightly", at=NOW + timedelta(hours=16), paused=[]),
            "judges": UNKNOWN,
            "set_health": FINE,
            "ingest": FINE,
            **fields,
        }
    )


def regressed(name: str = "support-bot") -> OverviewItem:
    reason = "pass rate moved from 83.7 % to 50.2 % on 800 paired cases; 381 cases flipped to fail, 113 to pass"
    fell: dict[str, Any] = {"verdict": "regression", "effect": -0.335, "effect_low": -0.383, "effect_high": -0.287}
    return overview_item(
        name,
        "regression",
        reason=reason,
        since=LAST_NIGHT,
        alert_id="alert-primes",
        version_label=NEW,
        change=OverviewChangeItem(
            id="change-1",
            at=LAST_NIGHT - timedelta(hours=2),
            kind="model",
            how="observed",
            from_label=OLD,
            to_label=NEW,
        ),
        sets=[overview_set(**fell, nights=nights(fall=True), alert_id="alert-primes"), no_verdict()],
        alerts=OverviewAlertsItem(
            critical=1, warning=1, info=0, acknowledged=0, lead_id="alert-primes", lead_summary=reason
        ),
        candidates_proposed=12,
    )


def replaying(name: str) -> OverviewItem:
    replay = OverviewReplayItem(
        run_id="run-30", set_name="primes", state="running", started_at=NOW - timedelta(minutes=4), done=320, total=880
    )
    return overview_item(name, replay=replay)


def hundred() -> list[OverviewItem]:
    """A hundred deployments in every state, the worst first."""
    reasons = {"stale": "primes has had no verdict since 2026-03-04 02:00 UTC", "failed": "the target did not answer"}
    bots = [
        overview_item(
            f"bot-{number:03d}",
            STATES[number % 9] if number % 4 == 0 else "ok",
            reason=reasons.get(STATES[number % 9], "no regression found in primes")
            if number % 4 == 0
            else "no regression",
            since=LAST_NIGHT if number % 4 == 0 else None,
        )
        for number in range(97)
    ]
    items = [regressed("shop-search"), replaying("shop-chat"), overview_item("empty-bot", "no_data", sets=[]), *bots]
    return sorted(items, key=lambda item: (STATES.index(item.state), item.deployment))
