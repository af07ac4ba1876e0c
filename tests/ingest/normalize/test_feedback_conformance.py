"""Captured feedback of real clients, through a real server into a real store, linked to its calls."""

import random
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from monitor.clock import Clock, OffsetClock
from monitor.domain.feedback import Feedback, ScoreRule
from monitor.domain.interaction import Interaction
from monitor.domain.policy import AlertPolicy, Policy
from monitor.ingest.normalize.deployments import DeploymentRules
from monitor.jobs.linking.link_loop import LinkLoop
from monitor.store.engine.pagination import PageQuery
from monitor.store.traffic import feedback
from tests.ingest.capture import Capture
from tests.ingest.feedback_captures import CLIENTS, expected_feedback, feedback_captures
from tests.ingest.pipeline import IngestPipeline, compat_app, ingest_pipeline, normalizer, served

NOBODY = AlertPolicy(for_s=0, repeat_s=0, receivers=(), dashboard_url=None, backoff_s=1, max_pause_s=1)
NOTHING_WATCHED = Policy(deployments={}, sets={}, schedules={}, alerts=NOBODY)
FACTS = ("value", "score", "label", "text", "comment", "expected")


def link_loop(pipeline: IngestPipeline, clock: Clock) -> LinkLoop:
    def nothing(_item: Interaction) -> str | None:
        return None

    return LinkLoop(store=pipeline.store, policy=NOTHING_WATCHED, clock=clock, identify=nothing)


def receive(pipeline: IngestPipeline, requests: Iterable[Capture]) -> None:
    """Send every request and check its answer. Search for links during that time and for some minutes after it.

    The calls are older than a day, and for such a call a new annotation waits a minute.
    """
    links = link_loop(pipeline, pipeline.clock)
    with served(compat_app(pipeline)) as client:
        for request in requests:
            answer = request.send(client)
            assert answer.is_success, f"{request.path}: {answer.text}"
            links.step()
    link_loop(pipeline, OffsetClock(pipeline.clock.now() + timedelta(minutes=5))).step()


def signals(pipeline: IngestPipeline) -> list[Feedback]:
    with pipeline.store.read() as tx:
        return feedback.page(tx, PageQuery(limit=500)).items


def as_truth(item: Feedback) -> dict[str, Any]:
    """Return a row in the format of EXPECTED.json."""
    facts = {name: getattr(item, name) for name in FACTS}
    result = {name: value for name, value in facts.items() if value is not None}
    return {
        "name": item.name,
        "kind": item.kind.value,
        "source": item.source,
        **result,
        **({"is_correction": True} if item.is_correction else {}),
        "linked": item.linked_interaction_id,
        "method": item.link_method,
    }


def check(pipeline: IngestPipeline, client: str) -> None:
    found, truth = [as_truth(item) for item in signals(pipeline)], expected_feedback(client)
    assert sorted(found, key=repr_sorted) == sorted(truth, key=repr_sorted)
    assert pipeline.letters() == []


def repr_sorted(row: dict[str, Any]) -> str:
    return repr(sorted(row.items(), key=lambda pair: pair[0]))


@pytest.mark.parametrize("client", CLIENTS)
def test_every_feedback_of_a_client_is_stored_once_and_linked_to_its_call(client: str, tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        receive(pipeline, feedback_captures(client))
        check(pipeline, client)


@pytest.mark.parametrize("client", CLIENTS)
def test_feedback_sent_twice_changes_nothing(client: str, tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        receive(pipeline, [request for request in feedback_captures(client) for _ in range(2)])
        check(pipeline, client)


@pytest.mark.parametrize("client", CLIENTS)
def test_feedback_before_its_call_is_linked_later(client: str, tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        receive(pipeline, reversed(feedback_captures(client)))
        check(pipeline, client)


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_order_of_calls_and_feedback_does_not_matter(client: str, seed: int, tmp_path: Path) -> None:
    shuffled = [*feedback_captures(client)]
    random.Random(seed).shuffle(shuffled)
    with ingest_pipeline(tmp_path) as pipeline:
        receive(pipeline, shuffled)
        check(pipeline, client)


def test_configured_scales_turn_scores_into_ratings_and_corrections(tmp_path: Path) -> None:
    scores = {
        "csat": ScoreRule(low=1.0, high=5.0, source="user"),
        "toxicity": ScoreRule(low=0.0, high=1.0, falling=True),
        "relevance": ScoreRule(low=0.0, high=5.0),
        "groundedness": ScoreRule(low=0.0, high=1.0, source="reviewer"),
        "correction": ScoreRule(source="user", expected_attribute="app.correction.text"),
    }
    rules = DeploymentRules(default_deployment="fallback", scores=scores)
    with ingest_pipeline(tmp_path, with_normalizer=normalizer(rules=rules)) as pipeline:
        receive(pipeline, feedback_captures("otel-evaluation-events"))
        found = {(item.name, item.score): item for item in signals(pipeline)}
    assert (found["csat", 2.0].kind.value, found["csat", 2.0].value) == ("rating", 0.25)
    assert (found["relevance", 4.0].kind.value, found["relevance", 4.0].value) == ("rating", 0.8)
    assert found["groundedness", 0.2].is_correction, "a judge counts only when it is configured"
    assert not found["relevance", 4.0].is_correction
    correction = found["correction", None]
    assert (correction.kind.value, correction.expected) == ("edit", "Order NW-48213 arrives on 20 November.")
    assert correction.is_correction
