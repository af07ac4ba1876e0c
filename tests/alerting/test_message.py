import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from monitor.alerting.message import RecentRun
from monitor.alerting.render import text
from monitor.domain.alert import AlertState, NotifyReason
from monitor.domain.finding import Verdict
from tests.alerting.build import COMPARISON, DECIDED, POLICY, T0, a_change, a_finding, a_payload, an_alert, at
from tests.alerting.test_text import NIGHTS

SENTENCE = "The answer to the sealed question is forty-two."


def test_the_payload_carries_everything_the_person_on_call_needs() -> None:
    body = a_payload(recent=[RecentRun(run_id="run-0", finished_at=at(-86_400), pass_rate=0.84)])
    assert body["schema"] == 2
    assert body["reason"] == "first"
    assert body["alert"] == {
        "id": "a1",
        "rule": "QualityRegression",
        "state": "firing",
        "severity": "critical",
        "summary": "regression says f1",
        "pending_since": "2026-11-21T02:00:00+00:00",
        "fired_at": "2026-11-21T02:00:00+00:00",
        "resolved_at": None,
        "acknowledged_by": None,
        "acknowledged_at": None,
        "acceptance": None,
    }
    assert (body["deployment"], body["set"]) == ("support", {"name": "primes", "kind": "frozen", "measures": None})
    assert body["from_version"] == {"id": "aaa", "label": "gpt-4-0314 · prompt 3f2a9c"}
    assert body["to_version"] == {"id": "bbb", "label": "gpt-4-0613 · prompt 3f2a9c"}
    assert body["change"] == {
        "id": "change-1",
        "kind": "model",
        "how": "observed",
        "at": "2026-11-21T01:40:00+00:00",
        "noted_at": "2026-11-21T01:41:00+00:00",
        "from_version": "aaa",
        "to_version": "bbb",
    }
    assert body["finding"] == {
        "id": "f1",
        "at": "2026-11-21T02:00:00+00:00",
        "verdict": "regression",
        "reason": "regression says f1",
        "signal": "score",
        "segment": "overall",
        "baseline_run": "run-1",
        "candidate_run": "run-2",
    }
    assert body["recent"] == [{"run_id": "run-0", "finished_at": "2026-11-20T02:00:00+00:00", "pass_rate": 0.84}]
    assert body["dashboard_url"] == "http://127.0.0.1:8501/?alert=a1"


def test_the_message_says_what_the_set_measures() -> None:
    body = a_payload(measures="Whether the bot knows small primes.")
    assert body["set"]["measures"] == "Whether the bot knows small primes."
    assert "  measures  Whether the bot knows small primes." in text(body)
    assert "measures" not in text(a_payload())


def test_the_numbers_of_the_decision_are_in_one_place() -> None:
    body = a_payload()
    decided = {key: value for key, value in body["decided"].items() if not isinstance(value, list)}
    assert decided == {
        "test": "two_runs",
        "channel": "overall",
        "kind": "score",
        "cases": 800,
        "before": 0.84,
        "after": 0.5025,
        "effect": -0.3375,
        "p": DECIDED.p,
        "p_needed": 0.05,
        "e": None,
        "e_needed": None,
        "overall": None,
    }
    assert body["decided"]["interval"] == [-0.385, -0.29]
    assert body["comparison"].keys() == {"flipped_to_fail", "flipped_to_pass", "failure_shifts", "worst_cases"}
    assert (body["comparison"]["flipped_to_fail"], body["comparison"]["flipped_to_pass"]) == (382, 112)
    assert body["comparison"]["failure_shifts"] == [
        {"failure_category": "wrong_answer", "baseline": 128, "candidate": 398}
    ]


def keys_of(value: Any) -> Iterator[str]:
    """Every key at every depth, as often as it is there."""
    if isinstance(value, dict):
        yield from value
        for item in value.values():
            yield from keys_of(item)
    for item in value if isinstance(value, list) else ():
        yield from keys_of(item)


def test_the_payload_has_one_p_value_and_one_threshold() -> None:
    found = list(keys_of(a_payload(finding=a_finding(evidence=NIGHTS))))
    for name in ("p", "p_needed", "e", "e_needed", "detectable"):
        assert found.count(name) == 1, name
    assert not {"p_value", "p_value_adjusted", "mde", "alpha"} & set(found)


def test_only_categories_that_moved_are_told_the_worst_fall_first() -> None:
    moved = a_payload()["decided"]["moved"]
    assert [row["channel"] for row in moved] == ["prime", "composite"]
    assert moved[0]["cases"] == 460
    assert moved[0]["interval"][0] < moved[0]["effect"] < moved[0]["interval"][1]


def test_without_a_test_the_numbers_are_those_of_the_two_runs() -> None:
    body = a_payload(finding=a_finding(decided=None))
    assert (body["decided"]["test"], body["decided"]["p"], body["decided"]["effect"]) == ("none", None, -0.3375)
    assert "two runs compared without a test" in text(body)


def test_a_test_without_an_effect_shows_the_change_of_all_cases() -> None:
    bare = replace(DECIDED, kind="behaviour", before=None, after=None, effect=None, interval=None, moved=())
    body = a_payload(finding=a_finding(decided=bare, verdict=Verdict.OK))
    assert body["decided"]["overall"]["effect"] == -0.3375
    assert "Pass rate 84.0 % → 50.2 %: −33.8 points" in text(body)


def test_five_worst_cases_are_told_by_id_in_the_findings_order() -> None:
    worst = a_payload()["comparison"]["worst_cases"]
    assert [case["case_id"] for case in worst] == [f"prime-{n:04}" for n in range(5)]
    assert worst[0] == {
        "case_id": "prime-0000",
        "category": "prime",
        "severity": "medium",
        "passing_nights": 5,
        "failure_category": "wrong_answer",
    }


def test_the_payload_is_json_and_survives_it() -> None:
    body = a_payload()
    assert json.loads(json.dumps(body, allow_nan=False)) == body


def test_the_evidence_and_notes_of_a_change_stay_at_home() -> None:
    change = replace(a_change(), evidence={"note": SENTENCE})
    assert SENTENCE not in json.dumps(a_payload(change=change))


def test_what_is_not_known_is_null() -> None:
    alert = an_alert(from_version=None, to_version="bbb")
    body = a_payload(
        alert,
        finding=a_finding(comparison=None),
        change=None,
        to_label=None,
        policy=replace(POLICY, dashboard_url=None),
    )
    assert body["from_version"] is None
    assert body["to_version"] == {"id": "bbb", "label": "bbb"}
    assert (body["change"], body["comparison"], body["dashboard_url"]) == (None, None, None)
    assert body["recent"] == []


def test_the_end_is_told_with_the_finding_that_ended_it() -> None:
    alert = an_alert(AlertState.RESOLVED, resolved_at=at(60))
    good = a_finding("f2", Verdict.OK, comparison=replace(COMPARISON, effect=0.0))
    body = a_payload(alert, finding=good, reason=NotifyReason.RESOLVED)
    assert (body["reason"], body["alert"]["state"], body["finding"]["verdict"]) == ("resolved", "resolved", "ok")
    assert body["alert"]["resolved_at"] == at(60).isoformat()
    assert body["alert"]["fired_at"] == T0.isoformat()
