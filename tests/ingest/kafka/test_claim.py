"""The decision whether a source may read in a group, without a broker."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from monitor.ingest.kafka.group_claim import Claim, Rivals, read_claim

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
OURS = Claim(instance="b", database="our file", host="two", since=NOON, every_s=10.0)
OTHER = Claim(instance="a", database="their file", host="one", since=NOON - timedelta(days=9), every_s=10.0)
CLAIMS = st.builds(
    Claim,
    instance=st.text(max_size=20),
    database=st.text(max_size=40),
    host=st.text(max_size=64),
    since=st.datetimes(timezones=st.just(UTC)),
    every_s=st.floats(min_value=0.1, max_value=3600),
    beat=st.integers(min_value=0, max_value=2**63),
    left=st.booleans(),
)


@given(CLAIMS)
def test_a_claim_survives_encoding_and_fits_a_committed_offset(claim: Claim) -> None:
    assert read_claim(claim.text()) == claim
    assert len(claim.text().encode()) < 4096


@given(st.text() | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(str))
def test_metadata_of_other_programs_is_not_a_claim(metadata: str) -> None:
    assert read_claim(metadata) is None


def test_a_claim_is_shown_without_control_characters() -> None:
    assert str(replace(OTHER, host="one\x1b[31m")) == r"driftd on one\x1b[31m, started 2026-11-13 12:00:00 UTC"


def test_a_reader_waits_until_another_claim_is_known_to_be_alive_or_not() -> None:
    rivals = Rivals(OURS)
    waiting = rivals.blocks([OTHER], 100.0)
    assert waiting is not None
    assert not waiting.alive
    still = rivals.blocks([OTHER], 100.0 + OTHER.silent_after_s)
    assert still is not None
    assert rivals.blocks([OTHER], 100.1 + OTHER.silent_after_s) is None

    rivals = Rivals(OURS)
    rivals.blocks([OTHER], 100.0)
    beating = rivals.blocks([replace(OTHER, beat=1)], 110.0)
    assert beating is not None
    assert (beating.by.instance, beating.alive) == ("a", True)
    assert rivals.blocks([replace(OTHER, beat=1)], 110.1 + OTHER.silent_after_s) is None


def test_a_claim_that_has_left_or_is_our_own_blocks_nothing() -> None:
    assert Rivals(OURS).blocks([replace(OTHER, left=True), OURS], 0.0) is None


def test_the_claim_of_a_killed_daemon_of_the_same_database_blocks_nothing_unless_it_beats() -> None:
    """A copy of the database has the same id, so only the beat of its reader reveals it."""
    rivals, former = Rivals(OURS), replace(OTHER, database=OURS.database)
    assert rivals.blocks([former], 0.0) is None
    assert rivals.blocks([replace(former, beat=1)], 1.0) is not None


@given(st.permutations([OTHER, OURS, replace(OTHER, instance="c", since=NOON + timedelta(hours=1))]))
def test_of_several_readers_only_the_oldest_continues(claims: list[Claim]) -> None:
    """Each reader sees the claims of the others on partitions that had its own."""
    giving_way = []
    for own in claims:
        other = Rivals(own).overwritten_by(claims, 0.0)
        assert other is not None
        if other.is_older_than(own):
            giving_way.append(own.instance)
    assert sorted(giving_way) == ["b", "c"]


def test_the_continuing_reader_is_known_to_be_alive() -> None:
    rivals = Rivals(OURS)
    former = replace(OTHER, database=OURS.database)
    assert rivals.overwritten_by([former], 0.0) == former
    blocked = rivals.blocks([former], 1.0)
    assert blocked is not None
    assert blocked.alive
