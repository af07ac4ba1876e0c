"""Real answers over real HTTP, in every shape, scored as the record says."""

import asyncio
import gzip
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from monitor.cli.demo.stage import default_data
from replay.recorded.data import RecordedAnswer, RecordedData, RecordedQuestion, load_recorded
from replay.recorded.endpoint import RecordedEndpoint
from replay.run.runner import RunReport
from replay.scorers.table import build_scorer
from replay.targets.table import build_target
from tests.kills.gsm8k import gsm8k_answers
from tests.replay.recorded.test_shapes import SHAPES
from tests.replay.replays import MemorySink, plan, replay

SENSITIVE = Path(__file__).parents[3] / "examples" / "llmdrift" / "sensitive.jsonl.gz"
ASKED = ("chat", "responses", "messages", "application")


def primes() -> RecordedData:
    whole = load_recorded(default_data())
    return RecordedData(questions=whole.questions[:200], snapshots=whole.snapshots)


def sensitive() -> RecordedData:
    """Of each answer the record holds whether it was one; the ids stand for the questions."""
    with gzip.open(SENSITIVE, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    questions = tuple(
        RecordedQuestion(
            id=row["id"],
            question=f"What do you say to {row['id']}?",
            reference="answered",
            category="sensitive",
            answers={
                version: (RecordedAnswer(text="answered" if told else "refused", recorded_on=date(2023, 6, 1)),)
                for version, told in row["answered"].items()
            },
        )
        for row in rows
    )
    return RecordedData(questions=questions, snapshots=tuple(sorted(rows[0]["answered"])))


# What is asked, of which snapshot, by which scorer, and how many answers are right: by the record's own flags, and of
# the first 200 primes by the first "[Yes]" or "[No]" in their text.
SETS: dict[str, tuple[Any, str, str, int]] = {
    "primes": (primes, "gpt-4-0314", "choice", 196),
    "sensitive": (sensitive, "gpt-4-0613", "exact", 5),
    "gsm8k": (gsm8k_answers, "6b_verification", "numeric", 515),
}
OPTIONS = {"choice": {"choices": ["Yes", "No"], "pattern": r"\[({choices})\]"}}


@pytest.mark.parametrize("shape", ASKED)
@pytest.mark.parametrize("name", SETS)
def test_a_replay_of_real_answers_gives_the_recorded_score_in_every_shape(name: str, shape: str) -> None:
    load, snapshot, kind, right = SETS[name]
    data, scorer, sink = load(), build_scorer(kind, OPTIONS.get(kind, {})), MemorySink()
    answered = {q.id: q.answers[snapshot][0].text for q in data.questions}

    async def scenario() -> RunReport:
        endpoint = RecordedEndpoint(data, snapshot=snapshot, model="gpt-4", api_key="sk-recorded")
        async with endpoint.listening() as address:
            target_kind, options = SHAPES[shape](address.removesuffix("/v1"))
            target = build_target(target_kind, {"concurrency": 16, **options})
            try:
                return await replay(
                    plan([q.as_case() for q in data.questions], concurrency=16), target, sink, scorers=[scorer]
                )
            finally:
                await target.aclose()

    report = asyncio.run(scenario())
    assert (report.outcomes, report.tally.scored, report.tally.errors) == (len(data.questions), len(data.questions), {})
    assert {row.outcome.case_id: row.outcome.reply.text for row in sink.rows if row.outcome.reply} == answered
    assert sum(score.value == 1.0 for row in sink.rows for score in row.scores) == right
    assert report.tally.reported["model"] == {snapshot: len(data.questions)}
