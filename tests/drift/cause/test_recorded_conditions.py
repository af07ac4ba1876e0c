"""Recorded conditions on both sides of an onset, and what they make of each suspect."""

from dataclasses import replace
from typing import Any

import pytest

from monitor.domain.run import Run
from monitor.domain.version import ChangeKind
from monitor.drift.cause.prior import Suspect
from monitor.drift.cause.recorded_conditions import Conditions, compare_conditions
from tests.drift.builders import change, run

TARGET = {"model": "gpt-4", "temperature": 0.0, "system_prompt_hash": "a78c93", "base_url": "http://one"}


def recorded(night: int, *, reported: str = "gpt-4-0314", judge: str | None = None, **target: Any) -> Run:
    manifest = {
        "target": {**TARGET, **target},
        "reported": {"model": {reported: 100}, "system_fingerprint": {f"fp of {reported}": 100}},
        "judge": judge,
    }
    return run(night, manifest=manifest)


def step(after: Run, *, before: Run | None = None, judge: str = "exact 1", **more: Any) -> Conditions:
    return compare_conditions(
        [before or recorded(1)],
        [after],
        judge_before=frozenset({"exact 1"}),
        judge_after=frozenset({judge}),
        **more,
    )


@pytest.mark.parametrize(
    ("after", "suspect", "observed"),
    [
        (recorded(2, model="gpt-4.1"), Suspect.MODEL, "model: gpt-4 to gpt-4.1"),
        (recorded(2, reported="gpt-4-0613"), Suspect.MODEL, "served model: gpt-4-0314 to gpt-4-0613"),
        (recorded(2, system_prompt_hash="b2"), Suspect.PROMPT, "system prompt hash: a78c93 to b2"),
        (recorded(2, temperature=None), Suspect.PARAMETERS, "temperature: 0.0 to unset"),
    ],
)
def test_a_changed_condition_makes_its_suspect_likely(after: Run, suspect: Suspect, observed: str) -> None:
    found = step(after)
    assert found.evidence.changed == {suspect}
    assert observed in found.differences
    assert Suspect.SET in found.evidence.ruled_out
    assert Suspect.JUDGE in found.evidence.ruled_out


def test_the_same_conditions_rule_out_what_they_record_and_never_the_model() -> None:
    found = step(recorded(2))
    assert found.differences == ()
    assert found.evidence.changed == found.evidence.hinted == frozenset()
    assert found.evidence.ruled_out == {Suspect.PROMPT, Suspect.PARAMETERS, Suspect.JUDGE, Suspect.SET}


def test_another_fingerprint_or_address_is_a_hint() -> None:
    moved = recorded(2, base_url="http://two")
    assert moved.manifest is not None
    moved.manifest["reported"]["system_fingerprint"] = {"fp other": 100}
    assert step(moved).evidence.hinted == {Suspect.MODEL, Suspect.ENVIRONMENT}


def test_another_way_to_ask_an_application_is_a_hint_to_the_environment() -> None:
    moved = step(recorded(2, settings_hash="b2"), before=recorded(1, settings_hash="a1"))
    assert moved.differences == ("settings hash: a1 to b2",)
    assert step(recorded(2), before=recorded(1)).differences == ()


def test_another_scorer_version_is_the_judge_and_another_revision_the_set() -> None:
    found = step(recorded(2), judge="exact 2")
    assert found.evidence.changed == {Suspect.JUDGE}
    assert found.differences == ("judge: exact 1 to exact 2",)
    other = run(2, revision="r2", manifest=recorded(2).manifest)
    assert step(other).evidence.changed == {Suspect.SET}


def test_a_hosted_judge_of_one_version_may_have_moved() -> None:
    before, after = recorded(1, judge="gpt-4o"), recorded(2, judge="gpt-4o")
    assert Suspect.JUDGE not in step(after, before=before).evidence.ruled_out


def test_without_a_manifest_another_version_hints_at_everything_that_makes_one() -> None:
    found = step(run(2, version="B"), before=run(1))
    assert found.evidence.hinted == {Suspect.MODEL, Suspect.PROMPT, Suspect.PARAMETERS, Suspect.CODE}
    assert found.differences == ("version: A to B",)


def test_an_announced_change_of_the_code_is_taken_by_its_word() -> None:
    found = step(recorded(2), changes=[replace(change(2), kind=ChangeKind.CODE)])
    assert found.evidence.changed == {Suspect.CODE}


def test_a_value_from_before_the_onset_is_no_difference() -> None:
    both = run(1, manifest={**(recorded(1).manifest or {}), "reported": {"model": {"a": 3, "b": 2}}})
    one = run(2, manifest={**(recorded(2).manifest or {}), "reported": {"model": {"b": 5}}})
    assert step(one, before=both).differences == ()
