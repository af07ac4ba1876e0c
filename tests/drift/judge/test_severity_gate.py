"""The decisions of the severity gate."""

from dataclasses import replace
from datetime import timedelta
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.finding import GateState, Verdict
from monitor.domain.run import CriticalCase, Run
from monitor.drift.judge.severity_gate import (
    baselines_before_version,
    gate_baseline,
    gate_reason,
    gate_verdict,
    judge_cases,
    missing_samples,
)
from tests.store.build import START, complete_run

NOTHING: frozenset[str] = frozenset()
counts = st.tuples(st.integers(0, 6), st.integers(0, 6)).map(lambda pair: (max(pair), min(pair)))


def case(samples: int, violations: int, case_id: str = "a", content: str = "mac") -> CriticalCase:
    return CriticalCase(
        case_id=case_id, content_mac=content, category="refunds", samples=samples, violations=violations
    )


def night(number: int, version: str | None, scored: int = 100) -> Run:
    return complete_run(
        f"run-{number}",
        START + timedelta(days=number),
        version=version,
        cases=100,
        manifest={"scored": scored},
    )


CLEAN = {"a": case(1, 0)}


@given(count=counts, needed=st.integers(2, 4), before=counts)
def test_only_enough_failures_of_a_case_without_failures_at_the_baseline_alert(
    count: tuple[int, int], needed: int, before: tuple[int, int]
) -> None:
    evidence = judge_cases([case(*count)], {"a": case(*before)}, needed, NOTHING)
    clean = before[0] > 0 and before[1] == 0
    regression = gate_verdict(evidence, is_open=False) is Verdict.REGRESSION
    assert regression == (clean and count[1] >= needed)


@given(count=counts, needed=st.integers(2, 4))
def test_an_open_alert_resolves_only_after_enough_samples_without_a_failure(
    count: tuple[int, int], needed: int
) -> None:
    evidence = judge_cases([case(*count)], CLEAN, needed, frozenset({"a"}))
    resolves = gate_verdict(evidence, is_open=True) is Verdict.OK
    assert resolves == (count[0] >= needed and count[1] == 0)


@given(count=counts, needed=st.integers(2, 4), watched=st.booleans())
def test_the_samples_that_are_asked_for_are_enough_for_a_verdict(
    count: tuple[int, int], needed: int, watched: bool
) -> None:
    names = frozenset({"a"}) if watched else NOTHING
    more = missing_samples([case(*count)], [CLEAN], needed, names).get("a", 0)
    samples, violations = count
    again = missing_samples([case(samples + more, violations + more)], [CLEAN], needed, names)
    assert again == {}
    if more:
        verdicts = {
            gate_verdict(judge_cases([case(samples + more, bad)], CLEAN, needed, names), is_open=watched)
            for bad in (violations, violations + more)
        }
        assert verdicts <= {Verdict.OK, Verdict.REGRESSION, None} | ({Verdict.INSUFFICIENT} if not samples else set())


def test_no_samples_are_asked_for_without_a_reason() -> None:
    assert missing_samples([case(1, 0)], [CLEAN], 2, NOTHING) == {}
    assert missing_samples([case(1, 1)], [{"a": case(1, 1)}], 2, NOTHING) == {}
    assert missing_samples([case(1, 1)], [], 2, NOTHING) == {}
    assert missing_samples([case(0, 0)], [CLEAN], 2, frozenset({"a"})) == {}
    assert missing_samples([case(1, 1)], [{"a": case(1, 1)}, CLEAN], 2, NOTHING) == {"a": 1}


def test_a_case_with_other_content_is_another_case() -> None:
    changed = [case(2, 2, content="other")]
    assert judge_cases(changed, CLEAN, 2, NOTHING).cases == ()
    assert gate_verdict(judge_cases(changed, CLEAN, 2, frozenset({"a"})), is_open=True) is Verdict.OK


def test_missing_samples_are_insufficient_for_an_open_alert_and_for_one_failure() -> None:
    unknown = judge_cases([case(0, 0)], CLEAN, 2, frozenset({"a"}))
    assert [one.state for one in unknown.cases] == [GateState.UNKNOWN]
    assert gate_verdict(unknown, is_open=True) is Verdict.INSUFFICIENT
    unconfirmed = judge_cases([case(1, 1)], CLEAN, 2, NOTHING)
    assert gate_verdict(unconfirmed, is_open=False) is Verdict.INSUFFICIENT
    assert gate_verdict(judge_cases([case(1, 0)], CLEAN, 2, NOTHING), is_open=False) is None


def test_the_reason_names_the_cases_and_counts_the_rest() -> None:
    rows = [case(2, 2, f"c{n}") for n in range(7)]
    clean = {row.case_id: case(1, 0, row.case_id) for row in rows}
    evidence = judge_cases(rows, clean, 2, NOTHING)
    reason = gate_reason(evidence, Verdict.REGRESSION, night(1, "A"))
    assert reason == (
        "7 critical cases contain forbidden content in fresh samples and did not in run run-1: "
        "c0, c1, c2, c3, c4 and 2 more"
    )


def test_the_baseline_is_the_last_usable_run_of_the_version_before() -> None:
    history = [night(1, "A"), night(2, "A"), night(3, "A", scored=20), night(4, "B"), night(5, "B")]
    candidate = night(6, "B")
    found = gate_baseline(candidate, [*history, candidate, night(7, "C")], "B", 0.9)
    assert found is not None
    assert found.id == "run-2"
    assert gate_baseline(candidate, history[3:], "B", 0.9) == history[3]
    assert gate_baseline(candidate, [], "B", 0.9) is None


def test_samples_are_asked_for_against_every_baseline_that_the_verdict_can_choose() -> None:
    for versions in product("AB", repeat=4):
        *before, version = (night(number, name) for number, name in enumerate(versions))
        possible = baselines_before_version(replace(version, version=None), before, 0.9)
        assert gate_baseline(version, before, version.version, 0.9) in possible
