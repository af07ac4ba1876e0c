"""The Kafka sources: asked of the daemon that reads them, else each cluster is looked at and nothing is read."""

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
        return [warn("kafka", f"the daemon does not say how its sources are: {error}")]
    return [of_daemon(name, states.get(f"kafka-{name}")) for name in config.ingest.kafka]


def of_daemon(name: str, state: str | None) -> Line:
    """`state` is what the daemon says of the source, None when it has none of that name."""
    check = f"kafka {name}"
    if state is None:
        return fail(check, "the daemon runs without this source; restart it with this configuration")
    if state.startswith(("stopped", "crashed")):
        return fail(check, state)
    return ok(check, f"the daemon says: {state}") if state == "reading" else warn(check, f"the daemon says: {state}")


def _cluster(check: str, section: KafkaConfig) -> Line:
    from kafka.errors import KafkaError  # kafka-python takes 0.15 s to read: not for every check

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
        return fail(check, f"{servers} cannot be asked: {why(error)}; is bootstrap_servers right, and the login?")
    except DriftdError as error:
        return fail(check, str(error))
    if cluster.missing:
        return fail(
            check, f"cluster {cluster.id} has no topic {', '.join(cluster.missing)}; create it, or correct its name"
        )
    count = len(cluster.partitions) + len(cluster.offline)
    if cluster.offline:
        return warn(check, f"{len(cluster.offline)} of {count} partitions have no leader: nobody can read them now")
    return ok(check, f"cluster {cluster.id} has all {len(section.topics)} topics, {count} partitions")
