"""A certificate authority for tests: it writes real certificates and keys to a folder."""

import ipaddress
import ssl
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

NOW = datetime.now(UTC)
YEAR = timedelta(days=365)


def new_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """The files of a certificate and of its key."""

    cert_file: Path
    key_file: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Authority:
    """Issues certificates of servers and clients. `ca_file` is its own certificate."""

    folder: Path
    name: str = "test authority"
    key: ec.EllipticCurvePrivateKey = field(default_factory=new_key)

    @property
    def ca_file(self) -> Path:
        path = self.folder / f"{self.name.replace(' ', '-')}.pem"
        if not path.exists():
            builder = _builder(self.name, self.name, self.key, NOW + YEAR)
            builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            path.write_bytes(_pem(builder.sign(self.key, hashes.SHA256())))
        return path

    def issue(
        self,
        file: str,
        names: tuple[str, ...] = ("driftd.test",),
        *,
        until: datetime = NOW + YEAR,
        since: datetime = NOW - timedelta(days=1),
        password: bytes | None = None,
    ) -> Pair:
        """Write `file`.crt and `file`.key, over those that exist."""
        key = new_key()
        found = [x509.IPAddress(ipaddress.ip_address(n)) if n[0].isdigit() else x509.DNSName(n) for n in names]
        builder = _builder(names[0] if names else file, self.name, key, until, since)
        if found:
            builder = builder.add_extension(x509.SubjectAlternativeName(found), critical=False)
        usage = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        builder = builder.add_extension(x509.ExtendedKeyUsage(usage), critical=False)
        pair = Pair(cert_file=self.folder / f"{file}.crt", key_file=self.folder / f"{file}.key")
        pair.cert_file.write_bytes(_pem(builder.sign(self.key, hashes.SHA256())))
        pair.key_file.write_bytes(_key_pem(key, password))
        pair.key_file.chmod(0o600)
        return pair

    def client(self, pair: Pair | None = None) -> ssl.SSLContext:
        """Return what a client uses: it trusts this authority, and may send a certificate."""
        context = ssl.create_default_context(cafile=str(self.ca_file))
        if pair is not None:
            context.load_cert_chain(pair.cert_file, pair.key_file)
        return context


def _builder(
    subject: str,
    issuer: str,
    key: ec.EllipticCurvePrivateKey,
    until: datetime,
    since: datetime = NOW - timedelta(days=1),
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(_name(subject))
        .issuer_name(_name(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(since)
        .not_valid_after(until)
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _key_pem(key: ec.EllipticCurvePrivateKey, password: bytes | None) -> bytes:
    protection: serialization.KeySerializationEncryption = serialization.NoEncryption()
    if password is not None:
        protection = serialization.BestAvailableEncryption(password)
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, protection)
