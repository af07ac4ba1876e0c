"""Feedback and its interaction, in any order of arrival."""

import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from monitor.domain.feedback import Feedback, Link, LinkMethod
from monitor.domain.interaction import Interaction
from monitor.domain.policy import AlertPolicy, Policy
from monitor.jobs.linking.link_loop import LinkLoop
from monitor.store.engine.database import Store
from monitor.store.engine.pagination import PageQuery
from monitor.store.traffic import feedback as signals
from monitor.store.traffic import interactions
from monitor.store.traffic.feedback import RetrySchedule
from tests.store.build import feedback, interaction

T0 = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)
NO_RECEIVERS = AlertPolicy(for_s=0, repeat_s=0, receivers=(), dashboard_url=None, backoff_s=1, max_pause_s=1)
NO_DEPLOYMENTS = Policy(deployments={}, sets={}, schedules={}, alerts=NO_RECEIVERS)
DAY = RetrySchedule(first_s=2.0, longest_s=600.0, given_up_after_s=86_400.0)


class HandClock:
    """A clock that tests set by hand."""

    def __init__(self) -> None:
        self.at = T0

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return (self.at - T0).total_seconds()

    def forward(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


class Bench:
    """A store, the loop and their clock."""

    def __init__(self, store: Store, clock: HandClock) -> None:
        self.store, self.clock = store, clock
        self.loop = self.restarted()

    def restarted(self) -> LinkLoop:
        def nothing(_item: Interaction) -> str | None:
            return None

        self.loop = LinkLoop(store=self.store, policy=NO_DEPLOYMENTS, clock=self.clock, identify=nothing, patience=DAY)
        return self.loop

    def sent(self, *rows: Feedback) -> None:
        with self.store.write() as tx:
            signals.insert(tx, rows)

    def called(self, *rows: Interaction) -> None:
        with self.store.write() as tx:
            interactions.insert(tx, rows)

    def links(self) -> dict[str, str | None]:
        with self.store.read() as tx:
            return {item.id: item.linked_interaction_id for item in signals.page(tx, PageQuery()).items}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    clock = HandClock()
    store = Store.open(tmp_path / "driftd.duckdb", clock=clock)
    yield Bench(store, clock)
    store.close()


def test_feedback_before_its_call_is_linked_when_the_call_has_come(bench: Bench) -> None:
    bench.sent(feedback("f", at=T0, received_at=T0, response_id="r"))
    assert bench.loop.step() == 0
    bench.called(interaction("i", response_id="r", started_at=T0, received_at=T0))
    bench.clock.forward(4)
    assert bench.loop.step() == 1
    assert bench.links() == {"f": "i"}


def test_what_waits_is_not_looked_for_at_every_step(bench: Bench) -> None:
    bench.sent(feedback("f", at=T0, received_at=T0, response_id="r"))
    bench.clock.forward(300)
    bench.loop.step()
    bench.called(interaction("i", response_id="r", started_at=T0, received_at=T0))
    bench.clock.forward(2)
    assert bench.loop.step() == 0, "its pause is as long as it is old"
    assert bench.restarted().step() == 1, "a restart looks for everything"


def test_a_later_answer_of_the_trace_takes_the_link_of_an_earlier_one(bench: Bench) -> None:
    bench.sent(feedback("f", at=T0, received_at=T0, trace_id="t"))
    bench.called(interaction("first", trace_id="t", started_at=T0, received_at=T0))
    assert bench.loop.step() == 1
    bench.called(interaction("last", trace_id="t", started_at=T0 + timedelta(seconds=1), received_at=T0))
    bench.clock.forward(4)
    assert bench.loop.step() == 1
    assert bench.links() == {"f": "last"}
    bench.clock.forward(8)
    assert bench.loop.step() == 0, "what is written down already is not written again"


def test_a_link_moves_to_the_report_that_is_kept(bench: Bench) -> None:
    bench.sent(feedback("f", at=T0, received_at=T0, response_id="r"))
    bench.called(
        interaction("kept", started_at=T0, received_at=T0),
        interaction("second", started_at=T0, received_at=T0, duplicate_of="kept"),
    )
    with bench.store.write() as tx:  # as it was before the second report was known for one
        signals.set_links(tx, [Link(feedback_id="f", interaction_id="second", method=LinkMethod.RESPONSE_ID)])
    assert bench.loop.step() >= 1
    assert bench.links() == {"f": "kept"}


def test_feedback_that_waited_too_long_is_given_up_and_said_once(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    bench.sent(feedback("f", at=T0, received_at=T0, response_id="r"))
    bench.loop.step()
    bench.clock.forward(DAY.given_up_after_s + 1)
    with caplog.at_level(logging.WARNING, logger="monitor.jobs.linking.link_loop"):
        bench.loop.step()
        bench.loop.step()
    [sent] = [record.getMessage() for record in caplog.records]
    assert sent.startswith("1 more feedback records found no interaction within 1 days")
    bench.called(interaction("i", response_id="r", started_at=T0, received_at=T0))
    assert bench.loop.step() == 0
    assert bench.links() == {"f": None}
