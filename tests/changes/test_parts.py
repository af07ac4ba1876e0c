import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from monitor.changes.fingerprint import Identity, identity_of
from monitor.changes.parts import Part, parts_of
from replay.types import Outcome, Reply
from tests.changes.build import POLICY

START = datetime(2026, 11, 21, 2, tzinfo=UTC)


def who(model: str | None) -> Identity | None:
    return identity_of(("response_model", "prompt"), response_model=model)


def replies(*said: tuple[str | None, str | None] | None) -> list[Outcome]:
    """Outcomes in the order in which they began: model and fingerprint, None for a failure."""
    return [
        Outcome(
            case_id=f"c{place}",
            sample=0,
            started_at=START + timedelta(seconds=place),
            attempts=1,
            trace_id="t",
            reply=None
            if reported is None
            else Reply(text="", latency_ms=1.0, model=reported[0], system_fingerprint=reported[1]),
            error_class="timeout" if reported is None else None,
        )
        for place, reported in enumerate(said)
    ]


def split(outcomes: Sequence[Outcome]) -> list[Part]:
    return parts_of(outcomes, who, POLICY)


def cases(part: Part) -> list[int]:
    return [int(outcome.case_id[1:]) for outcome in part.outcomes]


def test_a_run_of_one_version_is_one_part() -> None:
    [part] = split(replies(*[("a", "f")] * 30, None, (None, None)))
    assert (part.replies, part.cases, part.models) == (31, 32, {"a": 30})


def test_a_model_that_changed_in_the_middle_divides_the_run_there() -> None:
    before, after = split(replies(*[("a", None)] * 12, *[("b", None)] * 18))
    assert (cases(before), cases(after)) == (list(range(12)), list(range(12, 30)))
    assert [part.identity and part.identity.label for part in (before, after)] == ["a", "b"]


def test_versions_that_took_turns_are_separated_as_well() -> None:
    one, other = split(replies(*[("a", None), ("b", None)] * 15))
    assert (cases(one), cases(other)) == (list(range(0, 30, 2)), list(range(1, 30, 2)))


def test_one_stray_reply_is_not_counted_with_the_others() -> None:
    one, stray = split(replies(*[("a", None)] * 30, ("b", None), *[("a", None)] * 5))
    assert (one.replies, cases(stray)) == (35, [30])


def test_a_fingerprint_that_shifted_for_good_divides_a_version() -> None:
    before, after = split(replies(*[("a", "f")] * 40, *[("a", "g")] * 40))
    assert (cases(before)[-1], cases(after)[0]) == (39, 40)
    assert before.shift is None
    assert after.shift is not None
    assert (after.shift["fingerprints_before"], after.shift["fingerprints"]) == ({"f": 40}, {"g": 40})


def test_backends_that_take_turns_are_one_version() -> None:
    rng = random.Random(7)
    assert len(split(replies(*[("a", rng.choice("fgh")) for _ in range(200)]))) == 1


def test_a_fingerprint_with_few_replies_is_too_early_to_decide() -> None:
    assert len(split(replies(*[("a", "f")] * 60, *[("a", "g")] * 10))) == 1


def test_failures_go_with_what_answered_before_them() -> None:
    before, after = split(replies(None, *[("a", None)] * 5, None, *[("b", None)] * 5, None, (None, None)))
    assert cases(before) == [0, 1, 2, 3, 4, 5, 6]
    assert cases(after) == [7, 8, 9, 10, 11, 12, 13]


def test_a_run_without_replies_is_one_part_without_a_version() -> None:
    [part] = split(replies(None, (None, "f"), None))
    assert (part.identity, part.cases) == (None, 3)
    assert split([]) == []


@given(
    st.lists(
        st.none() | st.tuples(st.sampled_from([None, "a", "b", "c"]), st.sampled_from([None, "f", "g"])), max_size=80
    )
)
def test_every_outcome_is_in_one_part_of_one_version(said: list[tuple[str | None, str | None] | None]) -> None:
    parts = split(replies(*said))
    assert sorted(place for part in parts for place in cases(part)) == list(range(len(said)))
    for part in parts:
        assert len(part.models) <= 1
    assert [part.began_at for part in parts] == sorted(part.began_at for part in parts)
