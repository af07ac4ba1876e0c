"""From the settings of a cluster to kafka-python's clients, and from its errors to a sentence."""

import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from kafka import KafkaAdminClient, KafkaConsumer
from kafka.errors import KafkaConnectionError, KafkaError, KafkaTimeoutError
from kafka.net.compat import KafkaNetClient
from kafka.net.selector import NetworkSelector

from monitor.config.kafka import KafkaConfig
from monitor.ingest.kafka.refusal import BrokerRefusal, ReportingConnectionManager

T = TypeVar("T")
CLIENT_ID = "driftd"
CONNECT_S = 3.0
REQUEST_TIMEOUT_MS = 5_000
FETCH_BYTES = 16 * 1024 * 1024  # of one answer of a broker; what is decoded of it takes a few times as much
PARTITION_BYTES = 4 * 1024 * 1024


def open_admin(section: KafkaConfig) -> KafkaAdminClient:
    """Looks at topics and commits for the group. Raises KafkaError when no broker answers."""
    _demand_listener(section)
    return _opened(KafkaAdminClient, section, {})


def open_consumer(section: KafkaConfig) -> KafkaConsumer:
    """Belongs to no group: partitions are assigned, offsets are ours, and an offset out of range raises."""
    settings = {
        "group_id": None,
        "enable_auto_commit": False,
        "auto_offset_reset": "none",
        "isolation_level": "read_committed",
        "allow_auto_create_topics": False,
        # The broker checked them when they were written. kafka-python counts them in Python: 0.1 s a megabyte.
        "check_crcs": False,
        "fetch_max_bytes": FETCH_BYTES,
        "max_partition_fetch_bytes": PARTITION_BYTES,
        "max_poll_records": section.poll_max_records,
        "metrics_enabled": False,
    }
    return _opened(KafkaConsumer, section, settings)


def why(error: KafkaError) -> str:
    """What a person can do something with: the kind of error and what the broker said."""
    if isinstance(error, BrokerRefusal):
        return str(error.args[0])
    text = str(error).strip() or type(error).__name__
    return text.removesuffix(":").strip()


def _demand_listener(section: KafkaConfig) -> None:
    """Raise unless one of the servers accepts connections: kafka-python would leave a socket open for each try."""
    failures: list[str] = []
    for server in section.bootstrap_servers:
        host, port = server.rsplit(":", 1)
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_S).close()
        except OSError as error:
            failures.append(f"{server} {error.strerror or error}")
        else:
            return
    raise KafkaConnectionError(f"no broker answers: {', '.join(failures)}")


def _opened(make: Callable[..., T], section: KafkaConfig, settings: dict[str, Any]) -> T:
    """The client. One that cannot be made leaves its thread and its sockets behind; they are ended here."""
    begun: list[Any] = []

    def begin(**options: Any) -> Any:
        net = NetworkSelector(**options)
        begun.append(KafkaNetClient(net, ReportingConnectionManager(net, section, **options), **options))
        return begun[-1]

    try:
        return make(**_connection(section), **settings, kafka_client=begin)
    except BaseException as error:
        for client in begun:
            with suppress(KafkaError, OSError):
                client.close()
        if isinstance(error, KafkaTimeoutError):
            raise BrokerRefusal(
                f"a broker takes the connection and answers nothing; see whether `security` {section.security} is what "
                "its port speaks"
            ) from error
        raise


def _connection(section: KafkaConfig) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "bootstrap_servers": list(section.bootstrap_servers),
        "client_id": CLIENT_ID,
        "security_protocol": section.security.upper(),
        "request_timeout_ms": REQUEST_TIMEOUT_MS,
        "bootstrap_timeout_ms": REQUEST_TIMEOUT_MS,
        "reconnect_backoff_max_ms": 1_000,
        "metadata_max_age_ms": 30_000,
    }
    if section.mechanism is not None and section.password is not None:
        settings |= {
            "sasl_mechanism": section.mechanism,
            "sasl_plain_username": section.username,
            "sasl_plain_password": section.password.get_secret_value(),
        }
    if section.ca is not None:
        settings["ssl_cafile"] = str(section.ca)
    if section.certificate is not None:
        settings["ssl_certfile"] = str(section.certificate)
    if section.certificate_password is not None:
        settings["ssl_password"] = section.certificate_password.get_secret_value()
    return settings
