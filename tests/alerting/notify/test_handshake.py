import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from monitor.alerting.notify.base import ReceiverUnavailable
from monitor.alerting.notify.handshake import handshake, reason_of
from monitor.alerting.notify.webhook import Webhook
from tests.alerting.notify.hook import listening

HERE = "127.0.0.1"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and a certificate for 127.0.0.1 , self-signed, in one file."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HERE)])
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    made = made.not_valid_before(now - timedelta(hours=1)).not_valid_after(now + timedelta(hours=1))
    made = made.add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(HERE))]), critical=False)
    made = made.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(key.private_bytes(*form) + made.sign(key, hashes.SHA256()).public_bytes(form[0]))
    return path


@contextmanager
def serving(certificate: Path) -> Iterator[int]:
    """A port that completes one TLS handshake and closes the connection."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with socket.create_server((HERE, 0)) as server:

        def shake_hands() -> None:
            plain, _ = server.accept()
            try:
                context.wrap_socket(plain, server_side=True).close()
            except OSError:
                plain.close()  # the client does not trust the certificate

        thread = threading.Thread(target=shake_hands)
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            thread.join(10)


def test_the_handshake_uses_tls(certificate: Path) -> None:
    with serving(certificate) as port:
        handshake(HERE, port, tls=ssl.create_default_context(cafile=str(certificate)), timeout_s=5.0)


def test_an_untrusted_certificate_is_reported(certificate: Path) -> None:
    with serving(certificate) as port:
        receiver = Webhook("pager", f"https://{HERE}:{port}/hooks/s3cret", timeout_s=5.0)
        with pytest.raises(ReceiverUnavailable) as raised:
            receiver.reach()
        receiver.close()
    assert str(raised.value).startswith(
        f"receiver 'pager' at {HERE}:{port} cannot be reached: its certificate is not valid"
    )
    assert "s3cret" not in str(raised.value)


def test_a_server_without_tls_is_reported() -> None:
    with listening() as hook, pytest.raises(OSError) as raised:  # noqa: PT011  the message is asserted below
        handshake(HERE, hook.port, tls=httpx.create_ssl_context(), timeout_s=5.0)
    assert reason_of(raised.value).startswith("the TLS handshake failed")


def test_a_closed_port_is_a_refused_connection() -> None:
    with socket.socket() as unused:
        unused.bind((HERE, 0))
        with pytest.raises(OSError) as raised:  # noqa: PT011
            handshake(HERE, unused.getsockname()[1], tls=None, timeout_s=5.0)
    assert reason_of(raised.value) == "Connection refused"


def test_a_silent_server_is_given_up_after_the_timeout() -> None:
    with socket.create_server((HERE, 0)) as silent, pytest.raises(OSError) as raised:  # noqa: PT011
        handshake(HERE, silent.getsockname()[1], tls=httpx.create_ssl_context(), timeout_s=0.1)
    assert reason_of(raised.value) == "no response in time"
