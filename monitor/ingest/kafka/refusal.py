"""When brokers let nobody in: why, in a sentence that names the setting to correct, and without trying for seconds."""

from typing import Any

from kafka.errors import KafkaConnectionError, SaslAuthenticationFailedError, UnsupportedSaslMechanismError
from kafka.net.manager import KafkaConnectionManager

from monitor.config.kafka import KafkaConfig


class BrokerRefusal(KafkaConnectionError):  # type: ignore[misc]  # kafka-python is not typed
    """The brokers answer and will not have us as we come."""


class ReportingConnectionManager(KafkaConnectionManager):  # type: ignore[misc]  # as above
    """kafka-python's own tries again whatever a broker says, and tells only that it could not; this one tells why."""

    def __init__(self, net: Any, section: KafkaConfig, **settings: Any) -> None:
        super().__init__(net, **settings)
        self._section = section
        self._refused: BrokerRefusal | None = None

    def get_connection(self, *args: Any, **options: Any) -> Any:
        """Return a connection that may still be opening. Raises BrokerRefusal when a broker refused the last one."""
        if self._refused is not None and not self.bootstrapped:
            raise self._refused
        connection = super().get_connection(*args, **options)
        connection.close_future.add_errback(self._note)
        return connection

    async def _build_transport(self, *args: Any, **options: Any) -> Any:
        return heard_out(await super()._build_transport(*args, **options))

    def _note(self, error: BaseException) -> None:
        if said := why_refused(error, self._section):
            self._refused = BrokerRefusal(said)


def heard_out(transport: Any) -> Any:
    """The same one, which gives what a broker said before it hung up: kafka-python 3.0 forgets what it reads together
    with the end, and why it is refused is the last thing that a broker says.
    """
    receive = transport._sock_recv  # noqa: SLF001 - it has no other place to look in

    def receive_all() -> tuple[bytes, Exception | None]:
        data, end = receive()
        return data, None if data else end  # the end is there at the next look as well

    transport._sock_recv = receive_all  # noqa: SLF001 - the same
    return transport


def why_refused(error: BaseException, section: KafkaConfig) -> str | None:
    """The sentence; None for an error that may pass, as that of a broker which is starting."""
    if isinstance(error, UnsupportedSaslMechanismError):
        return f"the broker does not offer mechanism {section.mechanism}; set `mechanism` to one it does"
    if isinstance(error, SaslAuthenticationFailedError):
        return f"the broker refuses user {section.username!r} by {section.mechanism}; correct `username` or `password`"
    told = str(error)
    if "CERTIFICATE_VERIFY_FAILED" in told:
        reason = told.partition("certificate verify failed: ")[2].partition(" (_ssl")[0] or "it cannot be checked"
        return f"the broker's certificate is not trusted ({reason}); set `ca` to the authority that signed it"
    if "PEM lib" in told or "KEY_VALUES_MISMATCH" in told:
        return "this client's certificate cannot be opened; correct `certificate` or `certificate_password`"
    if "ALERT" in told and "CERTIFICATE" in told:
        return (
            "the broker refuses this client's certificate; set `certificate` to one that an authority it trusts signed"
        )
    return None
