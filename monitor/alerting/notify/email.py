"""A receiver that sends alerts as e-mail over SMTP."""

import logging
import smtplib
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from pathlib import Path
from typing import Any, Literal, TextIO

from monitor.alerting.notify.base import ReceiverRefused, ReceiverUnavailable
from monitor.alerting.notify.handshake import reason_of
from monitor.alerting.render import Templates, render
from monitor.alerting.sample import checked_templates
from monitor.domain.alert import Notification
from monitor.errors import ConfigError

log = logging.getLogger(__name__)
Tls = Literal["starttls", "implicit", "none"]
_MOST_PARTIAL = 1000  # notifications of which some recipients still wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """An SMTP server. `timeout_s` limits the connection and each response, in seconds."""

    host: str
    port: int
    tls: Tls
    timeout_s: float
    ca_file: Path | None = None
    username: str | None = None
    password: str | None = field(default=None, repr=False)


@dataclass(slots=True, kw_only=True)
class _Outcome:
    """The recipients whose server response is final, and the temporary responses of the others."""

    accepted: set[str] = field(default_factory=set)
    refused: dict[str, int] = field(default_factory=dict)
    waiting: dict[str, int] = field(default_factory=dict)


class Email:
    """Sends each notification as one message to several recipients.

    A recipient that the server rejects (5xx) does not stop the others. A recipient with a temporary error (4xx) gets
    the message at the next attempt; recipients that have it do not get it twice, unless driftd restarts in between.
    Messages of one group of alerts have the same `References`, so that mail clients show them as one thread.
    """

    def __init__(
        self, name: str, server: Server, sender: str, recipients: tuple[str, ...], templates: Templates | None = None
    ) -> None:
        self._name, self._server = name, server
        self._sender, self._recipients = sender, recipients
        self._templates = templates
        self._tls = _tls_context(name, server)
        self._partial: dict[str, _Outcome] = {}

    @property
    def name(self) -> str:
        return self._name

    def reach(self) -> None:
        """Connect, log in as `send` does, and quit."""
        with self._errors(), self._session():
            pass

    def send(self, notification: Notification) -> None:
        outcome = self._partial.pop(notification.id, _Outcome())
        outcome.waiting = {}
        message = message_of(notification, self._sender, self._recipients, self._templates)
        try:
            with self._errors():
                self._deliver(message, outcome)
        finally:
            if outcome.accepted:
                self._partial[notification.id] = outcome
                while len(self._partial) > _MOST_PARTIAL:
                    self._partial.pop(next(iter(self._partial)))
        self._judge(outcome)
        self._partial.pop(notification.id, None)

    def close(self) -> None:
        """Do nothing: each delivery has its own connection."""

    def _deliver(self, message: EmailMessage, outcome: _Outcome) -> None:
        open_recipients = [one for one in self._recipients if one not in outcome.accepted | outcome.refused.keys()]
        with self._session() as session:
            try:
                failed = session.send_message(message, self._sender, open_recipients)
            except smtplib.SMTPRecipientsRefused as error:
                # After 421 smtplib gives up: recipients that it did not name have no response.
                failed = dict.fromkeys(open_recipients, (421, b"")) | error.recipients
        for recipient in open_recipients:
            if recipient not in failed:
                outcome.accepted.add(recipient)
            elif 500 <= failed[recipient][0] < 600:
                outcome.refused[recipient] = failed[recipient][0]
            else:
                outcome.waiting[recipient] = failed[recipient][0]

    def _judge(self, outcome: _Outcome) -> None:
        """Raise unless at least one recipient has the message and no recipient waits for another attempt."""
        if outcome.waiting:
            raise ReceiverUnavailable(f"{self._where} responded {_codes(outcome.waiting)}")
        if not outcome.accepted:
            raise ReceiverRefused(f"{self._where} responded {_codes(outcome.refused)}; check `to` and `from_address`")
        if outcome.refused:
            log.warning("%s delivered the message, but responded %s", self._where, _codes(outcome.refused))

    def _session(self) -> "_Session":
        return _Session(self._server, self._tls)

    def _errors(self) -> "_Errors":
        return _Errors(self._where)

    @property
    def _where(self) -> str:
        return f"receiver {self._name!r} at {self._server.host}:{self._server.port}"


