"""Requests each address of the arguments, without a token, and exits with 1 if one answers wrongly for a minute.

An argument is URL=STATUS, or tcp://HOST:PORT for a port that only has to be open.
"""

import socket
import ssl
import sys
import time
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

DEADLINE = time.monotonic() + 60
# The certificate is for public names, and not always for that of the Service: the test asks whether the port answers.
UNVERIFIED = ssl.create_default_context()
UNVERIFIED.check_hostname = False
UNVERIFIED.verify_mode = ssl.CERT_NONE


def answer(url: str) -> str:
    """Return the status of the response, or `open`. Only OTLP gets a POST, with an empty body."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme == "tcp":
        with socket.create_connection((host, parts.port), timeout=5):
            return "open"
    is_tls = parts.scheme == "https"
    connection = (
        HTTPSConnection(host, parts.port, timeout=5, context=UNVERIFIED)
        if is_tls
        else HTTPConnection(host, parts.port, timeout=5)
    )
    try:
        method = "POST" if parts.path.startswith("/v1/") else "GET"
        connection.request(method, parts.path, headers={"Content-Type": "application/x-protobuf"})
        return str(connection.getresponse().status)
    finally:
        connection.close()


def wrong_answer(url: str, expected: str) -> str:
    """Return the last answer if none is the expected one until the deadline, otherwise an empty text."""
    while True:
        try:
            found = answer(url)
        except (OSError, HTTPException) as error:  # of DNS, TCP, TLS and HTTP
            found = str(error) or type(error).__name__
        if found == expected:
            return ""
        if time.monotonic() > DEADLINE:
            return found
        time.sleep(1)


def main() -> int:
    failed = False
    for argument in sys.argv[1:]:
        url, _, status = argument.partition("=")
        expected = status or "open"
        found = wrong_answer(url, expected)
        failed = failed or bool(found)
        line = f"fail  {url}: {found}, expected {expected}" if found else f"ok    {url}: {expected}"
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
