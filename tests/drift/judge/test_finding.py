"""Whole timelines: from runs and results to findings, night after night."""

from datetime import timedelta

from monitor.domain.finding import Verdict
from monitor.domain.run import RunState, Trigger
from tests.drift.builders import FIRST_NIGHT, Timeline, change, find, results, run

GOOD = results([1.0] * 90 + [0.0] * 10)
BAD = results([1.0] * 50 + [0.0] * 50)
BETTER = results([1.0] * 99 + [0.0])
OUTAGE = results([0.0] * 60 + [None] * 40)


def verdicts(timeline: Timeline) -> list[Verdict]:
    return [finding.verdict for finding in timeline.findings]


def baselines(timeline: Timeline) -> list[str | None]:
    return [finding.baseline_run for finding in timeline.findings]


def test_a_change_after_quiet_nights_is_found_and_stays_found_until_it_is_rolled_back() -> None:
    line = Timeline()
    for version, rows in [("A", GOOD), ("A", GOOD), ("A", GOOD), ("B", BAD), ("B", BAD), ("A", GOOD), ("A", GOOD)]:
        line.night(version, rows)
    assert verdicts(line) == ["insufficient", "ok", "ok", "regression", "regression", "ok", "ok"]
    assert baselines(line) == [None, "run-0", "run-0", "run-2", "run-2", "run-2", "run-5"]
    assert [line.findings[3].from_version, line.findings[3].to_version] == ["A", "B"]


def test_a_fix_forward_is_judged_against_the_good_old_days() -> None:
    line = Timeline()
    for version, rows in [("A", GOOD), ("B", BAD), ("C", results([1.0] * 60 + [0.0] * 40)), ("D", GOOD)]:
        line.night(version, rows)
    assert verdicts(line)[1:] == ["regression", "regression", "ok"]
    assert baselines(line)[1:] == ["run-0", "run-0", "run-0"]


def test_an_improvement_is_reported_once_and_becomes_the_new_baseline() -> None:
    line = Timeline()
    for version, rows in [("A", BAD), ("B", BETTER), ("B", BETTER)]:
        line.night(version, rows)
    assert verdicts(line) == ["insufficient", "improvement", "ok"]
    assert baselines(line)[2] == "run-1"


def test_a_change_during_an_outage_is_found_on_the_next_night() -> None:
    line = Timeline()
    line.night("A", GOOD)
    line.night("B", OUTAGE, manifest={"scored": 60})
    line.night("B", BAD)
    assert verdicts(line) == ["insufficient", "insufficient", "regression"]
    assert baselines(line)[2] == "run-0"


def test_a_failed_run_is_reported_and_is_never_a_baseline() -> None:
    line = Timeline()
    line.night("A", GOOD)
    line.night(None, [], state=RunState.FAILED, error="target unreachable")
    line.night("B", BAD)
    assert verdicts(line) == ["insufficient", "failed", "regression"]
    assert line.findings[1].from_version == "A"
    assert line.findings[1].to_version is None


def test_the_first_run_has_nothing_to_be_compared_with() -> None:
    finding = Timeline().night("A", GOOD)
    assert finding.reason == "there is no earlier complete run of this set to compare with"
    assert finding.comparison is None


def test_a_finding_carries_its_change_and_its_facts() -> None:
    line = Timeline()
    line.night("A", GOOD)
    step = change(1)
    finding = line.night("B", BAD, change=step, trigger=Trigger.CHANGE, change_id=step.id)
    assert (finding.change_id, finding.alpha, finding.replay.candidate_run) == ("change-1", 0.05, "run-1")
    assert (finding.deployment, finding.replay.set_name, finding.signal, finding.segment) == (
        "support-bot",
        "primes",
        "score",
        "overall",
    )
    assert (finding.id, finding.at) == ("finding-1", FIRST_NIGHT + timedelta(days=30))


def test_without_a_baseline_the_versions_are_those_of_the_change() -> None:
    finding = find(run(0, None), GOOD, None, [], change=change(0))
    assert (finding.from_version, finding.to_version) == ("A", "B")


def test_a_triggered_run_keeps_the_id_of_its_change_when_the_change_is_not_at_hand() -> None:
    assert find(run(0, change_id="change-9"), GOOD, None, []).change_id == "change-9"
