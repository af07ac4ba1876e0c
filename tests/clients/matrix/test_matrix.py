"""Live clients of other products in their newest versions against a real daemon: each call once, each field exact.

CLIENT_FAMILIES selects them: empty for those of each change, `all` for the nightly run, or comma-separated names.
"""

import os
import subprocess
from collections.abc import Callable

import pytest

from bench.drift_study.rivals.environment import RivalUnavailableError
from tests.clients.matrix.compare import Comparison, compare
from tests.clients.matrix.declaration import Declaration, Family, families
from tests.clients.matrix.environments import driver
from tests.clients.matrix.runs import FamilyRun, run_family
from tests.clients.matrix.truth import FIELDS

Run = Callable[[Family], FamilyRun]


def chosen() -> list[Family]:
    wanted = os.environ.get("CLIENT_FAMILIES", "")
    if wanted == "all":
        return list(families())
    names = [name for name in wanted.split(",") if name]
    return [family for family in families() if (family.name in names if names else family.declared.per_change)]


CASES = [
    pytest.param(family, scenario, id=f"{family.name}-{scenario}", marks=pytest.mark.xdist_group(family.name))
    for family in chosen()
    for scenario in family.declared.scenarios
]
CHOSEN = [pytest.param(one, id=one.name, marks=pytest.mark.xdist_group(one.name)) for one in chosen()]


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run a family once with all its scenarios. Its tests check the result."""
    done: dict[str, FamilyRun] = {}

    def once(family: Family) -> FamilyRun:
        if family.name not in done:
            try:
                ready = driver(family)
            except (RivalUnavailableError, OSError, subprocess.SubprocessError) as error:
                if os.environ.get("CI"):
                    raise
                pytest.skip(f"{family.name} cannot be installed here: {error}")
            done[family.name] = run_family(family, ready, tmp_path_factory.mktemp(family.name))
        return done[family.name]

    return once


def compared(family: Family, scenario: str, ran: FamilyRun) -> Comparison:
    one = ran.scenarios[scenario]
    named = scenario == "turns" or family.declared.always_in_a_conversation
    turns = one.conversation if named else None
    return compare(family.declared, scenario, one.calls, one.counted, turns, one.was_sent)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("family", "scenario"), CASES)
def test_each_call_is_stored_once_with_every_field_that_is_sent(family: Family, scenario: str, run: Run) -> None:
    one = run(family).scenarios[scenario]
    assert one.exit_code == 0, one.output[-3000:]
    problems = compared(family, scenario, run(family)).problems
    assert not problems, "\n".join(problems)
    if scenario == "feedback":
        [row] = one.counted
        assert [given.linked_interaction_id for given in one.feedback] == [row.id] * len(one.feedback)
        assert one.feedback, "no feedback arrived"


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("family", CHOSEN)
def test_nothing_is_rejected_and_no_declaration_is_unused(family: Family, run: Run) -> None:
    ran = run(family)
    assert ran.exit_code == 0
    rejected = family.declared.dead_letters
    assert [letter.reason for letter in ran.letters if not rejected or rejected not in letter.reason] == []
    assert bool(ran.letters) == bool(rejected)
    used = {id_ for name in ran.scenarios for id_ in compared(family, name, ran).used}
    declared = family.declared
    idle = [one for one in (*declared.not_sent, *declared.different, *declared.not_reported) if id(one) not in used]
    assert not idle, "declared, and nothing of it is seen"


@pytest.mark.parametrize("family", families(), ids=lambda family: family.name)
def test_a_declaration_names_existing_fields_scenarios_and_products(family: Family) -> None:
    declared = family.declared
    assert set(family.versions) == set(declared.products)
    assert {name for one in declared.not_sent for name in one.fields} <= FIELDS.keys()
    assert {one.field for one in declared.different} <= FIELDS.keys()
    assert scenarios_of(declared) <= set(declared.scenarios)


def scenarios_of(declared: Declaration) -> set[str]:
    left_out = [name for one in declared.not_sent for name in one.scenarios]
    changed = [name for one in declared.different for name in one.scenarios]
    return {*left_out, *changed, *(one.scenario for one in declared.not_reported)}
