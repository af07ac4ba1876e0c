"""Turns of conversations are judged once per version, new ones first, and nothing else is."""

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from monitor.domain.interaction import ChatMessage, ContentState, FinishReason, Origin, Status
from monitor.domain.turn import SignalCode, TurnCalibration
from monitor.jobs.turns.turn_loop import TurnLoop
from monitor.store.engine.database import Store
from monitor.store.maintenance.erase_user import erase_user
from monitor.store.traffic import feedback
from monitor.store.turns import calibrations, progress
from monitor.telemetry.instruments import Telemetry
from tests.jobs.turns.simple_judge import SimpleJudge
from tests.jobs.turns.talks import TALK, add, flags, loop_of, run, stored, watching
from tests.store.build import START, HandClock, assistant, user
from tests.store.build import feedback as event


def test_a_turn_after_an_answer_is_judged_once(store: Store, clock: HandClock) -> None:
    judge = SimpleJudge()
    loop = loop_of(store, clock, judge)
    run(loop, clock)
    add(store, "turn", *TALK, user("That is wrong"), minutes=1)
    clock.seconds = 90
    assert [loop.step(), loop.step(), loop.step()] == [1, 0, 0]
    run(loop_of(store, clock, judge), clock, 30)
    assert (flags(store), len(judge.seen)) == ({"turn": True}, 1)


@pytest.mark.parametrize(
    ("messages", "fields"),
    [
        ((user("Is 7 prime?"),), {}),
        ((user("Is 7 prime?"),), {"conversation_id": "first"}),
        ((*TALK, user("wrong")), {"origin": Origin.REPLAY}),
        ((*TALK, user("wrong")), {"origin": Origin.SEALED_MATCH}),
        ((*TALK, user("wrong")), {"duplicate_of": "other"}),
        ((*TALK, user("wrong")), {"deployment": "unknown"}),
        ((*TALK, user("wrong")), {"content_state": ContentState.ABSENT}),
        ((*TALK, user(" \n")), {}),
        ((user("wrong"), assistant("I look."), ChatMessage(role="tool", content="7")), {}),
        ((), {}),
    ],
    ids=["first", "first of its id", "replay", "sealed", "duplicate", "other", "absent", "blank", "tool step", "empty"],
)
def test_what_is_no_turn_of_production_is_not_judged(
    store: Store, clock: HandClock, messages: tuple[ChatMessage, ...], fields: dict[str, Any]
) -> None:
    add(store, "call", *messages, **fields)
    run(loop_of(store, clock), clock, 1)
    assert stored(store) == {}


def test_a_call_that_sends_no_history_is_linked_through_its_conversation(store: Store, clock: HandClock) -> None:
    add(store, "answer", user("Is 7 prime?"), conversation_id="c", output_messages=(assistant("No."),))
    add(store, "tool", user("7?"), conversation_id="c", minutes=1, finish_reason=FinishReason.TOOL_CALLS)
    add(store, "failed", user("7?"), conversation_id="c", minutes=2, status=Status.ERROR)
    add(store, "strange", user("Hello"), conversation_id="d", minutes=2)
    add(store, "turn", user("That is wrong"), conversation_id="c", minutes=3)
    run(loop_of(store, clock), clock, 4)
    found = stored(store)
    assert {name: one.answer_id for name, one in found.items()} == {
        "tool": "answer",
        "failed": "answer",
        "turn": "answer",
    }


def test_without_a_conversation_the_answer_is_searched_among_those_of_the_user(store: Store, clock: HandClock) -> None:
    for name in ("anna", "ben"):
        add(store, f"of-{name}", user("Is 7 prime?"), user_id=name, output_messages=(assistant("No."),))
    add(store, "turn", *TALK, user("wrong"), user_id="ben", minutes=3)
    add(store, "nameless", *TALK, user("wrong"), minutes=3)
    run(loop_of(store, clock), clock, 4)
    assert {name: one.answer_id for name, one in stored(store).items()} == {"turn": "of-ben", "nameless": None}


