"""A loop over a store, and the calls that it judges."""

from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any

from monitor.domain.interaction import ChatMessage
from monitor.domain.policy import Policy
from monitor.domain.turn import TurnSignal
from monitor.jobs.turns.turn_loop import TurnLoop
from monitor.store.engine.database import Store
from monitor.store.engine.pagination import PageQuery
from monitor.store.traffic import interactions
from monitor.store.turns import signals
from tests.api.policies import policy
from tests.jobs.turns.simple_judge import SimpleJudge
from tests.store.build import START, HandClock, assistant, interaction, user

TALK = (user("Is 7 prime?"), assistant("No."))


def watching(*, on: bool = True) -> Policy:
    known = policy()
    bot = replace(known.deployments["bot"], turn_signals=on)
    return replace(known, deployments={"bot": bot})


def loop_of(store: Store, clock: HandClock, judge: SimpleJudge | None = None, **options: Any) -> TurnLoop:
    ready = judge or SimpleJudge()
    rules = options.pop("policy", watching())
    return TurnLoop(store=store, policy=rules, clock=clock, judge=lambda calibration: ready, rng=Random(7), **options)


def add(store: Store, name: str, *messages: ChatMessage, minutes: float = 0, **fields: Any) -> None:
    when = START + timedelta(minutes=minutes)
    given = {"deployment": "bot", "started_at": when, "received_at": when, "input_messages": messages}
    with store.write() as tx:
        interactions.insert(tx, [interaction(name, **given | fields)])


def stored(store: Store) -> dict[str, TurnSignal]:
    with store.read() as tx:
        return {each.interaction_id: each for each in signals.page(tx, PageQuery(limit=1000)).items}


def flags(store: Store) -> dict[str, bool]:
    return {name: each.verdict.flagged for name, each in stored(store).items()}


def run(loop: TurnLoop, clock: HandClock, minutes: float = 0, steps: int = 200) -> None:
    """Run the loop until it has caught up."""
    clock.seconds = max(clock.seconds, minutes * 60)
    for _ in range(steps):
        if not loop.step() and not loop._catching_up:
            return
    raise AssertionError("the loop does not end")
