"""Acceptance of findings, and the noise for plans."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from monitor.alerting.advance import dedup_key
from monitor.domain.alert import AlertState
from monitor.domain.finding import Finding, GateCase, GateEvidence, GateState, Verdict
from monitor.store.findings import alerts, findings
from tests.api.house import NOW, House, import_cases, open_house
from tests.api.records import CASES
from tests.api.rows import add_alert, add_complete_run, add_finding

PASSES = {str(case["id"]): True for case in CASES}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as one:
        import_cases(one)
        for number in range(1, 5):
            add_complete_run(one, f"run-{number}", PASSES | {"p-7": number % 2 == 0}, night=number)
        yield one


def tell(house: House, finding_id: str, verdict: Verdict = Verdict.REGRESSION) -> Finding:
    """A finding about the third run."""
    add_finding(house, f"{finding_id}-kept", at=NOW)
    with house.store.write() as tx:
        known = findings.get(tx, f"{finding_id}-kept")
        assert known is not None
        told = replace(
            known,
            id=finding_id,
            verdict=verdict,
            subject=replace(known.replay, candidate_run="run-3"),
            evidence=None,
        )
        findings.insert(tx, told)
    return told


def accept(house: House, finding_id: str) -> tuple[int, dict[str, object]]:
    answer = house.post("/api/v1/baselines", {"finding_id": finding_id, "reason": "good enough"})
    return answer.status_code, answer.json()


def test_an_accepted_finding_starts_the_baseline_at_its_run_and_ends_the_open_alert(house: House) -> None:
    told = tell(house, "f")
    add_alert(house, "alert-1", at=NOW + timedelta(minutes=1))
    with house.store.write() as tx:
        known = alerts.get(tx, "alert-1")
        assert known is not None
        alerts.upsert(tx, replace(known, state=AlertState.FIRING, set_name=told.replay.set_name, finding_id="f"))
    status, baseline = accept(house, "f")
    assert (status, baseline["run_id"], baseline["finding_id"]) == (201, "run-3", "f")
    assert accept(house, "f") == (200, baseline)
    end = next(row for row in house.get("/api/v1/findings").json()["items"] if row["verdict"] == "ok")
    assert end["acceptance"] == {"by": baseline["who"], "reason": "good enough", "at": baseline["at"]}
    assert [item["id"] for item in house.get("/api/v1/baselines").json()["items"]] == [baseline["id"]]
    with house.store.read() as tx:
        (ending,) = [f for f in findings.unalerted(tx) if "accepted as the new baseline" in f.reason]
    assert ending.verdict == "ok"
    assert ending.reason.endswith(": good enough")


@pytest.mark.parametrize("verdict", [Verdict.OK, Verdict.INSUFFICIENT, Verdict.FAILED])
def test_what_reported_of_no_change_is_not_accepted(house: House, verdict: Verdict) -> None:
    tell(house, "f", verdict)
    status, problem = accept(house, "f")
    assert status == 422
    assert problem["detail"] == f"finding 'f' has the verdict {verdict.value}: there is nothing to accept"


def test_a_finding_no_one_made_is_not_found(house: House) -> None:
    assert accept(house, "nothing")[0] == 404


def test_noise_is_measured_on_the_nights_of_the_newest_version(house: House) -> None:
    found = house.get("/api/v1/noise", deployment="bot", set_name="private").json()
    assert (found["nights"], found["cases"], found["samples"]) == (4, len(CASES), 1.0)
    assert found["within_variance"] > 0.0


@pytest.mark.parametrize("accepted", ["f", "g"])
def test_accepting_one_finding_of_a_set_ends_the_alert_of_its_severity_gate_too(house: House, accepted: str) -> None:
    score = tell(house, "f")
    case = GateCase(case_id="p-7", category="primes", samples=2, violations=2, state=GateState.FAILING)
    gate = replace(
        score,
        id="g",
        signal="severity_gate",
        rule="SeverityGate",
        severity_gate=GateEvidence(failures_needed=2, cases=(case,)),
    )
    with house.store.write() as tx:
        findings.insert(tx, gate)
    with house.store.write() as tx:
        tx.execute("mark_findings_alerted", ids=[one.id for one in findings.unalerted(tx)])
    add_alert(house, "alert-1", at=NOW + timedelta(minutes=1))
    with house.store.write() as tx:
        known = alerts.get(tx, "alert-1")
        assert known is not None
        of_scores = replace(known, state=AlertState.FIRING, set_name=score.replay.set_name)
        for one, rule in ((score, "QualityRegression"), (gate, "SeverityGate")):
            about = replace(of_scores, dedup_key=dedup_key(one), finding_id=one.id, last_finding_id=one.id)
            alerts.upsert(tx, replace(about, id=f"alert-{one.id}", rule=rule))
        alerts.upsert(tx, replace(of_scores, id="alert-1", state=AlertState.RESOLVED))
    assert house.get("/api/v1/findings/g").json()["severity_gate"]["cases"] == [
        {"case_id": "p-7", "category": "primes", "samples": 2, "violations": 2, "state": "failing"}
    ]
    status, baseline = accept(house, accepted)
    assert (status, baseline["run_id"]) == (201, "run-3")
    with house.store.read() as tx:
        ends = findings.unalerted(tx)
    assert {(end.signal, end.verdict.value) for end in ends} == {("score", "ok"), ("severity_gate", "ok")}
    assert all(end.acceptance is not None for end in ends)


@pytest.mark.parametrize("accepted", ["f", "m"])
def test_accepting_a_finding_ends_the_alerts_of_the_verdict_and_of_every_metric(house: House, accepted: str) -> None:
    score = tell(house, "f")
    metric = replace(score, id="m", signal="metric", metric="length", held_back="judge 'length' is not validated")
    with house.store.write() as tx:
        findings.insert(tx, metric)
        tx.execute("mark_findings_alerted", ids=[one.id for one in findings.unalerted(tx)])
    for one in (score, metric):
        own = {"finding_id": one.id, "last_finding_id": one.id, "metric": one.metric}
        add_alert(house, f"alert-{one.id}", NOW, dedup_key=dedup_key(one), **own)
    (listed,) = house.get("/api/v1/alerts", metric="length").json()["items"]
    assert (listed["id"], listed["metric"], listed["labels"]["metric"]) == ("alert-m", "length", "length")
    assert [row["id"] for row in house.get("/api/v1/findings", metric="length").json()["items"]] == ["m"]
    status, baseline = accept(house, accepted)
    assert (status, baseline["finding_id"]) == (201, accepted)
    with house.store.read() as tx:
        ends = {end.metric: end for end in findings.unalerted(tx)}
    assert set(ends) == {None, "length"}
    assert all(end.acceptance is not None and end.held_back is None for end in ends.values())
