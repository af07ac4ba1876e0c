"""The connection to the daemon, from the command line of the dashboard."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dashboards.client import Client, DaemonError

DEFAULT_URL = "http://127.0.0.1:8400"


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    url: str
    token_file: Path | None

    def open(self) -> Client:
        return Client(self.url, self.token_file)


def read_arguments(arguments: Sequence[str]) -> Connection:
    """Parse `--url URL --token-file FILE`. Raise DaemonError on a mistake: the page shows it, and the server keeps
    running.
    """
    parser = argparse.ArgumentParser(add_help=False, exit_on_error=False, allow_abbrev=False)
    parser.add_argument("--url", default=DEFAULT_URL)
    parser.add_argument("--token-file", type=Path, default=None)
    try:
        known, unknown = parser.parse_known_args(list(arguments))
    except argparse.ArgumentError as error:
        raise DaemonError(f"the dashboard was started with wrong arguments: {error}; {USAGE}") from None
    if unknown:
        raise DaemonError(f"the dashboard was started with unknown arguments: {' '.join(unknown)}; {USAGE}")
    return Connection(url=known.url, token_file=known.token_file)


USAGE = "after `--` it takes `--url http://HOST:PORT` and `--token-file FILE`"
