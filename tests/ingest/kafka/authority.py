"""Create an authority and certificates for one test run. No other program trusts them."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

PEM = serialization.Encoding.PEM


@dataclass(frozen=True, slots=True, kw_only=True)
class Authority:
    """A certificate authority. `file` has its certificate in PEM."""

    key: ec.EllipticCurvePrivateKey
    name: x509.Name
    file: Path

    def signed(self, file: Path, name: str, *, password: bytes | None = None) -> Path:
        """Return a file with a key and a certificate for 127.0.0.1, as a broker's PEM keystore and a client use it."""
        key = ec.generate_private_key(ec.SECP256R1())
        made = _begun(_named(name), self.name, key.public_key())
        made = made.add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), False)
        hidden = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
        form = key.private_bytes(PEM, serialization.PrivateFormat.PKCS8, hidden)
        file.write_bytes(form + made.sign(self.key, hashes.SHA256()).public_bytes(PEM) + self.file.read_bytes())
        return file


def authority(file: Path, name: str) -> Authority:
    """Return an authority with a self-signed certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    made = _begun(_named(name), _named(name), key.public_key())
    made = made.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    file.write_bytes(made.sign(key, hashes.SHA256()).public_bytes(PEM))
    return Authority(key=key, name=_named(name), file=file)


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _begun(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    made = x509.CertificateBuilder(issuer, subject, key, x509.random_serial_number())
    return made.not_valid_before(now - timedelta(hours=1)).not_valid_after(now + timedelta(hours=1))
