"""The cause of the drop of an alarm, with real rows: computed once for each alert, with the finding that opens it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from monitor.domain.evidence import Cause
from monitor.domain.finding import Finding
from monitor.drift.cause.experiments import Cost, StepKind
from monitor.jobs.verdict.experiments import InvestigationDependencies
from monitor.jobs.verdict.verdict_loop import VerdictLoop
from replay.errors import TargetError
from tests.jobs.nightly import RATES, Nightly

WORSE = RATES * 0.75
REJUDGE, UNCHANGED = "re-judge stored baseline outputs", "compare only unchanged cases"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Nightly]:
    one = Nightly(tmp_path)
    yield one
    one.close()


def manifest(model: str) -> dict[str, object]:
    return {"target": {"model": "gpt-4"}, "reported": {"model": {model: 150}}}


def cause_of(finding: Finding) -> Cause:
    assert finding.evidence is not None
    assert finding.evidence.cause is not None
    return finding.evidence.cause


def opened(house: Nightly) -> Finding:
    return next(finding for finding in house.findings() if finding.verdict == "regression")


def test_another_model_is_named_when_today_s_scorers_read_the_old_replies_as_they_were_read(house: Nightly) -> None:
    house.nights(5, manifest=manifest("gpt-4-0314"))
    cause = cause_of(house.night(WORSE, version="B", manifest=manifest("gpt-4-0613")))
    assert cause.named == ("model",)
    assert cause.differences == ("served model: gpt-4-0314 to gpt-4-0613",)
    tried = {row.step: row for row in cause.tried}
    assert {(row.step, row.result, row.calls) for row in cause.tried} == {
        (REJUDGE, "the drop stayed", 0),
        (UNCHANGED, "the drop stayed", 0),
    }
    assert tried[REJUDGE].detail.startswith("750 stored outputs judged again: 0.0 % came out differently")
    assert {row.step for row in cause.not_tried} >= {"replay the old model on the new prompt"}
    assert (cause.confirmed, cause.probability) == (False, None), "the old model was not replayed"
    assert cause.statement.startswith(
        "model is the only recorded difference (served model: gpt-4-0314 to gpt-4-0613); "
    )
    assert "the old model was not replayed (no target is configured that could replay it)" in cause.statement
    assert "%" not in cause.statement + cause.why


def test_a_judge_that_reads_stricter_under_its_old_version_is_found_by_reading_the_old_replies_again(
    house: Nightly,
) -> None:
    house.right = "Yes"  # which the scorer of then passed, and the one of today does not
    house.nights(10)
    house.right = "yes"
    house.nights(4, RATES * 0.6)
    cause = cause_of(opened(house))
    assert cause.causes[0].suspect == "judge"
    shown = next(row for row in cause.tried if row.step == REJUDGE)
    assert shown.result in {"all of the drop went away", "part of the drop went away"}


def test_a_silent_drop_without_a_recorded_difference_is_not_identifiable_and_says_what_would_tell(
    house: Nightly,
) -> None:
    house.nights(12)
    house.nights(4, RATES * 0.85)
    cause = cause_of(opened(house))
    assert cause.named is None
    assert cause.differences == ()
    assert cause.why.startswith("still possible: ")
    assert "%" not in cause.statement + cause.why, "nothing was replayed: the odds are judgements"
    assert "replay the old model on the new prompt: no target is configured that could replay it" in cause.why
    assert {row.step for row in cause.tried} == {REJUDGE, UNCHANGED}
    assert (cause.calls, cause.usd) == (0, 0.0)


def test_it_is_asked_once_for_an_alert_and_again_for_the_next(house: Nightly) -> None:
    house.nights(6)
    house.nights(3, WORSE, version="B")
    house.nights(4, version="A")
    house.nights(2, WORSE, version="B")
    actual = [
        finding.evidence.cause is not None
        for finding in house.findings()
        if finding.verdict == "regression" and finding.evidence is not None
    ]
    assert actual == [True, False, False, True, False]


def test_two_runs_alone_are_enough_to_ask(house: Nightly) -> None:
    house.night()
    cause = cause_of(house.night(WORSE, version="B"))
    assert {row.step for row in cause.tried} == {REJUDGE, UNCHANGED}


def test_new_cases_that_are_harder_are_told_from_a_product_that_got_worse(house: Nightly) -> None:
    house.nights(8)
    house.revision("r2", [f"case-{i}" if i % 5 else f"new-{i}" for i in range(len(RATES))])
    cause = cause_of(house.night(WORSE, version="B"))
    shown = next(row for row in cause.tried if row.step == UNCHANGED)
    assert shown.result == "the drop stayed"
    assert shown.detail.startswith("120 unchanged cases of 150: ")
    assert any(actual.startswith("set revision: r1 to r2") for actual in cause.differences)


class Unreachable:
    """An arm whose target cannot be called."""

    cost_each = Cost(calls=1)

    def unavailable(self, kind: StepKind) -> str | None:
        return None if kind is StepKind.OLD_MODEL else "not in this test"

    def replay(
        self, kind: StepKind, case_ids: Sequence[str], *, failing_as: str | None = None
    ) -> dict[str, list[None]]:
        raise TargetError(f"{kind} of {len(case_ids)} cases, {failing_as}: nothing answers there")


def test_a_step_that_fails_shows_nothing_and_says_why(tmp_path: Path) -> None:
    house = Nightly(tmp_path, attribution_calls=150)
    house.compare = VerdictLoop(
        store=house.store,
        policy=house.policy,
        clock=house.clock,
        dependencies=InvestigationDependencies(
            rejudge_of=house.asks.rejudge_of, arm_of=lambda _run, _before: Unreachable()
        ),
    )
    house.nights(5, manifest=manifest("gpt-4-0314"))
    cause = cause_of(house.night(WORSE, version="B", manifest=manifest("gpt-4-0613")))
    failed = next(row for row in cause.tried if row.step == StepKind.OLD_MODEL)
    assert failed.result == "no answer"
    assert failed.detail.startswith("the experiment failed: replay the old model on the new prompt of ")
    assert 0 < cause.calls <= 150
    house.close()


def test_what_cannot_be_found_out_never_keeps_an_alarm_back(house: Nightly) -> None:
    def broken(_: str) -> None:
        raise RuntimeError("a scorer that cannot be built")

    house.compare = VerdictLoop(
        store=house.store,
        policy=house.policy,
        clock=house.clock,
        dependencies=InvestigationDependencies(rejudge_of=broken),  # type: ignore[arg-type]
    )
    house.nights(5)
    finding = house.night(WORSE, version="B")
    assert finding.verdict == "regression"
    assert finding.evidence is not None
    assert finding.evidence.cause is None
