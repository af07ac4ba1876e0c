"""A short seeded version of `bench/kills.py`: SIGKILL during ingest and during a replay."""

from pathlib import Path

import pytest

from tests.kills.alert_kills import alert_kills
from tests.kills.commit_delay import commit_delays
from tests.kills.compaction_kills import compaction_kills
from tests.kills.gsm8k import gsm8k_answers
from tests.kills.ingest_kills import ingest_kills
from tests.kills.replay_kills import Recording, Size, replay_kills
from tests.properties import examples

pytestmark = [pytest.mark.xdist_group("kills"), pytest.mark.timeout(600)]
KILLS = examples(12)


def test_what_was_acknowledged_survives_kills_and_nothing_is_there_twice(tmp_path: Path) -> None:
    verdict = ingest_kills(tmp_path, kills=KILLS, seed=7)
    assert verdict.holds, verdict
    assert verdict.batches > 0
    assert verdict.sent_again > 0


def test_a_kill_in_a_compaction_leaves_the_old_file_or_the_new_one_complete(tmp_path: Path) -> None:
    verdict = compaction_kills(tmp_path, kills=3, seed=7, stored=20_000)
    assert verdict.holds, verdict
    assert verdict.in_the_middle > 0, verdict
    assert verdict.ingest.batches > 0


def test_a_killed_replay_completes_and_asks_again_only_what_was_not_committed(tmp_path: Path) -> None:
    finished = replay_kills(tmp_path, kills=KILLS, seed=7, size=Size())
    assert [run for run in finished if not run.holds] == []
    assert sum(run.kills for run in finished) == KILLS


@pytest.mark.parametrize("version", ["175b_finetuning", "175b_verification", "6b_finetuning", "6b_verification"])
def test_a_killed_replay_of_all_gsm8k_problems_stores_each_once(tmp_path: Path, version: str) -> None:
    answers = gsm8k_answers()
    size = Size(cases=len(answers.questions), concurrency=16, latency_scale=0.0)
    recording = Recording(data=answers, snapshot=version, scorer="numeric")
    finished = replay_kills(tmp_path, kills=2, seed=len(version), size=size, of=recording)
    assert [run for run in finished if not run.holds] == []
    assert {run.outcomes for run in finished} == {1319}


def test_every_firing_and_every_resolution_is_delivered_over_kills(tmp_path: Path) -> None:
    """Duplicates of so few deliveries say nothing: `bench/kills.py --only alerts` measures their share."""
    delivered = alert_kills(tmp_path, kills=examples(20), seed=7)
    assert delivered.alerts > 0
    assert (delivered.firings_lost, delivered.resolutions_lost, delivered.actions_lost) == (0, 0, 0), delivered
    assert delivered.same_meaning == 0, delivered


def test_an_answer_is_committed_within_a_tenth_of_a_second(tmp_path: Path) -> None:
    """The measured time includes two HTTP requests of the observer, on a machine with other load."""
    delays = commit_delays(tmp_path)
    assert delays.median_ms < 100 + 200, delays
