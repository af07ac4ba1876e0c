"""The certificate of a listener: loaded from files, and loaded again when the files change.

A new certificate applies to new connections. Open ones continue with the old certificate. A pair that cannot be used
never replaces one that can.
"""

import hashlib
import logging
import ssl
import threading
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NoReturn

from monitor.clock import Clock
from monitor.errors import ConfigError
from monitor.telemetry import NO_TELEMETRY, GaugeValue, Recorder

if TYPE_CHECKING:
    from cryptography import x509

log = logging.getLogger(__name__)
MIN_VERSIONS: Final = {"1.2": ssl.TLSVersion.TLSv1_2, "1.3": ssl.TLSVersion.TLSv1_3}
CIPHERS: Final = "ECDHE+AESGCM:ECDHE+CHACHA20"  # of TLS 1.2: forward secrecy and authenticated encryption only
EXPIRES_SOON: Final = timedelta(days=14)
MAX_CLIENTS: Final = 1_000  # names of clients that are logged, once each


class UnusableCertificate(ConfigError):
    """The files are no usable pair of certificate and key."""

    code = "certificate"


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateFiles:
    """The files of a listener. With `client_ca_file`, clients need a certificate of one of its authorities."""

    cert_file: Path
    key_file: Path
    client_ca_file: Path | None = None
    min_version: Literal["1.2", "1.3"] = "1.2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """A pair that was loaded, with the time in which it is valid. `names` are those that clients may call it by."""

    chain: bytes
    key: bytes
    client_ca: bytes | None
    names: tuple[str, ...]
    not_before: datetime
    not_after: datetime
    context: ssl.SSLContext
    digest: str

    def invalid(self, now: datetime) -> str | None:
        """Return why clients refuse it at `now`; None when they accept it."""
        if now >= self.not_after:
            return f"it expired at {self.not_after:%Y-%m-%d %H:%M} UTC"
        return f"it is valid from {self.not_before:%Y-%m-%d %H:%M} UTC" if now < self.not_before else None


def load_certificate(files: CertificateFiles) -> Certificate:
    """Return the pair. Raises UnusableCertificate with the file and the reason."""
    from cryptography import x509  # slow to import; most daemons start without TLS

    chain, key = _read(files.cert_file), _read(files.key_file)
    client_ca = None if files.client_ca_file is None else _read(files.client_ca_file)
    try:
        leaf = x509.load_pem_x509_certificates(chain)[0]
    except ValueError as error:
        raise UnusableCertificate(f"{files.cert_file} has no PEM certificate: {error}") from None
    return Certificate(
        chain=chain,
        key=key,
        client_ca=client_ca,
        names=_names(leaf),
        not_before=leaf.not_valid_before_utc,
        not_after=leaf.not_valid_after_utc,
        context=_context(files),
        digest=_digest(chain, key, client_ca),
    )


class ServedCertificate:
    """The certificate of the listener `key`. The thread of `refresh` writes it, those of the listeners read it."""

    def __init__(self, key: str, files: CertificateFiles, clock: Clock, telemetry: Recorder = NO_TELEMETRY) -> None:
        self.key, self.files = key, files
        self._clock, self._telemetry = clock, telemetry
        self._refreshing = threading.Lock()  # protects the replacement of `current` and of `problem`
        self._clients: set[str] = set()
        self._failed_digest: str | None = None
        self.problem: str | None = None  # why the newest files are not in use
        try:
            self.current = load_certificate(files)
        except UnusableCertificate as error:
            raise UnusableCertificate(f"{key}: {error}") from None
        for result in ("loaded", "failed"):
            telemetry.count("driftd.tls.reloads", 0, {"listener": key, "result": result})
        self._log("uses")

    def refresh(self) -> None:
        """Load the files if they changed. Keep the current certificate when the new one cannot be used."""
        with self._refreshing:
            if (digest := self._changed()) is None:
                return
            try:
                found = load_certificate(self.files)
                self._demand_valid(found)
            except UnusableCertificate as error:
                self._keep(str(error), digest)
                return
            self.current, self.problem, self._failed_digest = found, None, None
        self._telemetry.count("driftd.tls.reloads", 1, {"listener": self.key, "result": "loaded"})
        self._log("now uses")

    def value(self) -> GaugeValue:
        """Return the time at which the certificate expires, for the gauge."""
        return GaugeValue(value=self.current.not_after.timestamp(), labels={"listener": self.key})

    def expires_soon(self) -> str | None:
        """Return a sentence if the certificate expires within `EXPIRES_SOON`; None if it does not."""
        left = self.current.not_after - self._clock.now()
        if left > EXPIRES_SOON:
            return None
        when = f"{self.current.not_after:%Y-%m-%d %H:%M} UTC"
        return (
            f"the certificate of {self.key} ({self.files.cert_file}) "
            f"{'expires' if left > timedelta() else 'expired'} at {when}; renew it: driftd loads the new file"
        )

    def record_client(self, name: str) -> None:
        """Log the first connection of a client with a certificate."""
        if name not in self._clients and len(self._clients) < MAX_CLIENTS:
            self._clients.add(name)
            log.info("%s: first connection with the client certificate of %s", self.key, name)

    def _changed(self) -> str | None:
        """Return the digest of files that are new since the last attempt; None without a change."""
        try:
            client_ca = None if self.files.client_ca_file is None else _read(self.files.client_ca_file)
            digest = _digest(_read(self.files.cert_file), _read(self.files.key_file), client_ca)
        except UnusableCertificate as error:
            digest = str(error)
        if digest == self.current.digest:
            self.problem = self._failed_digest = None  # the old files are back
            return None
        return None if digest == self._failed_digest else digest

    def _demand_valid(self, found: Certificate) -> None:
        now = self._clock.now()
        if (why := found.invalid(now)) and self.current.invalid(now) is None:
            raise UnusableCertificate(f"{self.files.cert_file}: {why}")

    def _keep(self, why: str, digest: str) -> None:
        self._failed_digest = digest
        self.problem = f"{why}; {self.key} keeps its certificate until {self.current.not_after:%Y-%m-%d %H:%M} UTC"
        self._telemetry.count("driftd.tls.reloads", 1, {"listener": self.key, "result": "failed"})
        log.error("the changed certificate cannot be used: %s", self.problem)

    def _log(self, verb: str) -> None:
        names, until = ", ".join(self.current.names) or "no host name", self.current.not_after
        log.info("%s %s the certificate of %s, valid until %s UTC", self.key, verb, names, f"{until:%Y-%m-%d %H:%M}")
        if why := self.current.invalid(self._clock.now()):
            log.error("%s: clients refuse the certificate %s: %s", self.key, self.files.cert_file, why)


def _context(files: CertificateFiles) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = MIN_VERSIONS[files.min_version]
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_COMPRESSION
    context.set_ciphers(CIPHERS)
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(files.cert_file, files.key_file, password=lambda: _refuse_password(files.key_file))
    except (ssl.SSLError, OSError) as error:
        why = getattr(error, "reason", None) or error
        detail = "the key is of another certificate" if why == "KEY_VALUES_MISMATCH" else str(why)
        raise UnusableCertificate(f"{files.cert_file} and {files.key_file} are no usable pair: {detail}") from None
    if files.client_ca_file is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        try:
            context.load_verify_locations(files.client_ca_file)
        except (ssl.SSLError, OSError) as error:
            raise UnusableCertificate(f"{files.client_ca_file} has no usable certificate authority: {error}") from None
    return context


def _refuse_password(path: Path) -> NoReturn:
    raise UnusableCertificate(f"{path} needs a password; write the key without one (openssl pkey -in OLD -out NEW)")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UnusableCertificate(f"{path} cannot be read: {error.strerror}") from None


def _digest(chain: bytes, key: bytes, client_ca: bytes | None) -> str:
    parts = (hashlib.sha256(part).digest() for part in (chain, key, client_ca or b""))
    return hashlib.sha256(b"".join(parts)).hexdigest()


def names_of(cert_file: Path) -> tuple[str, ...]:
    """Return the host names and addresses of the certificate in a file. Raises UnusableCertificate."""
    from cryptography import x509

    try:
        return _names(x509.load_pem_x509_certificates(_read(cert_file))[0])
    except ValueError as error:
        raise UnusableCertificate(f"{cert_file} has no PEM certificate: {error}") from None


def _names(leaf: "x509.Certificate") -> tuple[str, ...]:
    from cryptography import x509

    try:
        found = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return ()  # clients ignore the common name
    addresses = (str(address) for address in found.get_values_for_type(x509.IPAddress))
    return (*found.get_values_for_type(x509.DNSName), *addresses)
