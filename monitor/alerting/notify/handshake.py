"""Opens a connection and closes it again, to check that a host is reachable."""

import socket
import ssl


def handshake(host: str, port: int, *, tls: ssl.SSLContext | None, timeout_s: float) -> None:
    """Connect to `host`, complete the TLS handshake if `tls` is given, and close the connection.

    Raises:
        OSError: The connection or the handshake failed. `reason_of` describes it.
    """
    with socket.create_connection((host, port), timeout_s) as plain:
        if tls is not None:
            with tls.wrap_socket(plain, server_hostname=host):
                pass


def reason_of(error: OSError) -> str:
    """Return why a connection failed, in a few words."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not valid ({error.verify_message})"
    if isinstance(error, ssl.SSLError):
        return f"the TLS handshake failed ({error.reason or 'no reason given'})"
    if isinstance(error, TimeoutError):
        return "no response in time"
    return error.strerror or str(error)
