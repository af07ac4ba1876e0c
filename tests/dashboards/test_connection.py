from pathlib import Path

import pytest

from dashboards.client import DaemonError
from dashboards.connection import DEFAULT_URL, read_arguments


def test_the_default_is_the_daemon_on_this_machine() -> None:
    connection = read_arguments([])
    assert (connection.url, connection.token_file) == (DEFAULT_URL, None)


def test_address_and_token_file_are_read() -> None:
    connection = read_arguments(["--url", "http://10.0.0.1:9000", "--token-file", "/run/token"])
    assert (connection.url, connection.token_file) == ("http://10.0.0.1:9000", Path("/run/token"))


@pytest.mark.parametrize("arguments", [["--uri", "x"], ["--url"], ["serve"]])
def test_a_mistake_shows_the_usage(arguments: list[str]) -> None:
    with pytest.raises(DaemonError, match=r"wrong arguments|unknown arguments") as caught:
        read_arguments(arguments)
    assert "--token-file FILE" in str(caught.value)
