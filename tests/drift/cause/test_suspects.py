"""Who is suspected before anything was tried."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.version import ChangeKind
from monitor.drift.cause.prior import Suspect
from monitor.drift.cause.suspects import NOTHING, RecordedEvidence, hypothesis_name, prior, recorded_evidence

SOME = st.frozensets(st.sampled_from(Suspect))


@given(changed=SOME, hinted=SOME)
def test_the_prior_adds_up_and_suspects_no_more_than_two_at_once(
    changed: frozenset[Suspect], hinted: frozenset[Suspect]
) -> None:
    beliefs = prior(RecordedEvidence(changed=changed, hinted=hinted, ruled_out=frozenset(Suspect) - changed - hinted))
    assert sum(beliefs.values()) == pytest.approx(1.0)
    assert all(chance > 0.0 for chance in beliefs.values())
    assert len(beliefs) == 1 + len(Suspect) + len(list(combinations(Suspect, 2)))


def test_the_field_that_changed_is_suspected_first() -> None:
    beliefs = prior(recorded_evidence([ChangeKind.PROMPT], judge_changed=None, set_changed=False))
    assert max(beliefs, key=lambda held: beliefs[held]) == {Suspect.PROMPT}
    assert beliefs[frozenset({Suspect.PROMPT})] > 0.5


def test_when_nothing_is_recorded_as_changed_a_silent_model_is_suspected_before_a_silent_judge_or_environment() -> None:
    beliefs = prior(recorded_evidence([], judge_changed=None, set_changed=False))
    model, judge, environment = (frozenset({each}) for each in (Suspect.MODEL, Suspect.JUDGE, Suspect.ENVIRONMENT))
    assert beliefs[model] > beliefs[judge] > beliefs[environment]
    assert beliefs[environment] > 10 * beliefs[frozenset({Suspect.PROMPT})]
    assert max(beliefs.values()) < 0.5


def test_a_hint_weighs_more_than_silence_and_less_than_a_record() -> None:
    hinted = prior(recorded_evidence([], judge_changed=False, set_changed=False, hinted=[Suspect.MODEL]))
    silent = prior(recorded_evidence([], judge_changed=False, set_changed=False))
    recorded = prior(recorded_evidence([ChangeKind.MODEL], judge_changed=False, set_changed=False))
    model = frozenset({Suspect.MODEL})
    assert silent[model] < hinted[model] < recorded[model]


def test_an_unknown_change_hints_at_every_versioned_field() -> None:
    evidence = recorded_evidence([ChangeKind.UNKNOWN], judge_changed=False, set_changed=False)
    assert evidence.hinted == {Suspect.MODEL, Suspect.PROMPT, Suspect.PARAMETERS, Suspect.CODE}
    assert evidence.ruled_out == {Suspect.JUDGE, Suspect.SET}


def test_a_changed_judge_and_set_are_recorded_as_changed() -> None:
    evidence = recorded_evidence([ChangeKind.MODEL], judge_changed=True, set_changed=True)
    assert evidence.changed == {Suspect.MODEL, Suspect.JUDGE, Suspect.SET}
    assert not evidence.ruled_out & evidence.changed


def test_a_suspect_cannot_be_both_unchanged_and_changed() -> None:
    with pytest.raises(ValueError, match="judge: recorded both as unchanged and as changed"):
        RecordedEvidence(changed=frozenset({Suspect.JUDGE}), ruled_out=frozenset({Suspect.JUDGE}))


def test_names_are_in_one_order() -> None:
    assert hypothesis_name(frozenset({Suspect.JUDGE, Suspect.MODEL})) == "model and judge"
    assert hypothesis_name(NOTHING) == "nothing"
