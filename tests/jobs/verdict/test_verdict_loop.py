"""The nightly verdicts, with real rows."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from monitor.domain.evidence import Evidence
from monitor.domain.finding import Finding
from tests.jobs.nightly import RATES, Nightly

Open = Callable[..., Nightly]
WORSE = RATES * 0.75
ONE_MODEL = np.where(np.arange(len(RATES)) % 4 < 2, 0.9, 0.2)  # as good as the other, in each category
ANOTHER_MODEL = np.where(np.arange(len(RATES)) % 4 < 2, 0.2, 0.9)


@pytest.fixture
def nightly(tmp_path: Path) -> Iterator[Open]:
    opened: list[Nightly] = []

    def start(**fields: Any) -> Nightly:
        folder = tmp_path / str(len(opened))
        folder.mkdir()
        opened.append(Nightly(folder, **fields))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def evidence_of(finding: Finding) -> Evidence:
    assert finding.evidence is not None
    return finding.evidence


def test_identical_nights_are_quiet_and_say_what_they_could_have_seen(nightly: Open) -> None:
    house = nightly()
    house.nights(12)
    assert house.verdicts() == ["insufficient"] + ["ok"] * 11
    assert house.alerts() == []
    evidence = evidence_of(house.findings()[-1])
    assert (evidence.phase, evidence.kind, evidence.nights) == ("silent", None, 12)
    assert evidence.noise is not None
    sizes = {(each.scenario, each.nights): each.effect for each in evidence.noise.detectable}
    assert 0.01 < sizes["announced", 7] < sizes["silent", 7] < sizes["silent", 1] < 0.6
    assert sizes["announced", 7] < sizes["announced", 1] < sizes["silent", 1]
    needed = [row for row in evidence.channels if row.kind == "score" and row.channel == "all channels"]
    assert needed[0].e is not None
    assert needed[0].e_needed is not None
    assert needed[0].e < needed[0].e_needed


def test_the_first_nights_say_that_they_are_learnt_from(nightly: Open) -> None:
    house = nightly()
    *_, last = house.nights(4)
    evidence = evidence_of(last)
    assert evidence.phase == "learning"
    assert "4 of 6 baseline nights are recorded" in evidence.not_tested[0]


def test_a_silent_drop_is_found_in_a_few_nights_stays_one_alert_and_resolves_when_it_is_over(nightly: Open) -> None:
    house = nightly()
    house.nights(12)
    fallen = house.nights(4, RATES * 0.85)
    assert "regression" in [finding.verdict for finding in fallen]
    found = next(finding for finding in fallen if finding.verdict == "regression")
    evidence = evidence_of(found)
    assert (evidence.phase, evidence.trigger, evidence.kind) == ("silent", "silent", "score")
    assert evidence.onset_run is not None
    assert "run-012" <= evidence.onset_run <= "run-015"  # a night that collapses by itself is its own onset
    assert evidence.delta is not None
    assert evidence.delta < -0.04
    assert evidence.e is not None
    assert evidence.e_needed is not None
    assert evidence.e >= evidence.e_needed
    assert evidence.interval is not None
    assert evidence.interval_new_cases is not None
    assert house.alerts() in (["firing"], ["pending"])
    recovered = house.nights(5)
    assert recovered[-1].verdict == "ok"
    assert house.alerts() == ["resolved"]


def test_a_restart_before_every_night_changes_nothing(nightly: Open) -> None:
    result = []
    for house in (nightly(), nightly(restarts=True)):
        house.nights(6)
        house.nights(2, WORSE, version="B")
        house.night()
        result.append([(f.verdict, f.reason, f.evidence, f.baseline_run, f.alpha) for f in house.findings()])
    assert result[0] == result[1]
    assert "regression" in [verdict for verdict, *_ in result[0]]


def test_a_new_version_that_is_worse_alerts_the_same_night(nightly: Open) -> None:
    house = nightly()
    house.nights(5)
    finding = house.night(WORSE, version="B")
    evidence = evidence_of(finding)
    assert finding.verdict == "regression"
    assert (evidence.phase, evidence.trigger, evidence.onset_run) == ("change", "version", "run-006")
    assert evidence.p is not None
    assert evidence.p_needed is not None
    assert evidence.p <= evidence.p_needed
    assert (evidence.baseline_first_run, evidence.baseline_last_run) == ("run-001", "run-005")
    assert (finding.baseline_run, finding.alpha) == ("run-005", 0.05)


def test_after_one_night_alone_two_runs_are_compared(nightly: Open) -> None:
    house = nightly()
    house.night()
    finding = house.night(WORSE, version="B")
    assert finding.verdict == "regression"
    assert evidence_of(finding).phase == "learning"


def test_a_change_under_the_same_name_is_judged_as_a_change(nightly: Open) -> None:
    house = nightly()
    house.nights(5)
    finding = house.night(WORSE, change_id="change-1")
    assert (finding.verdict, evidence_of(finding).trigger) == ("regression", "version")


def test_a_new_version_that_is_better_is_an_improvement(nightly: Open) -> None:
    house = nightly()
    house.nights(5, WORSE)
    finding = house.night(version="B")
    assert finding.verdict == "improvement"
    assert (evidence_of(finding).delta or 0.0) > 0.0
    assert house.alerts() == []


def test_a_rollback_resolves_the_alert_the_same_night(nightly: Open) -> None:
    house = nightly()
    house.nights(5)
    house.nights(2, WORSE, version="B")
    back = house.night(version="A")
    assert house.verdicts()[-3:-1] == ["regression", "regression"]
    assert back.verdict in {"ok", "improvement"}
    assert house.alerts() == ["resolved"]


def test_a_judge_that_changed_is_not_the_model(nightly: Open) -> None:
    house = nightly()
    house.nights(8)
    finding = house.night(WORSE, scorer="2")
    assert finding.verdict == "insufficient"
    assert finding.reason.startswith("the judge changed, not necessarily the model")
    assert house.alerts() == []


def test_another_model_that_is_as_good_is_no_regression_and_opens_one_change(nightly: Open) -> None:
    house = nightly()
    house.nights(9, ONE_MODEL)
    nights = house.nights(3, ANOTHER_MODEL)
    result = [f for f in nights if "an unidentified version answers" in f.reason]
    assert len(result) == 1
    assert result[0].verdict == "ok"
    assert evidence_of(result[0]).kind == "behaviour"
    assert house.changes() == ["unknown"]
    assert result[0].change_id is not None


def test_an_outage_is_never_a_regression_and_no_night(nightly: Open) -> None:
    house = nightly()
    house.nights(8)
    whole = house.case_ids
    house.case_ids = whole[:40]
    finding = house.night(RATES[:40], cases=len(whole))
    house.case_ids = whole
    after = house.night()
    assert (finding.verdict, finding.evidence) == ("insufficient", None)
    assert (after.verdict, evidence_of(after).nights) == ("ok", 9)


def test_a_revision_is_bridged_by_the_cases_it_carried_over(nightly: Open) -> None:
    house = nightly()
    house.nights(8)
    kept = house.case_ids[:75]
    house.revision("r2", [*kept, *(f"new-{i}" for i in range(75))])
    finding = house.night()
    case_overlap = evidence_of(finding).case_overlap
    assert finding.verdict == "ok"
    assert (case_overlap.cases, case_overlap.carried_over, case_overlap.revisions) == (150, 75, 2)


def test_a_revision_without_an_old_case_is_a_new_baseline(nightly: Open) -> None:
    house = nightly()
    house.nights(8)
    house.revision("r2", [f"new-{i}" for i in range(150)])
    finding = house.night(WORSE)
    assert finding.verdict == "insufficient"
    assert evidence_of(finding).case_overlap.carried_over == 0


def test_the_policy_can_accept_a_new_level_by_itself(nightly: Open) -> None:
    house = nightly(accept_after_nights=3)
    house.nights(5)
    house.nights(3, WORSE, version="B")
    assert house.findings()[-1].reason == "accepted as the new baseline by the policy: 3 nights at the new level"
    assert house.alerts() == ["resolved"]
    after = house.nights(3, WORSE, version="B")
    assert [finding.verdict for finding in after] == ["ok"] * 3
    assert evidence_of(after[-1]).nights == 6
