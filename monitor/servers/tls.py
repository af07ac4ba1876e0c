"""TLS of the listeners: the handshake of an HTTP connection, and the credentials of a gRPC server."""

import asyncio
from asyncio.sslproto import SSLProtocol
from typing import TYPE_CHECKING, Any, Final

import grpc

from monitor.printable import printable
from monitor.servers.connections import BoundedHttp, ConnectionPool

if TYPE_CHECKING:
    from monitor.tls.certificates import Certificate, ServedCertificate

SHUTDOWN_S: Final = 5.0  # for the client's part of the end of a connection
PLAIN_HTTP: Final = (
    b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-type: text/plain\r\n"
    b"content-length: 42\r\n\r\nthis port uses TLS; call it with https://\n"
)


def tls_connection(*, certificate: "ServedCertificate", pool: ConnectionPool, **uvicorn: Any) -> "TlsConnection":
    """Return the protocol of a new connection, with the certificate that is current now."""
    return TlsConnection(BoundedHttp(pool=pool, **uvicorn), pool, certificate)


class TlsConnection(SSLProtocol):
    """A connection that counts in its pool from the start: a client that never ends its handshake is closed."""

    max_size = 32 * 1024  # buffer of each connection; the default is 256 KiB, which an idle connection keeps

    def __init__(self, http: BoundedHttp, pool: ConnectionPool, certificate: "ServedCertificate") -> None:
        limits = pool.limits
        super().__init__(
            http.loop,
            http,
            certificate.current.context,
            None,  # type: ignore[arg-type]  # no one waits for the handshake
            server_side=True,
            ssl_handshake_timeout=limits.header_s + 5.0,  # type: ignore[arg-type]  # the sweep of the pool is first, and counts the reason
            ssl_shutdown_timeout=SHUTDOWN_S,
        )
        self._http, self._pool, self._certificate = http, pool, certificate
        self._raw: asyncio.Transport
        self._is_first = True

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._raw = self._http.transport = transport
        self._http.after_handshake = self._record_client
        if self._pool.admit(self._http):
            super().connection_made(transport)
        else:
            transport.abort()

    def buffer_updated(self, nbytes: int) -> None:
        if self._is_first:
            self._is_first = False
            if chr(self.get_buffer(-1)[0]).isalpha():  # the method of a request; a handshake begins with byte 22
                self._pool.refuse(self._http, "plain_http")
                self._raw.write(PLAIN_HTTP)
                self._raw.close()
                return
        super().buffer_updated(nbytes)

    def _on_handshake_complete(self, handshake_exc: BaseException | None) -> None:
        if handshake_exc is not None:
            # The alert names the reason; asyncio closes without it.
            self._process_outgoing()  # type: ignore[attr-defined]
        super()._on_handshake_complete(handshake_exc)

    def connection_lost(self, exc: BaseException | None) -> None:
        super().connection_lost(exc)
        if self._http.flow is None:  # the handshake did not succeed
            self._pool.refuse(self._http, "handshake")
        self._http.after_handshake = None  # it refers to this object: a cycle that reference counts cannot free

    def _record_client(self, transport: asyncio.Transport) -> None:
        if found := transport.get_extra_info("peercert"):
            self._certificate.record_client(client_name(found))


def client_name(peercert: dict[str, Any]) -> str:
    """Return the name of a client: the first alternative name of its certificate, else the common name.

    >>> client_name({"subject": ((("commonName", "bot"),),), "subjectAltName": (("URI", "spiffe://shop/bot"),)})
    'spiffe://shop/bot'
    """
    names = [value for _, value in peercert.get("subjectAltName", ())]
    names += [value for part in peercert.get("subject", ()) for key, value in part if key == "commonName"]
    return printable(names[0])[:200] if names else "a certificate without a name"


def grpc_credentials(certificate: "ServedCertificate") -> grpc.ServerCredentials:
    """Return credentials that use the certificate that is current at each handshake."""
    used = certificate.current

    def fetch() -> "grpc.ServerCertificateConfiguration | None":
        nonlocal used
        if certificate.current is used:
            return None
        used = certificate.current
        return _configuration(used)

    return grpc.dynamic_ssl_server_credentials(
        _configuration(used),
        fetch,  # type: ignore[arg-type]  # None: no change
        require_client_authentication=used.client_ca is not None,
    )


def _configuration(found: "Certificate") -> grpc.ServerCertificateConfiguration:
    return grpc.ssl_server_certificate_configuration([(found.key, found.chain)], root_certificates=found.client_ca)
