"""What may be claimed of a cause: a percentage only of what was put back and looked at again."""

import pytest

from monitor.domain.version import ChangeKind
from monitor.drift.cause.attribution import RankedCauses, investigate, open_investigation, rank_causes, record_result
from monitor.drift.cause.experiment_outcome import StepResult
from monitor.drift.cause.experiments import Cost, Step, StepKind, expected_results
from monitor.drift.cause.prior import Suspect
from monitor.drift.cause.statement import state_cause
from monitor.drift.cause.suspects import NOTHING, Hypothesis, RecordedEvidence, recorded_evidence

MODEL, JUDGE = frozenset({Suspect.MODEL}), frozenset({Suspect.JUDGE})
ONLY_MODEL = recorded_evidence([ChangeKind.MODEL], judge_changed=False, set_changed=False)
DIFFERS = ("served model: a to b",)


def found(truly: Hypothesis, evidence: RecordedEvidence, **why: str) -> RankedCauses:
    """Each step shows what it most often does when `truly` is right; those in `why` cannot be taken."""
    steps = [
        Step(kind=kind, cost=Cost(calls=10), power=0.9, unavailable=why.get(kind.name))
        for kind in (StepKind.REJUDGE, StepKind.OLD_MODEL, StepKind.OLD_PROMPT, StepKind.AGAIN)
    ]

    def show(step: Step) -> StepResult:
        chances = expected_results(step.kind, truly)
        return max(chances, key=lambda result: chances[result])

    return investigate(evidence, steps, Cost(calls=1000), show)


def test_a_model_that_was_replayed_is_named_with_its_probability() -> None:
    causes = found(MODEL, ONLY_MODEL)
    stated = state_cause(causes, ONLY_MODEL, DIFFERS)
    assert stated.confirmed
    assert stated.text == f"caused by model ({causes.probability:.0%})"


def test_a_model_that_was_not_replayed_is_the_only_recorded_difference_and_no_more() -> None:
    none = "0 calls are left"
    causes = found(MODEL, ONLY_MODEL, OLD_MODEL=none, OLD_PROMPT=none, AGAIN=none)
    assert causes.named == MODEL, "the records and the judge alone name it"
    stated = state_cause(causes, ONLY_MODEL, DIFFERS)
    assert not stated.confirmed
    assert stated.text == (
        "model is the only recorded difference (served model: a to b); "
        "the old model was not replayed (0 calls are left)"
    )


def test_a_judge_is_put_back_by_judging_stored_outputs_again() -> None:
    evidence = recorded_evidence([], judge_changed=True, set_changed=False)
    causes = found(JUDGE, evidence, OLD_MODEL="no", OLD_PROMPT="no", AGAIN="no")
    stated = state_cause(causes, evidence, ("judge: 1 to 2",))
    assert stated.confirmed
    assert stated.text.startswith("caused by judge (")


@pytest.mark.parametrize("truly", [MODEL, NOTHING])
def test_without_a_step_no_sentence_has_a_percentage(truly: Hypothesis) -> None:
    nothing = dict.fromkeys((kind.name for kind in StepKind), "not set up")
    for evidence in (ONLY_MODEL, recorded_evidence([], judge_changed=None, set_changed=False)):
        causes = found(truly, evidence, **nothing)
        assert "%" not in state_cause(causes, evidence, ()).text
        assert "%" not in causes.why


def test_a_replay_that_puts_nothing_back_gives_no_percentage() -> None:
    evidence = recorded_evidence([ChangeKind.MODEL, ChangeKind.PROMPT], judge_changed=False, set_changed=False)
    again = Step(kind=StepKind.AGAIN, cost=Cost(calls=10))
    seen = record_result(open_investigation(evidence, [again], Cost(calls=1000)), again, StepResult.STAYED)
    stated = state_cause(rank_causes(seen), evidence, ())
    assert not stated.replayed
    assert "%" not in stated.text
    assert stated.text.endswith("are possible, and nothing old was replayed")
