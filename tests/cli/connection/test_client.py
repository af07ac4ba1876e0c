import socket
from pathlib import Path

import pytest
from pydantic import SecretStr

from monitor.api.schema import HealthItem, ListPage, StatusItem
from monitor.cli.connection.address import address_of
from monitor.cli.connection.client import Api, connect
from monitor.config.tree import ApiConfig, Config
from monitor.errors import Conflict, DriftdError, NotFound, Retryable, UsageError
from tests.cli.conftest import Run
from tests.cli.daemon import Daemon
from tests.cli.items import run_item, status
from tests.ports import free_port

NOWHERE = Path("not-read.yaml")


def ask_status(daemon: Daemon, token_file: Path | None = None) -> StatusItem:
    with connect(config_path=NOWHERE, url=daemon.url, token_file=token_file) as api:
        return api.get("/api/v1/status", StatusItem)


def test_a_url_needs_no_configuration(daemon: Daemon) -> None:
    daemon.respond("GET /api/v1/status", status())
    assert ask_status(daemon) == status()


def test_the_token_goes_along(daemon: Daemon, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("open sesame\n")
    daemon.respond("GET /api/v1/status", status())
    ask_status(daemon, tmp_path / "token")
    assert daemon.asked[-1].authorization == "Bearer open sesame"


@pytest.mark.parametrize(
    ("content", "sentence"), [(None, "cannot be read: No such file"), (b"\n", "has no valid token")]
)
def test_a_token_file_must_hold_a_token(daemon: Daemon, tmp_path: Path, content: bytes | None, sentence: str) -> None:
    path = tmp_path / "token"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=sentence):
        ask_status(daemon, path)


def test_the_configuration_leads_to_its_daemon(daemon: Daemon, tmp_path: Path, run: Run) -> None:
    daemon.respond("GET /api/v1/status", status())
    port = daemon.url.rpartition(":")[2]
    path = tmp_path / "driftd.yaml"
    path.write_text(f"api: {{port: {port}}}\n")
    result = run("db", "info", "--config", path, "--json")
    assert (result.code, result.document["dead_letters"]) == (0, 2)
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("code", "error", "exit_code"),
    [
        (400, UsageError, 2),
        (401, UsageError, 2),
        (403, UsageError, 2),
        (404, NotFound, 2),
        (409, Conflict, 1),
        (422, UsageError, 2),
        (429, Retryable, 1),
        (500, Retryable, 1),
        (503, Retryable, 1),
    ],
)
def test_a_problem_becomes_its_sentence(daemon: Daemon, code: int, error: type[DriftdError], exit_code: int) -> None:
    daemon.refuses("GET /api/v1/status", code, "this is the sentence")
    with pytest.raises(error, match="this is the sentence") as caught:
        ask_status(daemon)
    assert caught.value.exit_code == exit_code


def test_a_refused_token_reports_how_to_give_one(daemon: Daemon, run: Run) -> None:
    daemon.refuses("GET /api/v1/status", 401, "a token is required")
    result = run("db", "info", "--url", daemon.url)
    assert (result.code, result.out) == (2, "")
    assert result.err == "a token is required (set the token with --token-file)\n"


def test_an_error_that_is_no_problem_document_names_the_address(daemon: Daemon) -> None:
    daemon.respond("GET /api/v1/status", b"<html>bad gateway</html>", status=502)
    with pytest.raises(Retryable, match=r"/api/v1/status answered 502 Bad Gateway and is not driftd"):
        ask_status(daemon)


def test_an_answer_of_another_version_is_reported_to_be_one(daemon: Daemon) -> None:
    daemon.respond("GET /api/v1/status", b'{"new": "field"}')
    with pytest.raises(UsageError, match="must have the same version"):
        ask_status(daemon)


def test_another_service_is_not_taken_for_a_daemon(daemon: Daemon) -> None:
    daemon.respond("GET /healthz", b"pong")
    with pytest.raises(UsageError, match="is not driftd; check the address"):
        ask_status(daemon)


def test_nothing_at_the_url_reports_what_to_do(run: Run) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    result = run("db", "info", "--url", url)
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        f"no daemon answers at {url}; start one with `driftd serve`, or omit --url to open the database file\n"
    )


@pytest.mark.parametrize("url", ["localhost:8400", "ftp://x", "http://", "http://[::1", ""])
def test_what_is_no_address_is_refused(run: Run, url: str) -> None:
    result = run("db", "info", "--url", url)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"--url {url}: invalid address")


def test_a_service_that_speaks_no_http_is_not_taken_for_a_daemon(run: Run) -> None:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen()
        import threading

        def hang_up() -> None:
            connection, _ = sock.accept()
            connection.recv(1000)
            connection.sendall(b"220 mail ready\r\n")
            connection.close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        result = run("db", "info", "--url", f"http://127.0.0.1:{sock.getsockname()[1]}")
        thread.join()
    assert result.code == 2
    assert "is not driftd" in result.err


def test_a_list_is_fetched_page_by_page(daemon: Daemon) -> None:
    pages = [
        ListPage[HealthItem](items=[HealthItem(status="ok")] * 500, next_cursor="two"),
        ListPage[HealthItem](items=[HealthItem(status="ok")] * 100, next_cursor=None),
    ]
    daemon.respond("GET /api/v1/things", *pages)
    with connect(config_path=NOWHERE, url=daemon.url, token_file=None) as api:
        found = api.list("/api/v1/things", HealthItem, limit=10_000, deployment="support", since=None)
    assert (len(found.items), found.next_cursor) == (600, None)
    assert [a.query for a in daemon.asked[1:]] == [
        {"limit": "500", "deployment": "support"},
        {"limit": "500", "deployment": "support", "cursor": "two"},
    ]


def test_a_list_stops_at_its_limit(daemon: Daemon) -> None:
    daemon.respond("GET /api/v1/runs", ListPage(items=[run_item()], next_cursor="more"))
    with connect(config_path=NOWHERE, url=daemon.url, token_file=None) as api:
        assert api.list("/api/v1/runs", type(run_item()), limit=1).next_cursor == "more"
    assert daemon.asked[-1].query == {"limit": "1"}


def test_a_daemon_that_goes_away_is_reported_to(daemon: Daemon) -> None:
    api = Api(where=f"http://127.0.0.1:{free_port()}", headers={})
    with pytest.raises(Retryable, match="stopped responding"):
        api.get("/api/v1/status", StatusItem)
    api.close()


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:8400"),
        ("0.0.0.0", "http://127.0.0.1:8400"),
        ("::", "http://[::1]:8400"),
        ("::1", "http://[::1]:8400"),
        ("driftd.internal", "http://driftd.internal:8400"),
    ],
)
def test_a_daemon_is_reached_where_it_listens(host: str, address: str) -> None:
    assert address_of(Config().model_copy(update={"api": ApiConfig(host=host)})) == address


def test_secrets_stay_out_of_what_the_gateway_shows() -> None:
    api = Api(where="http://127.0.0.1:1", headers={"Authorization": "Bearer open-sesame"})
    assert "open-sesame" not in repr(api)
    assert "open-sesame" not in repr(SecretStr("open-sesame"))
    api.close()
