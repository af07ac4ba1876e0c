"""An investigation from the first suspicion to the ranked causes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from monitor.domain.version import ChangeKind
from monitor.drift.cause.attribution import (
    ENOUGH,
    SURE,
    Investigation,
    investigate,
    next_step,
    open_investigation,
    rank_causes,
    record_result,
    rejudge_step_result,
    two_by_two_results,
)
from monitor.drift.cause.experiment_choice import MIN_BITS, MIN_BITS_FREE, expected_bits
from monitor.drift.cause.experiment_outcome import StepResult
from monitor.drift.cause.experiments import PUTS_BACK, Cost, Step, StepKind, expected_results
from monitor.drift.cause.prior import Suspect
from monitor.drift.cause.suspects import NOTHING, Hypothesis, RecordedEvidence, recorded_evidence
from monitor.drift.cause.two_by_two import Factor, TwoByTwo
from monitor.stats.attribution import Cause
from tests.properties import examples

MODEL, PROMPT, JUDGE = frozenset({Suspect.MODEL}), frozenset({Suspect.PROMPT}), frozenset({Suspect.JUDGE})
GONE = "the target no longer offers gpt-4-0314"
BUDGET = Cost(calls=2000, usd=20.0)
ONLY_MODEL = recorded_evidence([ChangeKind.MODEL], judge_changed=False, set_changed=False)
BOTH_CHANGED = recorded_evidence([ChangeKind.MODEL, ChangeKind.PROMPT], judge_changed=False, set_changed=False)


def step(kind: StepKind, calls: int = 300, unavailable: str | None = None, power: float = 0.9) -> Step:
    return Step(kind=kind, cost=Cost(calls=calls, usd=calls / 100.0), power=power, unavailable=unavailable)


EVERY_STEP = [
    step(StepKind.REJUDGE),
    step(StepKind.OLD_PROMPT),
    step(StepKind.OLD_MODEL),
    step(StepKind.OLD_SET),
    step(StepKind.UNCHANGED_CASES, calls=0),
    step(StepKind.AGAIN),
]
MIXED_ARMS = [EVERY_STEP[1], EVERY_STEP[2], EVERY_STEP[5]]


def shows(hypothesis: Hypothesis, asked: Step) -> StepResult:
    """What the step most often shows when the hypothesis is true."""
    chances = expected_results(asked.kind, hypothesis)
    return max(chances, key=lambda result: chances[result])


@pytest.mark.parametrize(
    ("kinds", "hypothesis"),
    [
        ([ChangeKind.MODEL], MODEL),
        ([ChangeKind.MODEL], JUDGE),
        ([ChangeKind.MODEL], MODEL | JUDGE),
        ([ChangeKind.MODEL, ChangeKind.PROMPT], PROMPT),
        ([ChangeKind.MODEL, ChangeKind.PROMPT], MODEL),
        ([ChangeKind.MODEL, ChangeKind.PROMPT], MODEL | PROMPT),
        ([], JUDGE),
        ([], NOTHING),
        ([], frozenset({Suspect.SET})),  # against the records
    ],
)
def test_every_cause_that_a_step_can_put_back_is_found(kinds: list[ChangeKind], hypothesis: Hypothesis) -> None:
    evidence = recorded_evidence(kinds, judge_changed=None, set_changed=False)
    found = investigate(evidence, EVERY_STEP, BUDGET, lambda asked: shows(hypothesis, asked))
    assert found.likeliest == hypothesis
    assert found.named in {None, hypothesis}
    assert found.identifiable == (found.probability >= SURE)
    assert BUDGET.covers(found.spent)


def test_model_and_prompt_that_only_fail_together_are_the_likeliest_together() -> None:
    found = investigate(BOTH_CHANGED, EVERY_STEP, BUDGET, lambda asked: _interaction(asked.kind))
    assert found.likeliest == MODEL | PROMPT


def _interaction(kind: StepKind) -> StepResult:
    return StepResult.ALL if kind in {StepKind.OLD_PROMPT, StepKind.OLD_MODEL} else StepResult.STAYED


def test_two_that_moved_at_once_are_not_identifiable_when_no_arm_is_left() -> None:
    steps = [
        step(StepKind.REJUDGE),
        step(StepKind.OLD_MODEL, unavailable=GONE),
        step(StepKind.OLD_PROMPT, unavailable="the old prompt was not kept"),
    ]
    found = investigate(BOTH_CHANGED, steps, BUDGET, lambda asked: shows(MODEL, asked))
    assert found.named is None
    assert "still possible: model and prompt, model, prompt; steps that could decide" in found.why
    assert f"replay the old model on the new prompt: {GONE}" in found.why
    assert {skipped.kind: skipped.why for skipped in found.not_tried}[StepKind.OLD_MODEL] == GONE


def test_a_two_by_two_in_which_nothing_fell_is_a_false_alarm() -> None:
    silent = recorded_evidence([], judge_changed=False, set_changed=False)
    table = TwoByTwo(factor=Factor.NEITHER, why="", model=None, prompt=None, interaction=None)
    seen = record_result(
        open_investigation(silent, MIXED_ARMS, BUDGET), MIXED_ARMS[2], two_by_two_results(table)[StepKind.AGAIN]
    )
    assert rank_causes(seen).likeliest == NOTHING


def test_code_and_environment_are_not_identifiable() -> None:
    evidence = recorded_evidence([], judge_changed=False, set_changed=False)
    found = investigate(evidence, EVERY_STEP, BUDGET, lambda _: StepResult.STAYED)
    assert found.named is None
    assert "environment" in found.why
    assert "code" in found.why
    assert found.why.endswith("no further step can separate them")


def test_what_cannot_be_paid_is_listed_with_its_price() -> None:
    found = investigate(BOTH_CHANGED, [step(StepKind.OLD_MODEL)], Cost(calls=100, usd=50.0), lambda _: StepResult.ALL)
    assert found.tried == ()
    assert found.named is None
    assert "it costs 300 calls and 3.00 USD, 100 calls and 50.00 USD are left" in found.why


def test_the_result_lists_what_was_tried_and_what_it_showed() -> None:
    found = investigate(BOTH_CHANGED, EVERY_STEP, BUDGET, lambda asked: shows(PROMPT, asked))
    assert found.why.startswith("prompt, by replay the old ")
    assert {done.result for done in found.tried} <= {StepResult.ALL, StepResult.STAYED}
    assert all(done.bits >= (MIN_BITS if done.cost.calls else MIN_BITS_FREE) for done in found.tried)
    assert found.causes[0].suspect is Suspect.PROMPT
    assert [cause.probability for cause in found.causes] == sorted(
        (cause.probability for cause in found.causes), reverse=True
    )
    assert len(found.tried) + len(found.not_tried) == len(EVERY_STEP)


def test_a_cause_that_is_sure_enough_costs_nothing_more() -> None:
    sure = record_result(open_investigation(ONLY_MODEL, EVERY_STEP, BUDGET), EVERY_STEP[2], StepResult.ALL)
    assert next_step(sure) is None
    assert rank_causes(sure).named == MODEL


def test_what_the_records_alone_are_sure_of_is_put_back_all_the_same() -> None:
    opened = open_investigation(ONLY_MODEL, EVERY_STEP, BUDGET)
    assert max(opened.beliefs.values()) >= ENOUGH
    tried = investigate(ONLY_MODEL, EVERY_STEP, BUDGET, lambda asked: shows(MODEL, asked)).tried
    assert StepKind.OLD_MODEL in {done.kind for done in tried}


def test_a_step_that_failed_is_paid_and_settles_nothing() -> None:
    opened = open_investigation(BOTH_CHANGED, EVERY_STEP, BUDGET)
    after = record_result(opened, EVERY_STEP[1], StepResult.FAILED)
    assert after.beliefs == pytest.approx(opened.beliefs)
    assert after.budget_left == Cost(calls=1700, usd=17.0)
    assert EVERY_STEP[1] not in after.steps


def test_a_step_is_recorded_once_and_offered_once() -> None:
    opened = open_investigation(BOTH_CHANGED, EVERY_STEP, BUDGET)
    with pytest.raises(ValueError, match="not one of the remaining steps"):
        record_result(record_result(opened, EVERY_STEP[0], StepResult.ALL), EVERY_STEP[0], StepResult.ALL)
    with pytest.raises(ValueError, match="offered only once"):
        open_investigation(BOTH_CHANGED, [step(StepKind.REJUDGE), step(StepKind.REJUDGE, calls=5)], BUDGET)


@pytest.mark.parametrize(
    ("cause", "result"),
    [
        (Cause.JUDGE, StepResult.ALL),
        (Cause.BOTH, StepResult.PART),
        (Cause.MODEL, StepResult.STAYED),
        (Cause.NONE, StepResult.NO_DROP),
        (Cause.NOT_IDENTIFIABLE, StepResult.UNCLEAR),
    ],
)
def test_what_re_judging_showed(cause: Cause, result: StepResult) -> None:
    assert rejudge_step_result(cause) is result


@pytest.mark.parametrize(
    ("factor", "likeliest"),
    [
        (Factor.MODEL, MODEL),
        (Factor.PROMPT, PROMPT),
        (Factor.BOTH, MODEL | PROMPT),
        (Factor.INTERACTION, MODEL | PROMPT),
        (Factor.NOT_IDENTIFIABLE, MODEL | PROMPT),  # as the records had it
    ],
)
def test_a_two_by_two_settles_what_it_settles(factor: Factor, likeliest: Hypothesis) -> None:
    table = TwoByTwo(factor=factor, why="", model=None, prompt=None, interaction=None)
    seen = open_investigation(BOTH_CHANGED, EVERY_STEP, BUDGET)
    shown = two_by_two_results(table)
    for asked in MIXED_ARMS:
        seen = record_result(seen, asked, shown[asked.kind])
    assert rank_causes(seen).likeliest == likeliest


def _tests_the_likeliest(seen: Investigation, chosen: Step) -> bool:
    return bool(PUTS_BACK[chosen.kind] & rank_causes(seen).likeliest)


class Walk(RuleBasedStateMachine):
    """A plan walked step by step, the truth being one hypothesis and every step showing it noisily."""

    seen: Investigation
    budget: Cost
    hypothesis: Hypothesis

    @initialize(
        changed=st.frozensets(st.sampled_from(Suspect), max_size=3),
        hypothesis=st.frozensets(st.sampled_from(Suspect), max_size=2),
        costs=st.lists(st.integers(0, 900), min_size=6, max_size=6),
        gone=st.lists(st.booleans(), min_size=6, max_size=6),
        budget=st.builds(Cost, calls=st.integers(0, 2000), usd=st.floats(0.0, 20.0)),
    )
    def begin(
        self,
        changed: frozenset[Suspect],
        hypothesis: Hypothesis,
        costs: list[int],
        gone: list[bool],
        budget: Cost,
    ) -> None:
        steps = [
            step(kind, calls=calls, unavailable=GONE if lost else None)
            for kind, calls, lost in zip(StepKind, costs, gone, strict=True)
        ]
        self.hypothesis, self.budget = hypothesis, budget
        self.seen = open_investigation(RecordedEvidence(changed=changed), steps, budget)

    @precondition(lambda self: next_step(self.seen) is not None)
    @rule(readable=st.booleans())
    def walk(self, readable: bool) -> None:
        chosen = next_step(self.seen)
        assert chosen is not None
        assert chosen.unavailable is None
        if max(self.seen.beliefs.values()) < ENOUGH and not _tests_the_likeliest(self.seen, chosen):
            least = MIN_BITS if chosen.cost.calls else MIN_BITS_FREE
            assert expected_bits(self.seen.beliefs, chosen) >= least
        before = len(self.seen.steps)
        shown = shows(self.hypothesis, chosen) if readable else StepResult.UNCLEAR
        self.seen = record_result(self.seen, chosen, shown)
        assert len(self.seen.steps) == before - 1

    @precondition(lambda self: next_step(self.seen) is None)
    @rule()
    def stop(self) -> None:
        found = rank_causes(self.seen)
        assert found.tried == self.seen.tried
        assert len(found.not_tried) == len(self.seen.steps)

    @invariant()
    def probabilities_add_up(self) -> None:
        assert sum(self.seen.beliefs.values()) == pytest.approx(1.0)

    @invariant()
    def the_budget_holds(self) -> None:
        assert self.seen.spent.calls + self.seen.budget_left.calls == self.budget.calls
        assert self.seen.spent.usd + self.seen.budget_left.usd == pytest.approx(self.budget.usd)
        assert self.seen.spent.usd <= self.budget.usd + 1e-9

    @invariant()
    def a_conclusion_is_always_possible(self) -> None:
        found = rank_causes(self.seen)
        assert found.identifiable == (found.probability >= 0.8)
        assert found.why
        assert {cause.suspect for cause in found.causes} == {None, *Suspect}


TestWalk = Walk.TestCase
TestWalk.settings = settings(max_examples=30, stateful_step_count=7, deadline=None)


@settings(max_examples=examples(100), deadline=None)
@given(
    changed=st.frozensets(st.sampled_from(Suspect), max_size=3),
    budget=st.builds(Cost, calls=st.integers(0, 1500), usd=st.floats(0.0, 15.0)),
    shown=st.lists(st.sampled_from(StepResult), min_size=6, max_size=6),
)
def test_the_budget_is_respected_and_no_step_runs_twice(
    changed: frozenset[Suspect], budget: Cost, shown: list[StepResult]
) -> None:
    answers = iter(shown)
    found = investigate(RecordedEvidence(changed=changed), EVERY_STEP, budget, lambda _: next(answers))
    assert budget.covers(found.spent)
    assert len({done.kind for done in found.tried}) == len(found.tried)
