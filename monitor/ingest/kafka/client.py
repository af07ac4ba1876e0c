"""Create kafka-python clients from the configuration of a cluster, and turn their errors into messages."""

import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TypeVar

from kafka import KafkaAdminClient, KafkaConsumer
from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
from kafka.errors import (
    KafkaConnectionError,
    KafkaError,
    KafkaTimeoutError,
    SaslAuthenticationFailedError,
    UnsupportedSaslMechanismError,
)
from kafka.net.compat import KafkaNetClient
from kafka.net.manager import KafkaConnectionManager
from kafka.net.selector import NetworkSelector

from monitor.config.kafka import KafkaConfig


class BrokerRefusal(KafkaConnectionError):  # type: ignore[misc]  # kafka-python is not typed
    """A broker answers and rejects the connection, for example its credentials."""


class ReportingConnectionManager(KafkaConnectionManager):  # type: ignore[misc]  # as above
    """Reports why a broker rejected a connection. The base class retries and only reports that it could not connect."""

    def __init__(self, net: Any, section: KafkaConfig, **settings: Any) -> None:
        super().__init__(net, **settings)
        self._section = section
        self._refused: BrokerRefusal | None = None

    def get_connection(self, *args: Any, **options: Any) -> Any:
        """Return a connection that may still be opening. Raise BrokerRefusal when a broker rejected the last one."""
        if self._refused is not None and not self.bootstrapped:
            raise self._refused
        connection = super().get_connection(*args, **options)
        connection.close_future.add_errback(self._note)
        return connection

    async def _build_transport(self, *args: Any, **options: Any) -> Any:
        return with_last_data(await super()._build_transport(*args, **options))

    def _note(self, error: BaseException) -> None:
        if refusal := why_refused(error, self._section):
            self._refused = BrokerRefusal(refusal)


def with_last_data(transport: Any) -> Any:
    """Return the transport, changed to deliver the last data before the end of the connection. kafka-python 3.0 loses
    data that arrives together with the end, and the reason of a rejection is the last data of a broker.
    """
    receive = transport._sock_recv  # noqa: SLF001 - it has no other place to look in

    def receive_all() -> tuple[bytes, Exception | None]:
        data, end = receive()
        return data, None if data else end  # the next read returns the end again

    transport._sock_recv = receive_all  # noqa: SLF001 - the same
    return transport


def why_refused(error: BaseException, section: KafkaConfig) -> str | None:
    """Return a message, or None for an error that may pass, such as that of a starting broker."""
    if isinstance(error, UnsupportedSaslMechanismError):
        return f"the broker does not offer mechanism {section.mechanism}; set `mechanism` to one that it offers"
    if isinstance(error, SaslAuthenticationFailedError):
        return (
            f"the broker rejects user {section.username!r} with {section.mechanism}; correct `username` or `password`"
        )
    text = str(error)
    if "CERTIFICATE_VERIFY_FAILED" in text:
        reason = text.partition("certificate verify failed: ")[2].partition(" (_ssl")[0] or "it cannot be checked"
        return f"the broker's certificate is not trusted ({reason}); set `ca` to the authority that signed it"
    if "PEM lib" in text or "KEY_VALUES_MISMATCH" in text:
        return "this client's certificate cannot be opened; correct `certificate` or `certificate_password`"
    if "ALERT" in text and "CERTIFICATE" in text:
        return "the broker rejects this client's certificate; set `certificate` to one that its authorities signed"
    return None


T = TypeVar("T")
CLIENT_ID = "driftd"
CONNECT_S = 3.0
REQUEST_TIMEOUT_MS = 5_000
FETCH_BYTES = 16 * 1024 * 1024  # of one response; the decoded records take a few times as much
PARTITION_BYTES = 4 * 1024 * 1024
_MEMBER: Final = {
    "partition_assignment_strategy": [CooperativeStickyAssignor],  # a partition that stays is read without a pause
    "session_timeout_ms": 10_000,
    "heartbeat_interval_ms": 3_000,
}


def open_admin(section: KafkaConfig) -> KafkaAdminClient:
    """Return a client for topics and group commits. Raise KafkaError when no broker answers."""
    _demand_listener(section)
    return _opened(KafkaAdminClient, section, {})


def open_consumer(section: KafkaConfig) -> KafkaConsumer:
    """Return a consumer without a group: partitions are assigned, driftd stores the offsets, and an offset out of range
    raises.
    """
    return _opened(KafkaConsumer, section, _consumer_settings(section) | {"group_id": None})


def _consumer_settings(section: KafkaConfig) -> dict[str, Any]:
    return {
        "enable_auto_commit": False,
        "auto_offset_reset": "none",
        "isolation_level": "read_committed",
        "allow_auto_create_topics": False,
        # The broker checked the checksums on write. kafka-python computes them in Python: 0.1 s per megabyte.
        "check_crcs": False,
        "fetch_max_bytes": FETCH_BYTES,
        "max_partition_fetch_bytes": PARTITION_BYTES,
        "max_poll_records": section.poll_max_records,
        "metrics_enabled": False,
    }


def open_member(section: KafkaConfig) -> KafkaConsumer:
    """Return a consumer that shares the partitions with the other members of its group. It subscribes to nothing yet.
    driftd stores the offsets here, too.
    """
    return _opened(KafkaConsumer, section, _consumer_settings(section) | _MEMBER | {"group_id": section.group})


def why(error: KafkaError) -> str:
    """Return the message of the error for a person: its kind and the broker's reason."""
    if isinstance(error, BrokerRefusal):
        return str(error.args[0])
    text = str(error).strip() or type(error).__name__
    return text.removesuffix(":").strip()


def _demand_listener(section: KafkaConfig) -> None:
    """Raise unless a server accepts connections. Otherwise kafka-python leaves a socket open for each attempt."""
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
    """Return the client. When it fails to start, close the thread and the sockets that it leaves."""
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
                f"a broker accepts the connection and answers nothing; check that `security` {section.security} is the "
                "protocol of its port"
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
