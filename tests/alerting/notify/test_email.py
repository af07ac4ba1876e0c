import io
import logging
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from monitor.alerting.notify.base import ReceiverRefused, ReceiverUnavailable
from monitor.alerting.notify.email import Email, Server, build, message_of
from monitor.alerting.render import render
from monitor.domain.alert import NotifyReason
from tests.alerting.build import a_notification
from tests.alerting.notify.fakes.mail import HERE, PASSWORD, USER, Mailbox, mail_server, write_certificate

SENDER = "driftd@example.org"
ANNE, BOB = "anne@example.org", "bob@example.org"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_certificate(tmp_path_factory.mktemp("mail"))


@pytest.fixture
def mailbox(certificate: Path) -> Iterator[Mailbox]:
    with mail_server(certificate) as server:
        yield server


def email(mailbox: Mailbox, certificate: Path | None, *to: str, **server: Any) -> Email:
    values: dict[str, Any] = {"host": HERE, "port": mailbox.port, "tls": "starttls", "timeout_s": 5.0}
    return Email("mail", Server(**values | {"ca_file": certificate} | server), SENDER, to or (ANNE,))


def test_the_message_has_a_text_and_an_html_part(mailbox: Mailbox, certificate: Path) -> None:
    email(mailbox, certificate, ANNE, BOB).send(a_notification())
    [(recipients, message)] = mailbox.arrived
    rendered = render(a_notification().payload)
    assert recipients == [ANNE, BOB]
    assert (message["From"], message["To"]) == (SENDER, f"{ANNE}, {BOB}")
    assert message["Subject"] == rendered.title
    assert message["Auto-Submitted"] == "auto-generated"
    plain, html = message.get_body(("plain",)), message.get_body(("html",))
    assert plain is not None
    assert html is not None
    assert plain.get_content().splitlines() == rendered.text.splitlines()
    assert html.get_content().splitlines() == rendered.html.splitlines()


def test_the_message_id_is_the_same_at_each_attempt_and_the_thread_is_the_group(
    mailbox: Mailbox, certificate: Path
) -> None:
    receiver = email(mailbox, certificate)
    receiver.send(a_notification(id="n1", group_id="g1"))
    receiver.send(a_notification(id="n1", group_id="g1"))
    receiver.send(a_notification(id="n2", group_id="g1", reason=NotifyReason.RESOLVED))
    receiver.send(a_notification(id="n3", group_id="g2"))
    messages = [message for _, message in mailbox.arrived]
    assert [message["Message-ID"] for message in messages] == [
        f"<driftd.{each}@example.org>" for each in ("n1", "n1", "n2", "n3")
    ]
    threads = [message["References"] for message in messages]
    assert threads == [message["In-Reply-To"] for message in messages]
    assert threads[0] == threads[1] == threads[2] != threads[3]


@pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS:UserWarning")  # the TLS is implicit
def test_implicit_tls_and_login(certificate: Path) -> None:
    with mail_server(certificate, tls="implicit", login=True) as mailbox:
        email(mailbox, certificate, tls="implicit", username=USER, password=PASSWORD).send(a_notification())
        assert (len(mailbox.arrived), mailbox.logins) == (1, 1)


def test_starttls_and_login(certificate: Path) -> None:
    with mail_server(certificate, login=True) as mailbox:
        email(mailbox, certificate, username=USER, password=PASSWORD).send(a_notification())
        assert len(mailbox.arrived) == 1


def test_a_wrong_password_is_refused_and_not_in_the_error(certificate: Path, caplog: pytest.LogCaptureFixture) -> None:
    with mail_server(certificate, login=True) as mailbox, caplog.at_level(logging.DEBUG):
        receiver = email(mailbox, certificate, username=USER, password="wr0ng-s3cret")
        with pytest.raises(ReceiverRefused, match=r"receiver 'mail' at .* responded 535 to the login") as raised:
            receiver.send(a_notification())
        assert mailbox.arrived == []
    assert "wr0ng-s3cret" not in f"{raised.value!r} {receiver._server!r} {caplog.text}"


def test_a_server_without_starttls_gets_no_message(certificate: Path) -> None:
    with mail_server(certificate, tls="none") as mailbox:
        with pytest.raises(ReceiverRefused, match="does not offer STARTTLS"):
            email(mailbox, certificate).send(a_notification())
        assert mailbox.arrived == []
        email(mailbox, None, tls="none").send(a_notification())
        assert len(mailbox.arrived) == 1


def test_an_untrusted_certificate_gets_no_message(mailbox: Mailbox) -> None:
    with pytest.raises(ReceiverUnavailable, match="its certificate is not valid"):
        email(mailbox, None).send(a_notification())
    assert mailbox.arrived == []


