"""Build the parts of ingest from the configuration: deployment rules, version identity, limits and Kafka sources."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from monitor.changes.fingerprint import identity_of
from monitor.clock import Clock
from monitor.config import tree
from monitor.config.feedback_scores import FeedbackScoreConfig
from monitor.domain.feedback import ScoreRule
from monitor.domain.interaction import Interaction
from monitor.ingest.intake import NOT_EARLY, EarlyCommit, Intake
from monitor.ingest.limits import Limits
from monitor.ingest.normalize.deployments import DeploymentRules
from monitor.ingest.normalize.normalizer import Normalizer
from monitor.store.engine.database import Store
from monitor.store.traffic.feedback import RetrySchedule
from monitor.telemetry import Instruments
from replay.machine import this_machine

if TYPE_CHECKING:
    from monitor.ingest.kafka.source import KafkaSource

MIB = 1024 * 1024
# A commit takes as much CPU time as 70 rows, so it may have few when there is nothing else to do. On a second processor
# it runs while further batches are decoded.
QUIET_ROWS, BUSY_ROWS = 100, 400
LAKE_COMMIT_ROWS, LAKE_COMMIT_DELAY_S = 10_000, 2.0  # all processes of a lake commit one after the other


def commit_limits(config: tree.Config) -> tuple[int, float]:
    """Return the most rows of one commit, and the seconds that a row waits for others."""
    section, on_lake = config.ingest, config.store.url is not None
    given = section.model_fields_set
    return (
        LAKE_COMMIT_ROWS if on_lake and "commit_max_rows" not in given else section.commit_max_rows,
        LAKE_COMMIT_DELAY_S if on_lake and "commit_max_delay_ms" not in given else section.commit_max_delay_ms / 1000,
    )


def early_commit(config: tree.Config) -> EarlyCommit:
    """Return when a commit of a file starts early. On a lake it never does, because each commit writes files.

    With a second processor, the next batches are decoded during a commit, so it starts with fewer rows.
    """
    if config.store.url is not None:
        return NOT_EARLY
    return EarlyCommit(quiet=QUIET_ROWS, busy=BUSY_ROWS if this_machine().threads > 1 else None)


def deployment_rules(config: tree.Config) -> DeploymentRules:
    return DeploymentRules(
        by_service={service: name for name, d in config.deployments.items() for service in d.service_names},
        category_attributes={name: d.category_attribute for name, d in config.deployments.items()},
        default_deployment=config.ingest.default_deployment,
        scores={name: _score_rule(section) for name, section in config.ingest.feedback_scores.items()},
    )


def _score_rule(section: FeedbackScoreConfig) -> ScoreRule:
    return ScoreRule(
        low=section.low,
        high=section.high,
        falling=section.better == "lower",
        good_labels=frozenset(section.good_labels),
        bad_labels=frozenset(section.bad_labels),
        source=section.source,
        expected_attribute=section.expected_attribute,
    )


def feedback_retry(config: tree.Config) -> RetrySchedule:
    """Return how long feedback waits for its interaction."""
    return RetrySchedule(given_up_after_s=config.ingest.feedback_wait_days * 86_400)


def limits_of(config: tree.Config) -> Limits:
    section = config.ingest.limits
    return Limits(
        wire_bytes=section.wire_mb * MIB,
        plain_bytes=config.ingest.max_body_mb * MIB,
        records=section.records,
        depth=section.depth,
        attributes=section.attributes,
        value_chars=section.value_kb * 1024,
    )


def kafka_sources(
    config: tree.Config, *, store: Store, intake: Intake, normalizer: Normalizer, clock: Clock, telemetry: Instruments
) -> "list[KafkaSource]":
    """Return one source for each configured cluster, and register its gauges."""
    if not config.ingest.kafka:
        return []
    # Importing kafka-python takes 0.15 s, which most commands do not need.
    from monitor.ingest.kafka.source import KafkaSource

    sources = [
        KafkaSource(
            name,
            section,
            store=store,
            intake=intake,
            normalizer=normalizer,
            clock=clock,
            limits=limits_of(config),
            telemetry=telemetry,
        )
        for name, section in config.ingest.kafka.items()
    ]
    telemetry.observe("driftd.kafka.lag", lambda: [level for source in sources for level in source.lag_values()])
    telemetry.observe("driftd.kafka.stalled", lambda: [source.stalled_value() for source in sources])
    return sources


def identify(config: tree.Config) -> Callable[[str, Interaction], str | None]:
    """Return a function from a deployment and an interaction to the digest of the version; None for an unconfigured
    deployment.
    """

    def digest(deployment: str, item: Interaction) -> str | None:
        section = config.deployments.get(deployment)
        found = section and identity_of(
            section.identity,
            response_model=item.response_model,
            request_model=item.request_model,
            prompt_id=item.prompt_id,
            prompt_version=item.prompt_version,
            prompt_hash=item.prompt_hash,
        )
        return found.digest if found else None

    return digest
