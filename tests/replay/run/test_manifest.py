import json
from datetime import UTC, datetime
from typing import Any

import pytest

from replay.errors import ReplayError
from replay.manifest import build_manifest, from_json, to_json
from replay.run.totals import Tally
from replay.types import Manifest
from tests.replay.replays import CONDITIONS, SaysYes, answered_row, failed_row


def manifest(**changes: Any) -> Manifest:
    tally = Tally()
    tally.add(answered_row(0, model="m", input_tokens=10, output_tokens=2, cost_usd=0.5))
    tally.add(answered_row(1, text="no", input_tokens=5, output_tokens=None))
    tally.add(failed_row(2, "timeout"))
    given: dict[str, Any] = {
        "run_id": "run-1",
        "set_name": "primes",
        "set_kind": "frozen",
        "revision": "f" * 64,
        "cases": 3,
        "samples": 1,
        "target": CONDITIONS,
        "scorers": [SaysYes()],
        "tally": tally,
        "started_at": datetime(2026, 11, 21, 2, 0, 0, 5, tzinfo=UTC),
        "finished_at": datetime(2026, 11, 21, 2, 1, tzinfo=UTC),
        "concurrency": 4,
        "code_version": "0.1.0",
    }
    return build_manifest(**given | changes)


def test_the_manifest_holds_what_the_outcomes_add_up_to() -> None:
    made = manifest()
    assert (made.outcomes, made.scored, made.errors) == (3, 2, {"timeout": 1})
    assert (made.input_tokens, made.output_tokens, made.cost_usd) == (15, 2, 0.5)
    assert (made.latency_ms_p50, made.latency_ms_p95) == (12.5, 12.5)
    assert made.scorers == {"says_yes": "1"}
    assert made.reported == {"model": {"m": 1}}


def test_replies_without_a_cost_are_told() -> None:
    assert manifest(extra={"phase": "a/a"}).extra == {"replies_without_cost": 1, "phase": "a/a"}


def test_a_manifest_survives_its_way_through_json() -> None:
    assert from_json(json.loads(json.dumps(to_json(manifest())))) == manifest()


def test_a_document_that_is_no_manifest_is_named() -> None:
    document = to_json(manifest())
    del document["revision"]
    with pytest.raises(ReplayError, match="missing revision; unknown colour"):
        from_json(document | {"colour": "red"})


def test_a_manifest_of_before_prompts_had_a_source_is_still_read() -> None:
    document = to_json(manifest())
    document["target"] = {k: v for k, v in document["target"].items() if k not in {"prompt_from", "settings_hash"}}
    assert from_json(document).target.prompt_from == "config"