def test_an_explicit_correction_of_the_answer_is_the_event_of_the_turn(store: Store, clock: HandClock) -> None:
    given: dict[str, Any] = {"conversation_id": "c", "output_messages": (assistant("No."),)}
    for name, kind in (("edited", "edit"), ("disliked", "thumb"), ("liked", "thumb")):
        add(store, name, user("Is 7 prime?"), **given | {"conversation_id": name})
        add(store, f"turn-{name}", user("thanks"), conversation_id=name, minutes=1)
        with store.write() as tx:
            signal = event(f"f-{name}", linked_interaction_id=name, is_correction=name != "liked", deployment="bot")
            feedback.insert(tx, [replace(signal, kind=type(signal.kind)(kind))])
    run(loop_of(store, clock), clock, 2)
    codes = {name: one.verdict.code for name, one in stored(store).items()}
    assert codes == {
        "turn-edited": SignalCode.EDITED,
        "turn-disliked": SignalCode.REJECTED,
        "turn-liked": SignalCode.FOLLOWUP,
    }


def test_an_answer_that_arrives_after_its_turn_is_found_within_ten_minutes(store: Store, clock: HandClock) -> None:
    loop = loop_of(store, clock)
    run(loop, clock)
    add(store, "turn", user("That is wrong"), conversation_id="c", minutes=2)
    run(loop, clock, 3)
    assert stored(store) == {}
    early = {"started_at": START + timedelta(minutes=1)}
    add(store, "answer", user("Is 7 prime?"), conversation_id="c", minutes=4, **early)
    run(loop, clock, 5)
    assert stored(store)["turn"].answer_id == "answer"


def test_stored_turns_are_judged_in_batches_the_newest_first_up_to_sixty_days(store: Store, clock: HandClock) -> None:
    for day in (1, 2, 59, 61):
        add(store, f"day-{day}", *TALK, user("wrong"), minutes=-day * 1440)
    loop = loop_of(store, clock, batch=1)
    seen = []
    for _ in range(200):
        assert loop.step() == 0, "the catch-up is no new work"
        seen.append(len(stored(store)))
        if not loop._catching_up:
            break
    assert max(b - a for a, b in pairwise(seen)) == 1
    assert set(stored(store)) == {"day-1", "day-2", "day-59"}


def test_new_turns_come_before_stored_ones(store: Store, clock: HandClock) -> None:
    add(store, "old", *TALK, user("wrong"), minutes=-3000)
    loop = loop_of(store, clock, batch=1)
    add(store, "new", *TALK, user("wrong"), minutes=1)
    clock.seconds = 120
    assert loop.step() == 1
    assert set(stored(store)) == {"new"}


def test_another_version_judges_every_turn_again_and_its_verdict_replaces_the_older_one(
    store: Store, clock: HandClock
) -> None:
    for n in range(5):
        add(store, f"turn-{n}", *TALK, user("wrong"), minutes=-n)
    run(loop_of(store, clock), clock, 1)
    before = stored(store)
    second = SimpleJudge("simple-2")
    run(loop_of(store, clock, second, batch=2), clock, 2)
    after = stored(store)
    assert {one.id for one in after.values()} == {one.id for one in before.values()}
    assert {one.verdict.version for one in after.values()} == {"simple-2"}
    assert len(second.seen) == 5


def test_each_version_has_its_own_progress_and_a_restart_keeps_it(store: Store, clock: HandClock) -> None:
    add(store, "old", *TALK, user("wrong"), minutes=-3000)
    run(loop_of(store, clock), clock, 1)
    with store.read() as tx:
        first = progress.get(tx, "bot")
    assert first is not None
    assert (first.version, first.since, first.until) == (
        "simple-1",
        clock.now() - timedelta(days=60),
        first.began_at,
    )
    run(loop_of(store, clock), clock, 2)
    run(loop_of(store, clock, SimpleJudge("simple-2")), clock, 3)
    with store.read() as tx:
        newest, again = progress.get(tx, "bot"), progress.get(tx, "bot", "simple-1")
    assert newest is not None
    assert again is not None
    assert (newest.version, again.seed, again.since) == ("simple-2", first.seed, first.since)
    assert newest.seed != first.seed or newest.version != first.version


