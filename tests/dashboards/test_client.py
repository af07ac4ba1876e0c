from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from dashboards.client import PAGE, Client, DaemonError, DaemonUnreachable
from monitor.api.schema import RunItem, StatusItem
from tests.asgi_server import serving

from .fake_daemon import NOW, FakeDaemon, many, regression
from .items import BOT
from .server import build


@pytest.fixture
def quarter() -> Iterator[tuple[FakeDaemon, Client]]:
    daemon = many()
    daemon.runs = [*daemon.runs, *daemon.runs]  # 240: more than one page
    with serving(build(daemon)) as url, Client(url) as client:
        yield daemon, client


def test_a_list_is_fetched_page_by_page_up_to_the_limit(quarter: tuple[FakeDaemon, Client]) -> None:
    daemon, client = quarter
    assert len(daemon.runs) > PAGE
    assert client.items("runs", RunItem, most=1000) == daemon.runs
    assert client.items("runs", RunItem, most=PAGE + 7) == daemon.runs[: PAGE + 7]
    assert client.items("runs", RunItem, most=3, deployment="another") == []


def test_a_list_can_start_at_a_time(quarter: tuple[FakeDaemon, Client]) -> None:
    daemon, client = quarter
    since = daemon.now - timedelta(days=3)
    assert {run.planned_at >= since for run in client.items("runs", RunItem, most=1000, since=since)} == {True}


def test_single_items_are_read_by_id() -> None:
    with serving(build(regression())) as url, Client(url) as client:
        assert client.status().now == NOW
        assert client.alert("alert-primes").deployment == BOT
        finding = client.finding(client.alert("alert-primes").finding_id)
        assert finding.verdict == "regression"
        with pytest.raises(DaemonError, match="returned 404: alert-9 is unknown"):
            client.alert("alert-9")


def test_a_refused_connection_is_reported_with_advice() -> None:
    with Client("http://127.0.0.1:1") as client, pytest.raises(DaemonUnreachable) as caught:
        client.status()
    assert "cannot be reached at http://127.0.0.1:1" in str(caught.value)
    assert "driftd serve" in str(caught.value)


@pytest.mark.parametrize("url", ["127.0.0.1:8400", "http://[::bad", "ftp://127.0.0.1"])
def test_an_invalid_address_is_unreachable(url: str) -> None:
    with pytest.raises(DaemonUnreachable, match="cannot be reached"), Client(url) as client:
        client.status()


def test_a_token_is_sent_and_a_missing_one_is_reported(tmp_path: Path) -> None:
    token_file = tmp_path / "token"
    token_file.write_text("s3cret\n")
    with serving(build(regression(), token="s3cret")) as url:
        with Client(url, token_file) as client:
            assert client.status().now == NOW
        with Client(url) as client, pytest.raises(DaemonError, match=r"401: a token is required.*--token-file FILE"):
            client.status()


def test_an_invalid_token_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DaemonError, match=r"token file .*nowhere cannot be read"):
        Client("http://127.0.0.1:1", tmp_path / "nowhere")
    for content in ("", "two\nlines", "sécret"):
        (tmp_path / "token").write_text(content, encoding="utf-8")
        with pytest.raises(DaemonError, match="one line of printable text"):
            Client("http://127.0.0.1:1", tmp_path / "token")


def test_an_unknown_response_format_asks_for_equal_versions() -> None:
    odd = Starlette(routes=[Route("/api/v1/status", lambda _: PlainTextResponse('{"now": 3}'))])
    with serving(odd) as url, Client(url) as client, pytest.raises(DaemonError, match="in the same version"):
        client.status()


def test_an_error_that_is_not_a_problem_document_is_shown_as_text() -> None:
    odd = Starlette(routes=[Route("/api/v1/status", lambda _: PlainTextResponse("proxy says no", status_code=502))])
    with serving(odd) as url, Client(url) as client, pytest.raises(DaemonError, match="returned 502: proxy says no"):
        client.status()


def test_the_test_server_has_the_contract_of_the_daemon() -> None:
    StatusItem.model_validate_json(regression().status().model_dump_json())
