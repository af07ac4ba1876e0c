"""The page System over the daemon's own API."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from monitor.alerting.notify.console import Console
from monitor.api.auth import Role
from tests.api.house import House, open_house, token_of, tokens_for_roles
from tests.api.records import interaction
from tests.asgi_server import serving

from .conftest import OpenPage, everything

PAGE = "system"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as opened:
        yield opened


def press(page: AppTest, label: str) -> AppTest:
    next(button for button in page.button if button.label == label).click().run()
    assert not page.exception, [error.value for error in page.exception]
    return page


def test_a_deployment_without_calls_is_shown_as_such(open_page: OpenPage, house: House) -> None:
    with serving(house.app) as url:
        page = open_page(url, PAGE)
    calls = page.dataframe[0].value
    assert list(calls["last call"]) == ["never", "never"]
    assert page.metric[1].value == "0"


def test_a_dead_letter_is_corrected_and_stored_from_the_page(open_page: OpenPage, house: House) -> None:
    house.post("/api/v1/interactions", {**interaction(), "hello": 1})
    [letter] = house.get("/api/v1/dead_letters").json()["items"]
    with serving(house.app) as url:
        page = open_page(url, PAGE, {"part": "Dead letters", "letter": letter["id"]})
        area = page.text_area(key=f"record {letter['id']}")
        press(page, "Retry")
        assert "still invalid" in page.error[0].value
        area = page.text_area(key=f"record {letter['id']}")
        area.set_value(str(area.value).replace(',\n  "hello": 1', "").replace('"hello": 1,', "")).run()
        press(page, "Store the corrected record")
        assert f"The record of {letter['id']} is stored" in page.success[0].value
    assert house.get("/api/v1/dead_letters").json()["items"] == []
    assert len(house.get("/api/v1/interactions").json()["items"]) == 1


def test_a_dead_letter_is_discarded(open_page: OpenPage, house: House) -> None:
    house.post("/api/v1/interactions", {**interaction(), "hello": 1})
    [letter] = house.get("/api/v1/dead_letters").json()["items"]
    with serving(house.app) as url:
        press(open_page(url, PAGE, {"part": "Dead letters", "letter": letter["id"]}), "Discard")
    assert house.get("/api/v1/dead_letters").json()["items"] == []


def test_a_test_notification_reaches_the_receiver(open_page: OpenPage, tmp_path: Path) -> None:
    out = io.StringIO()
    with open_house(tmp_path, receivers={"pager": Console("pager", out)}) as house, serving(house.app) as url:
        page = open_page(url, PAGE, {"part": "Receivers"})
        assert "not used yet" in everything(page)
        assert "pager accepted the test notification" in press(page, "Test").success[0].value
    assert "test" in out.getvalue()


def test_a_token_is_created_and_shown_once(open_page: OpenPage, house: House) -> None:
    with serving(house.app) as url:
        page = open_page(url, PAGE, {"part": "Tokens"})
        assert "**No token is stored.**" in everything(page)
        page.text_input[0].set_value("anna")
        page.multiselect[0].set_value(["admin"])
        press(page, "Create")
        text = page.code[-1].value
    assert house.get("/api/v1/tokens").status_code == 401
    [item] = house.get("/api/v1/tokens", token=text).json()["items"]
    assert (item["name"], item["roles"]) == ("anna", ["admin"])


def test_configured_tokens_are_shown_with_their_last_use(open_page: OpenPage, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text(token_of(Role.ADMIN))
    with open_house(tmp_path / "house", tokens=tokens_for_roles()) as house, serving(house.app) as url:
        page = open_page(url, PAGE, {"part": "Tokens"}, token)
        shown = page.dataframe[0].value
    used = dict(zip(shown["name"], shown["last used"], strict=True))
    assert used.pop(f"name of {token_of(Role.ADMIN)}") != "never"
    assert set(used.values()) == {"never"}


def test_without_the_role_the_page_names_it(open_page: OpenPage, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text(token_of(Role.READ))
    with open_house(tmp_path / "house", tokens=tokens_for_roles()) as house, serving(house.app) as url:
        page = open_page(url, PAGE, {"part": "Tokens"}, token)
        assert "lacks the role `admin`" in everything(page)
        page = open_page(url, PAGE, {"part": "Receivers"}, token)
        assert "lacks the role `operate`" in everything(page)
        assert all(button.disabled for button in page.button)


def test_every_part_has_an_address(open_page: OpenPage, house: House) -> None:
    with serving(house.app) as url:
        assert "Losses" in everything(open_page(url, PAGE, {"part": "Database"}))


def test_the_audit_log_names_who_did_what(open_page: OpenPage, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text(token_of(Role.ADMIN))
    with open_house(tmp_path / "house", tokens=tokens_for_roles()) as house, serving(house.app) as url:
        house.post("/api/v1/changes", {"deployment": "bot", "model": "gpt-5"}, token=token_of(Role.OPERATE))
        page = open_page(url, PAGE, {"part": "Audit log"}, token)
        entries = page.dataframe[0].value
        assert "POST /api/v1/changes" in list(entries["operation"])
        page = open_page(url, PAGE, {"part": "Audit log", "operation": "tokens"}, token)
        assert not page.dataframe[0].value.size