def test_a_deployment_can_switch_it_off_and_then_no_detector_is_loaded(store: Store, clock: HandClock) -> None:
    add(store, "turn", *TALK, user("wrong"))

    def load(calibration: object) -> SimpleJudge:
        raise AssertionError("loaded")

    loop = TurnLoop(store=store, policy=watching(on=False), clock=clock, judge=load)
    assert loop.step() == 0


def test_a_call_that_is_erased_while_its_turn_is_judged_leaves_no_quote(store: Store, clock: HandClock) -> None:
    add(store, "turn", *TALK, user("wrong, I am Anna"), user_id="anna")

    class Erasing(SimpleJudge):
        def judge(self, turn: Any) -> Any:
            with store.write() as tx:
                erase_user(tx, "anna", START)
            return super().judge(turn)

    run(loop_of(store, clock, Erasing()), clock, 1)
    assert stored(store) == {}


def test_the_turns_are_counted_by_their_verdict(store: Store, clock: HandClock) -> None:
    add(store, "a", *TALK, user("wrong"))
    add(store, "b", *TALK, user("thanks"))
    telemetry = Telemetry()
    run(loop_of(store, clock, telemetry=telemetry), clock, 1)
    text = telemetry.exposition().decode()
    assert 'driftd_turns_total{deployment="bot",result="correction"} 1.0' in text
    assert 'driftd_turns_total{deployment="bot",result="other"} 1.0' in text


def test_times_are_those_of_the_call(store: Store, clock: HandClock) -> None:
    add(store, "turn", *TALK, user("wrong"), minutes=1)
    run(loop_of(store, clock), clock, 5)
    found = stored(store)["turn"]
    assert (found.at, found.judged_at) == (START + timedelta(minutes=1), datetime.fromisoformat("2026-11-21T02:05:00Z"))


def test_the_shipped_detector_flags_a_rejection_and_names_its_answer(store: Store, clock: HandClock) -> None:
    asked = user("What is the capital of Australia?")
    add(store, "answer", asked, user_id="anna", output_messages=(assistant("The capital is Sydney."),))
    said = "No, that is wrong. The capital is Canberra."
    add(store, "turn", asked, assistant("The capital is Sydney."), user(said), user_id="anna", minutes=1)
    add(store, "other", asked, assistant("It is Canberra."), user("Great, thank you!"), minutes=1)
    clock.seconds = 120
    loop = TurnLoop(store=store, policy=watching(), clock=clock, rng=Random(7))
    assert loop.step() == 2
    assert flags(store) == {"turn": True, "other": False}
    assert stored(store)["turn"].answer_id == "answer"
    assert stored(store)["turn"].verdict.evidence


def test_a_calibration_of_a_deployment_is_a_new_version_for_it(store: Store, clock: HandClock) -> None:
    add(store, "turn", *TALK, user("No, that is wrong."))
    loop = TurnLoop(store=store, policy=watching(), clock=clock, rng=Random(7))
    run(loop, clock, 1)
    first = stored(store)["turn"].verdict
    strict = TurnCalibration(
        deployment="bot", at=START, who="ann", slope=1.0, intercept=-9.0, threshold=0.9, reviews=40
    )
    with store.write() as tx:
        calibrations.insert(tx, strict)
        calibrations.insert(tx, replace(strict, deployment="other", intercept=9.0))
    run(loop, clock, 2)
    second = stored(store)["turn"].verdict
    assert (first.flagged, second.flagged) == (True, False)
    assert first.version != second.version


def test_the_detector_is_loaded_when_there_are_calls_to_judge(store: Store, clock: HandClock) -> None:
    """A replay of a new store must not wait for it."""
    loaded: list[TurnCalibration | None] = []

    def judge(calibration: TurnCalibration | None) -> SimpleJudge:
        loaded.append(calibration)
        return SimpleJudge()

    loop = TurnLoop(store=store, policy=watching(), clock=clock, judge=judge, rng=Random(7))
    run(loop, clock)
    assert loaded == []
    add(store, "a", *TALK, user("No, it is prime."))
    run(loop, clock, minutes=1)
    assert (loaded, set(stored(store))) == ([None], {"a"})
