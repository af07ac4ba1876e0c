"""What a client of driftd trusts: the certificate authorities, and the name that it expects."""

import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from monitor.errors import UsageError
from monitor.tls.certificates import UnusableCertificate, names_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """The authorities in `ca_file`, and with `also_usual` those of the system. `server_name` replaces the host of the
    address in the check of the certificate.
    """

    ca_file: Path | None = None
    server_name: str | None = None
    also_usual: bool = False

    def context(self) -> ssl.SSLContext | None:
        """Return the settings of a client; None for the usual ones. Raises UsageError for an unusable file."""
        if self.ca_file is None:
            return None
        context = _Context(ssl.PROTOCOL_TLS_CLIENT)
        context.server_name = self.server_name
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # a certificate in the file needs no issuer
        if self.also_usual:
            context.load_default_certs(ssl.Purpose.SERVER_AUTH)
        try:
            context.load_verify_locations(self.ca_file)
        except (ssl.SSLError, OSError) as error:
            why = getattr(error, "strerror", None) or error
            raise UsageError(f"{self.ca_file} has no usable certificate authority: {why}") from None
        return context


SYSTEM = Trust()


def trust_of_own(cert_file: Path, host: str) -> Trust:
    """Return the trust in a server of this machine, from the certificate file in its configuration.

    Its address is often a loopback address, which no certificate has. The file names the server instead.
    """
    try:
        names = names_of(cert_file)
    except UnusableCertificate as error:
        raise UsageError(str(error)) from None
    return Trust(ca_file=cert_file, server_name=expected_name(names, host), also_usual=True)


def expected_name(names: Sequence[str], host: str) -> str | None:
    """Return the name to expect of a server that is called at `host` and has a certificate for `names`.

    >>> expected_name(["driftd.example", "127.0.0.1"], "127.0.0.1"), expected_name(["*.example"], "127.0.0.1")
    ('127.0.0.1', 'driftd.example')
    """
    if host in names or not names:
        return None if not names else host
    return f"driftd{names[0][1:]}" if names[0].startswith("*.") else names[0]


class _Context(ssl.SSLContext):
    """Settings of a client that expect a fixed name of the server."""

    server_name: str | None = None

    def wrap_socket(self, *arguments: Any, **named: Any) -> ssl.SSLSocket:
        return super().wrap_socket(*arguments, **self._expecting(named))

    def wrap_bio(self, *arguments: Any, **named: Any) -> ssl.SSLObject:
        return super().wrap_bio(*arguments, **self._expecting(named))

    def _expecting(self, named: dict[str, Any]) -> dict[str, Any]:
        return named if self.server_name is None else {**named, "server_hostname": self.server_name}