def test_a_rejected_recipient_does_not_stop_the_others(
    mailbox: Mailbox, certificate: Path, caplog: pytest.LogCaptureFixture
) -> None:
    mailbox.responses[ANNE] = "550 no such mailbox"
    email(mailbox, certificate, ANNE, BOB).send(a_notification())
    assert [recipients for recipients, _ in mailbox.arrived] == [[BOB]]
    assert f"550 for {ANNE}" in caplog.text


def test_a_temporary_error_is_retried_for_that_recipient_only(mailbox: Mailbox, certificate: Path) -> None:
    mailbox.responses[ANNE] = "451 try later"
    receiver = email(mailbox, certificate, ANNE, BOB)
    with pytest.raises(ReceiverUnavailable, match=f"responded 451 for {ANNE}"):
        receiver.send(a_notification())
    del mailbox.responses[ANNE]
    receiver.send(a_notification())
    assert [recipients for recipients, _ in mailbox.arrived] == [[BOB], [ANNE]]


def test_a_server_that_closes_with_421_has_accepted_no_recipient(mailbox: Mailbox, certificate: Path) -> None:
    mailbox.responses[ANNE] = "421 closing"
    receiver = email(mailbox, certificate, ANNE, BOB)
    with pytest.raises(ReceiverUnavailable, match=f"421 for {ANNE}, 421 for {BOB}"):
        receiver.send(a_notification())
    mailbox.responses.clear()
    receiver.send(a_notification())
    assert [recipients for recipients, _ in mailbox.arrived] == [[ANNE, BOB]]


def test_a_message_that_every_recipient_rejects_is_refused_at_each_attempt(mailbox: Mailbox, certificate: Path) -> None:
    mailbox.responses |= {ANNE: "550 no such mailbox", BOB: "553 not allowed"}
    receiver = email(mailbox, certificate, ANNE, BOB)
    for _ in range(2):
        with pytest.raises(ReceiverRefused, match=f"550 for {ANNE}, 553 for {BOB}"):
            receiver.send(a_notification())


@pytest.mark.parametrize(("response", "error"), [("451 busy", ReceiverUnavailable), ("554 rejected", ReceiverRefused)])
def test_the_response_to_the_message_decides(
    mailbox: Mailbox, certificate: Path, response: str, error: type[Exception]
) -> None:
    mailbox.data_response = response
    with pytest.raises(error, match=f"receiver 'mail' at {HERE}:{mailbox.port} responded {response[:3]}$"):
        email(mailbox, certificate).send(a_notification())


def test_a_closed_port_and_a_silent_server_are_unavailable() -> None:
    with socket.create_server((HERE, 0)) as silent:
        box = Mailbox(port=silent.getsockname()[1])
        with pytest.raises(ReceiverUnavailable, match="no response in time"):
            email(box, None, timeout_s=0.1).send(a_notification())
    with pytest.raises(ReceiverUnavailable, match="cannot be reached"):
        email(box, None).reach()


def test_a_name_from_outside_cannot_add_a_header() -> None:
    notification = a_notification()
    payload = dict(notification.payload) | {"deployment": "support\r\nBcc: mallory@example.net\n\nbody"}
    message = message_of(replace(notification, payload=payload), SENDER, (ANNE,))
    head = message.as_bytes().split(b"\r\n\r\n")[0]
    assert message["Bcc"] is None
    assert b"\r\nBcc:" not in head
    assert "Bcc" in str(message["Subject"]), "the value is escaped, not lost"


def test_the_options_of_the_section_build_a_receiver(mailbox: Mailbox, certificate: Path) -> None:
    from monitor.config.receivers.email import EmailReceiver

    section = EmailReceiver(
        kind="email", host=HERE, port=mailbox.port, ca_file=certificate, from_address=SENDER, to=(ANNE,)
    )
    receiver = build("mail", section.options(), io.StringIO())
    receiver.reach()
    assert mailbox.arrived == []
    receiver.send(a_notification())
    assert len(mailbox.arrived) == 1


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"to": ["anne@example.org\r\nBcc: m@example.net"]}, "an address has the form"),
        ({"from_address": "Anne <anne@example.org>"}, "an address has the form"),
        ({"username": "driftd"}, "give username and password"),
        ({"username": "driftd", "password": "x", "tls": "none"}, "a login needs starttls or implicit"),
        ({"to": []}, "at least 1 item"),
    ],
)
def test_a_section_that_cannot_work_is_an_error(values: dict[str, Any], problem: str) -> None:
    from monitor.config.receivers.email import EmailReceiver

    base = {"kind": "email", "host": "mail.example.org", "from_address": SENDER, "to": [ANNE]}
    with pytest.raises(ValueError, match=problem):
        EmailReceiver.model_validate(base | values)
