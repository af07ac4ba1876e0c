"""Checks Kafka sources: asks the daemon that reads them, or else each cluster. It reads no records."""

from monitor.api.schema import StatusItem
from monitor.cli.checks.line import Line, fail, ok, warn
from monitor.cli.connection.client import Api
from monitor.config.kafka import KafkaConfig
from monitor.config.tree import Config
from monitor.errors import DriftdError


def check_kafka(config: Config, api: Api | None) -> list[Line]:
    if not config.ingest.kafka:
        return []
    if api is None:
        return [_cluster(f"kafka {name}", section) for name, section in config.ingest.kafka.items()]
    try:
        states = api.get("/api/v1/status", StatusItem).loops
    except DriftdError as error:
        return [warn("kafka", f"the daemon does not report its sources: {error}")]
    return [of_daemon(name, states.get(f"kafka-{name}")) for name in config.ingest.kafka]


def of_daemon(name: str, state: str | None) -> Line:
    """Return the line of a source; `state` is its state in the daemon, None if the daemon has no such source."""
    check = f"kafka {name}"
    if state is None:
        return fail(check, "the daemon runs without this source; restart it with this configuration")
    if state.startswith(("stopped", "crashed")):
        return fail(check, state)
    return (
        ok(check, f"state in the daemon: {state}")
        if state == "reading"
        else warn(check, f"state in the daemon: {state}")
    )


def _cluster(check: str, section: KafkaConfig) -> Line:
    from kafka.errors import KafkaError  # slow to import (0.15 s)

    from monitor.ingest.kafka.client import open_admin, why
    from monitor.ingest.kafka.cluster import describe_cluster

    servers = ", ".join(section.bootstrap_servers)
    try:
        admin = open_admin(section)
        try:
            cluster = describe_cluster(admin, section.topics)
        finally:
            admin.close()
    except KafkaError as error:
        return fail(check, f"{servers} cannot be reached: {why(error)}; check bootstrap_servers and the credentials")
    except DriftdError as error:
        return fail(check, str(error))
    if cluster.missing:
        return fail(
            check, f"cluster {cluster.id} has no topic {', '.join(cluster.missing)}; create it, or correct its name"
        )
    count = len(cluster.partitions) + len(cluster.offline)
    if cluster.offline:
        return warn(check, f"{len(cluster.offline)} of {count} partitions have no leader and cannot be read now")
    return ok(check, f"cluster {cluster.id} has all {len(section.topics)} topics, {count} partitions")
