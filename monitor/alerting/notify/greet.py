"""A connection that is opened and hung up again: whether somebody is there, at no cost to anybody."""

import socket
import ssl


def greet(host: str, port: int, *, tls: ssl.SSLContext | None, timeout_s: float) -> None:
    """Connect to `host`, shake hands with `tls`, hang up. Raises OSError; `reason_of` puts it into words."""
    with socket.create_connection((host, port), timeout_s) as plain:
        if tls is not None:
            with tls.wrap_socket(plain, server_hostname=host):
                pass


def reason_of(error: OSError) -> str:
    """Why a connection failed, in a few words."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate does not hold ({error.verify_message})"
    if isinstance(error, ssl.SSLError):
        return f"it speaks no TLS ({error.reason or 'the handshake failed'})"
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return error.strerror or str(error)
