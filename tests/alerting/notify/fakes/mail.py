"""A real SMTP server on loopback with TLS, and a certificate for it."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

HERE = "127.0.0.1"
USER, PASSWORD = "driftd", "s3cret-passw0rd"


@dataclass(kw_only=True)
class Mailbox:
    """What arrived: each message with its envelope recipients. `responses` has the response for a recipient."""

    port: int = 0
    arrived: list[tuple[list[str], EmailMessage]] = field(default_factory=list)
    responses: dict[str, str] = field(default_factory=dict)
    data_response: str = "250 OK"
    logins: int = 0

    async def handle_RCPT(  # noqa: N802  aiosmtpd's name
        self, _: Any, __: Any, envelope: Any, address: str, ___: Any
    ) -> str:
        response = self.responses.get(address, "250 OK")
        if response.startswith("250"):
            envelope.rcpt_tos.append(address)
        return response

    async def handle_DATA(self, _: Any, __: Any, envelope: Any) -> str:  # noqa: N802  aiosmtpd's name
        if self.data_response.startswith("250"):
            message = message_from_bytes(envelope.content, policy=default)
            assert isinstance(message, EmailMessage)
            self.arrived.append((list(envelope.rcpt_tos), message))
        return self.data_response

    def authenticate(self, _: Any, __: Any, ___: Any, ____: Any, auth_data: Any) -> AuthResult:
        self.logins += 1
        known = (auth_data.login, auth_data.password) == (USER.encode(), PASSWORD.encode())
        return AuthResult(success=known, handled=False)


def write_certificate(folder: Path) -> Path:
    """Write a key and a self-signed certificate for 127.0.0.1 into one file."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HERE)])
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    made = made.not_valid_before(now - timedelta(hours=1)).not_valid_after(now + timedelta(hours=1))
    made = made.add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(HERE))]), critical=False)
    made = made.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    path = folder / "mail.pem"
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(key.private_bytes(*form) + made.sign(key, hashes.SHA256()).public_bytes(form[0]))
    return path


class _Listening(Controller):
    """A controller with a port that the system chooses."""

    def _trigger_server(self) -> None:
        server: Any = self.server
        self.port = server.sockets[0].getsockname()[1]
        super()._trigger_server()  # type: ignore[no-untyped-call]  # aiosmtpd's private method has no types


@contextmanager
def mail_server(certificate: Path, *, tls: str = "starttls", login: bool = False) -> Iterator[Mailbox]:
    """Run a server that accepts a message only after TLS, and only after a login if `login` is set."""
    mailbox = Mailbox()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    secured: dict[str, Any] = {"ssl_context": context} if tls == "implicit" else {}
    if tls == "starttls":
        secured = {"tls_context": context, "require_starttls": True}
    controller = _Listening(
        mailbox,
        hostname=HERE,
        port=0,
        authenticator=mailbox.authenticate,
        auth_required=login,
        auth_require_tls=tls == "starttls",  # with implicit TLS aiosmtpd does not know that the connection is secure
        **secured,
    )
    controller.start()
    try:
        mailbox.port = controller.port
        yield mailbox
    finally:
        controller.stop()