class _Session:
    """A connection with TLS and login. The message is accepted before QUIT, so errors of QUIT do not count."""

    def __init__(self, server: Server, tls: ssl.SSLContext | None) -> None:
        self._server, self._tls = server, tls
        self._smtp: smtplib.SMTP | None = None

    def __enter__(self) -> smtplib.SMTP:
        server = self._server
        if server.tls == "implicit":
            self._smtp = smtplib.SMTP_SSL(server.host, server.port, timeout=server.timeout_s, context=self._tls)
        else:
            self._smtp = smtplib.SMTP(server.host, server.port, timeout=server.timeout_s)
        try:
            self._prepare(self._smtp)
        except BaseException:
            self._smtp.close()
            raise
        return self._smtp

    def _prepare(self, smtp: smtplib.SMTP) -> None:
        server = self._server
        smtp.ehlo_or_helo_if_needed()
        if server.tls == "starttls":
            code, _ = smtp.starttls(context=self._tls)
            if code != 220:
                raise smtplib.SMTPResponseException(code, b"")
            smtp.ehlo_or_helo_if_needed()
        if server.username is not None:
            smtp.login(server.username, server.password or "")

    def __exit__(self, *_: object) -> None:
        assert self._smtp is not None, "__enter__ sets it"
        try:
            self._smtp.quit()
        except (smtplib.SMTPException, OSError):
            self._smtp.close()


class _Errors:
    """Maps errors of smtplib to those of a receiver, without the texts of the server: they can contain anything."""

    def __init__(self, where: str) -> None:
        self._where = where

    def __enter__(self) -> None:
        """Nothing to open."""

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        match error:
            case smtplib.SMTPResponseException():
                text = f"{self._where} responded {error.smtp_code}"
                if isinstance(error, smtplib.SMTPAuthenticationError):
                    text += " to the login"
                if 500 <= error.smtp_code < 600:
                    raise ReceiverRefused(text) from None
                raise ReceiverUnavailable(text) from None
            case smtplib.SMTPNotSupportedError():
                raise ReceiverRefused(
                    f"{self._where} does not offer STARTTLS or a known login; check `tls`, `port` and `username`"
                ) from None
            case smtplib.SMTPServerDisconnected():
                late = isinstance(error.__context__, TimeoutError)  # smtplib reports a timeout of a response so
                why = "no response in time" if late else "the connection broke"
                raise ReceiverUnavailable(f"{self._where}: {why}") from None
            case smtplib.SMTPException():
                raise ReceiverRefused(f"{self._where}: no supported login method; check `username`") from None
            case OSError():
                raise ReceiverUnavailable(f"{self._where} cannot be reached: {reason_of(error)}") from None


def message_of(
    notification: Notification, sender: str, recipients: tuple[str, ...], templates: Templates | None = None
) -> EmailMessage:
    """Return the message of a notification, with a text part and an HTML part.

    `Message-ID` is the same for each attempt. `References` names the group of alerts: the id is made from the group,
    not from the first message, so the thread is complete even if the first message was replaced before delivery.
    """
    rendered = render(notification.payload, templates)
    domain = sender.rpartition("@")[2]
    thread = f"<driftd.group.{notification.group_id or notification.alert_id}@{domain}>"
    message = EmailMessage(policy=SMTP)
    message["From"] = sender
    message["To"] = ", ".join(recipients)
    message["Subject"] = rendered.title
    message["Date"] = format_datetime(notification.planned_at)
    message["Message-ID"] = f"<driftd.{notification.id}@{domain}>"
    message["In-Reply-To"] = thread
    message["References"] = thread
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(rendered.text)
    message.add_alternative(rendered.html, subtype="html")
    return message


def _codes(responses: Mapping[str, int]) -> str:
    return ", ".join(f"{code} for {recipient}" for recipient, code in sorted(responses.items()))


def _tls_context(name: str, server: Server) -> ssl.SSLContext | None:
    if server.tls == "none":
        return None
    try:
        return ssl.create_default_context(cafile=server.ca_file)
    except (OSError, ssl.SSLError) as error:
        raise ConfigError(f"receiver {name!r}: cannot read ca_file {server.ca_file}: {error}") from error


def build(name: str, options: Mapping[str, Any], output: TextIO) -> Email:  # noqa: ARG001  the signature of a kind
    """Return an e-mail receiver. `options` has `server` (the fields of Server), `sender`, `recipients`, `templates`."""
    return Email(
        name,
        Server(**options["server"]),
        options["sender"],
        tuple(options["recipients"]),
        checked_templates(name, options.get("templates", {})),
    )
