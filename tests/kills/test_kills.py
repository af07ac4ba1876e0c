"""A seeded slice of what `bench/kills.py` does in full: kill -9 in the middle of ingest and of a replay."""

from pathlib import Path

import pytest

from tests.kills.commit_delay import commit_delays
from tests.kills.ingest_kills import ingest_kills
from tests.kills.replay_kills import Size, replay_kills

pytestmark = [pytest.mark.xdist_group("kills"), pytest.mark.timeout(600)]
KILLS = 5


def test_what_was_acknowledged_survives_kills_and_nothing_is_there_twice(tmp_path: Path) -> None:
    verdict = ingest_kills(tmp_path, kills=KILLS, seed=7)
    assert verdict.holds, verdict
    assert verdict.batches > 0
    assert verdict.sent_again > 0


def test_a_killed_replay_completes_and_asks_again_only_what_was_not_committed(tmp_path: Path) -> None:
    finished = replay_kills(tmp_path, kills=KILLS, seed=7, size=Size())
    assert [run for run in finished if not run.holds] == []
    assert sum(run.kills for run in finished) == KILLS


def test_an_answer_is_committed_within_a_tenth_of_a_second(tmp_path: Path) -> None:
    """And the time that two HTTP requests of the observer take, on a machine that does other things as well."""
    delays = commit_delays(tmp_path, seed=7)
    assert delays.median_ms < 100 + 200, delays
