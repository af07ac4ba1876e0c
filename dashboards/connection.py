"""The connection to the daemon, from the command line of the dashboard and the login of the reader."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dashboards.client import Client, DaemonError
from dashboards.login.reader import Login

DEFAULT_URL = "http://127.0.0.1:8400"


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """The address of the daemon, and how this page identifies itself: with the token of the reader, or of the file.

    Caches have a connection in their key, so that a reader never gets what another reader may see.
    """

    url: str
    token_file: Path | None = None
    token: str | None = field(default=None, repr=False)
    login: Login = Login.NONE
    is_open: bool = False  # readers without a session may read a daemon that requires no token

    def open(self) -> Client:
        return Client(self.url, self.token_file, self.token)


def read_arguments(arguments: Sequence[str]) -> Connection:
    """Parse the arguments of the page. Raise DaemonError on a mistake: the page shows it."""
    parser = argparse.ArgumentParser(add_help=False, exit_on_error=False, allow_abbrev=False)
    parser.add_argument("--url", default=DEFAULT_URL)
    parser.add_argument("--token-file", type=Path, default=None)
    parser.add_argument("--login", choices=[*Login], default=Login.NONE)
    parser.add_argument("--open", action="store_true")
    try:
        known, unknown = parser.parse_known_args(list(arguments))
    except argparse.ArgumentError as error:
        raise DaemonError(f"the dashboard was started with wrong arguments: {error}; {USAGE}") from None
    if unknown:
        raise DaemonError(f"the dashboard was started with unknown arguments: {' '.join(unknown)}; {USAGE}")
    return Connection(url=known.url, token_file=known.token_file, login=Login(known.login), is_open=known.open)


USAGE = "after `--` it takes `--url http://HOST:PORT`, `--token-file FILE` and `--login none|token|oidc`"
