"""Encodes the deciding test and the acceptance of a finding as JSON text and decodes them."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from monitor.domain.baseline import Acceptance
from monitor.domain.deciding_test import DecidingTest, MovedChannel
from monitor.domain.detectable import Scenario
from monitor.domain.renamed_keys import with_current_keys
from monitor.store.engine.json_columns import from_json, to_json
from monitor.store.findings.detectable_json import detectable_from

_SCENARIO: dict[str, Scenario] = {
    "two_runs": "two_runs",
    "known_change": "announced",
    "silent_drift": "silent",
    "open_alert": "silent",
    "pinned_run": "pinned_run",
}


def decided_to_json(decided: DecidingTest) -> str:
    return to_json(asdict(decided))


def decided_from_json(text: str) -> DecidingTest:
    plain: dict[str, Any] = with_current_keys(from_json(text), "decided")
    moved = tuple(MovedChannel(**_with_range(item)) for item in plain["moved"])
    overall = None if plain["overall"] is None else MovedChannel(**_with_range(plain["overall"]))
    detectable = detectable_from(plain, _SCENARIO[plain["test"]])
    return DecidingTest(**_with_range(plain) | {"moved": moved, "overall": overall, "detectable": detectable})


def acceptance_to_json(acceptance: Acceptance) -> str:
    return to_json(asdict(acceptance) | {"at": acceptance.at.isoformat()})


def acceptance_from_json(text: str) -> Acceptance:
    plain: dict[str, Any] = from_json(text)
    return Acceptance(**plain | {"at": datetime.fromisoformat(plain["at"])})


def _with_range(item: dict[str, Any]) -> dict[str, Any]:
    ends = item["interval"]
    return item | {"interval": None if ends is None else (ends[0], ends[1])}
