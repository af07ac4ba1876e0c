"""Whether a daemon requires tokens. Without any token, it listens on loopback only."""

from dashboards.client import Client, DaemonError

UNAUTHORIZED = 401


def requires_token(url: str) -> bool:
    """Return False also for a daemon that does not answer: the pages say so."""
    try:
        with Client(url) as client:
            client.sender()
    except DaemonError as error:
        return error.status == UNAUTHORIZED
    return False
