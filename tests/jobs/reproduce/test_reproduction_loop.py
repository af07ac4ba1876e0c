"""Reproductions against the recorded endpoint, over its real target."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from monitor import judge_parts, parts
from monitor.cli.demo.stage import default_data
from monitor.config.policy import to_policy
from monitor.config.tree import Config
from monitor.domain.calendar.pauses import Pause
from monitor.domain.feedback import Candidate, CandidateState
from monitor.domain.reproduction import ReproducedReply, Reproduction
from monitor.domain.run import new_id
from monitor.jobs.replay.run_queue import RunQueue
from monitor.jobs.replay.spending import Spending
from monitor.jobs.reproduce.loop import ReproductionLoop
from monitor.refresh.dynamic_sets import refresh_dynamic_set
from monitor.store.engine.database import Store
from monitor.store.runs import pauses, runs
from monitor.store.sets import candidates, reproductions, revisions, sealed_sets
from replay.recorded.data import load_recorded
from replay.recorded.endpoint import RecordedEndpoint
from tests.jobs.nightly import Clock
from tests.store.build import candidate, user

DATA = load_recorded(default_data())
CHOICE = {"kind": "choice", "choices": ["Yes", "No"], "pattern": r"\[({choices})\]"}
OLD, NEW = "gpt-4-0314", "gpt-4-0613"


def wrong_in(snapshot: str, right_in: str | None = None) -> Any:
    """Return a question that the snapshot answers wrong and, if given, the other one answers right."""

    def right(question: Any, name: str) -> bool:
        return f"[{question.reference.capitalize()}]" in question.answers[name][0].text

    return next(
        q
        for q in DATA.questions
        if f"[{q.reference.capitalize()}]" not in (text := q.answers[snapshot][0].text)
        and "[" in text  # a verdict in the wanted format
        and (right_in is None or right(q, right_in))
    )


class House:
    def __init__(self, folder: Path, endpoint: RecordedEndpoint, url: str, settings: dict[str, Any]) -> None:
        self.folder, self.endpoint, self.clock = folder, endpoint, Clock()
        self.config = Config.model_validate(
            {
                "deployments": {"support": {"target": "m", "sets": ["fixes"], "reproduction": settings}},
                "targets": {"m": {"base_url": url, "model": endpoint.model, "max_attempts": 1, "timeout_s": 5}},
                "sets": {"fixes": {"kind": "dynamic", "scorers": [CHOICE]}},
                "windows": {"peak": {"start": "00:00", "end": "00:00", "timezone": "UTC"}},
                "schedules": {"nightly": {"cron": "0 3 * * *", "deployments": ["support"]}},
            }
        )
        self.start()

    def start(self) -> None:
        self.store = Store.open(self.folder / "driftd.duckdb", clock=self.clock)
        self.policy = to_policy(self.config)
        self.queue = RunQueue({"support": "m"}.get)
        self.loop = self.new_loop()

    def new_loop(self) -> ReproductionLoop:
        return ReproductionLoop(
            store=self.store,
            policy=self.policy,
            clock=self.clock,
            dependencies=parts.replay_dependencies(
                self.config, {}, lambda: None, judge_parts.judges(self.config, self.clock), self.store
            ),
            queue=self.queue,
            spending=Spending(self.store, self.policy, self.clock),
        )

    def restart(self) -> None:
        self.store.close()
        self.start()

    def propose(self, id_: str, question: Any, **fields: Any) -> Candidate:
        given = {
            "messages": (user(question.question),),
            "input_text": question.question,
            "expected": question.reference,
            "bad_output": "wrong",
            "proposed_at": self.clock.now(),
            **fields,
        }
        row = candidate(id_, **given)
        with self.store.write() as tx:
            candidates.insert(tx, [row])
        return row

    def of(self, id_: str) -> Reproduction | None:
        with self.store.read() as tx:
            return reproductions.of_candidates(tx, [id_]).get(id_)

    def done(self, id_: str) -> Reproduction:
        found = self.of(id_)
        assert found is not None
        return found

    def replies(self, id_: str) -> list[ReproducedReply]:
        with self.store.read() as tx:
            return reproductions.replies(tx, self.done(id_).run_id)

    def calls(self) -> int:
        return int(httpx.get(f"{self.endpoint.address}/_calls").json()["total"])


@contextmanager
def opened(folder: Path, **settings: Any) -> Iterator[House]:
    endpoint = RecordedEndpoint(DATA, snapshot=NEW)
    url = endpoint.start()
    house = House(folder, endpoint, url, settings)
    try:
        yield house
    finally:
        house.store.close()
        endpoint.stop()


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with opened(tmp_path) as found:
        yield found


def test_a_failure_of_the_current_version_is_reproduced_with_its_replies(house: House) -> None:
    house.propose("c", wrong_in(NEW))
    assert house.loop.step() == 1
    found = house.done("c")
    assert (found.label, found.failures, found.scored, found.samples) == ("reproduced", 3, 3, 3)
    assert found.low is not None
    assert 0.4 < found.low < 0.5, "Wilson's interval of 3 of 3"
    assert found.target is not None
    assert found.target["model"] == house.endpoint.model
    replies = house.replies("c")
    assert [reply.sample for reply in replies] == [0, 1, 2]
    assert all(reply.output and reply.fails and reply.latency_ms is not None for reply in replies)
    assert house.loop.step() == 0, "once"
    assert house.calls() == 3


def test_a_failure_that_the_current_version_has_repaired_is_not_reproduced_and_stays(house: House) -> None:
    house.propose("c", wrong_in(OLD, right_in=NEW))
    house.loop.step()
    assert house.done("c").label == "not_reproduced"
    with house.store.read() as tx:
        assert candidates.by_ids(tx, ["c"])["c"].state is CandidateState.PROPOSED


def test_without_an_expectation_only_the_same_bad_answer_counts_as_a_failure(house: House) -> None:
    again, other = wrong_in(NEW), wrong_in(OLD, right_in=NEW)
    house.propose("again", again, expected="", bad_output=again.answers[NEW][0].text)
    house.propose("other", other, expected="", bad_output=other.answers[OLD][0].text)
    assert (house.loop.step(), house.loop.step()) == (1, 1)
    assert (house.done("again").label, house.done("other").label) == ("reproduced", "unscored")


def test_an_edited_expectation_is_judged_without_a_call_and_an_edited_question_is_asked(house: House) -> None:
    row = house.propose("c", wrong_in(NEW))
    house.loop.step()
    flipped = "no" if row.expected == "yes" else "yes"
    with house.store.write() as tx:
        candidates.record(tx, [replace(row, expected=flipped, revision=1)], [])
    assert house.loop.step() == 1
    assert (house.done("c").label, house.calls()) == ("not_reproduced", 3)
    other = wrong_in(OLD, right_in=NEW).question
    with house.store.write() as tx:
        candidates.record(tx, [replace(row, edited_messages=(user(other),), revision=2)], [])
    assert house.loop.step() == 1
    assert (house.calls(), len(house.replies("c"))) == (6, 3)


def test_after_a_restart_in_the_middle_only_the_missing_replies_are_asked(tmp_path: Path) -> None:
    with opened(tmp_path, daily_requests=2) as house:
        house.propose("c", wrong_in(NEW))
        assert house.loop.step() == 0
        assert len(house.replies("c")) == 2
        house.clock.instant += timedelta(days=1)
        run_id = house.done("c").run_id
        house.restart()
        assert house.loop.step() == 1
        assert (house.done("c").run_id, house.done("c").label, house.calls()) == (run_id, "reproduced", 3)


def test_a_spent_daily_budget_waits_for_the_next_day_also_after_a_restart(tmp_path: Path) -> None:
    with opened(tmp_path, daily_requests=3) as house:
        house.propose("first", wrong_in(NEW))
        house.clock.instant += timedelta(minutes=1)
        house.propose("newest", wrong_in(NEW), content_hash="other")
        assert (house.loop.step(), house.loop.step()) == (1, 0)
        house.restart()
        assert house.loop.step() == 0
        assert house.of("newest") is not None
        assert (house.of("first"), house.calls()) == (None, 3)
        house.clock.instant += timedelta(days=1)
        assert house.loop.step() == 1
        assert house.done("first").label == "reproduced"


def test_a_target_that_is_down_is_asked_again_later(house: House) -> None:
    house.propose("c", wrong_in(NEW))
    port = int(house.endpoint.address.rsplit(":", 1)[1])
    house.endpoint.stop()
    assert house.loop.step() == 0
    waiting = house.done("c")
    assert (waiting.state, waiting.label) == ("asking", None)
    assert waiting.error
    back = RecordedEndpoint(DATA, snapshot=NEW, port=port)
    back.start()
    try:
        assert house.loop.step() == 0, "ten minutes after the outage at the earliest"
        house.clock.instant += timedelta(minutes=11)
        assert house.loop.step() == 1
        assert house.done("c").label == "reproduced"
    finally:
        back.stop()
        house.endpoint.start()


def test_samples_of_zero_turn_it_off(tmp_path: Path) -> None:
    with opened(tmp_path, samples=0) as house:
        house.propose("c", wrong_in(NEW))
        assert (house.loop.step(), house.of("c")) == (0, None)


def test_a_decided_candidate_is_not_asked(house: House) -> None:
    house.propose("c", wrong_in(NEW), state=CandidateState.REJECTED)
    assert (house.loop.step(), house.calls()) == (0, 0)


def test_a_paused_schedule_of_the_deployment_holds_it_back(house: House) -> None:
    house.propose("c", wrong_in(NEW))
    now = house.clock.now()
    with house.store.write() as tx:
        pauses.insert(tx, Pause(id=new_id("pause", now), schedule="nightly", paused_at=now, paused_by="ann"))
    assert (house.loop.step(), house.calls()) == (0, 0)
    with house.store.write() as tx:
        pauses.resume(tx, "nightly", now, "ann")
    assert house.loop.step() == 1


def test_a_blackout_holds_it_back(house: House) -> None:
    house.propose("c", wrong_in(NEW))
    nightly = replace(house.policy.schedules["nightly"], blackouts=(house.policy.windows["peak"],))
    house.policy = replace(house.policy, schedules={"nightly": nightly})
    assert (house.new_loop().step(), house.calls()) == (0, 0)


def test_a_replay_of_the_same_target_goes_first(house: House) -> None:
    house.propose("c", wrong_in(NEW))
    with house.queue.reserved("support") as free:
        assert free
        assert house.loop.step() == 0
    assert house.loop.step() == 1


def test_its_traces_are_known_as_echoes(house: House) -> None:
    house.propose("c", wrong_in(NEW))
    house.loop.step()
    with house.store.read() as tx:
        prefixes = runs.active_trace_prefixes(tx, house.clock.now() - timedelta(days=1))
    assert prefixes == {house.done("c").trace_prefix: house.done("c").run_id}


def test_a_stop_leaves_the_rest_for_the_next_start(house: House) -> None:
    house.propose("c", wrong_in(NEW))
    house.queue.stopping.set()
    assert (house.loop.step(), house.calls()) == (0, 0)


def test_an_accepted_case_has_the_label_of_its_reproduction(house: House) -> None:
    row = house.propose("c", wrong_in(OLD, right_in=NEW))
    house.loop.step()
    fixes, now = house.policy.sets["fixes"], house.clock.now()
    with house.store.write() as tx:
        candidates.record(tx, [replace(row, state=CandidateState.ACCEPTED, revision=1)], [])
        refresh_dynamic_set(tx, deployment="support", eval_set=fixes, now=now)
        revision = revisions.current(tx, "fixes")
        assert revision is not None
        (case,) = sealed_sets.read_cases(tx, "fixes", revision.revision, None)
    assert case.tags == ("reproduction:not_reproduced",)
