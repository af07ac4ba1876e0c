"""The Alerts page over the daemon's own API: a person acknowledges, judges, silences and resolves an alert."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from monitor.api.auth import Role
from monitor.domain.alert import AlertState
from monitor.store.findings import alerts, silences
from tests.api.house import NOW, House, open_house, token_of, tokens_for_roles
from tests.api.rows import add_alert
from tests.asgi_server import serving

from .conftest import OpenPage, everything

PAGE = "alerts"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as opened:
        add_alert(opened, "alert-1", state=AlertState.FIRING, rule="CategoryRegression", deployment="bot")
        add_alert(opened, "alert-0", state=AlertState.RESOLVED, rule="SetStale", deployment="bot", resolved_at=NOW)
        yield opened


def press(page: AppTest, label: str) -> AppTest:
    next(button for button in page.button if button.label == label).click().run()
    assert not page.exception, [error.value for error in page.exception]
    return page


def test_the_page_lists_open_and_past_alerts(open_page: OpenPage, house: House) -> None:
    with serving(house.app) as url:
        text = everything(open_page(url, PAGE))
    assert "1 open alert" in text
    assert "firing] **CategoryRegression** · bot" in text
    assert "resolved] **SetStale** · bot" in text
    assert "Precision" in text


def test_the_link_of_a_message_opens_the_alert_and_a_person_steers_it(open_page: OpenPage, house: House) -> None:
    with serving(house.app) as url:
        page = open_page(url, PAGE, {"alert": "alert-1"})
        page.text_input(key="operator").set_value("anna").run()
        assert "is acknowledged" in everything(press(page, "Acknowledge"))
        page.radio(key="verdict alert-1").set_value("expected").run()
        press(page, "Store the verdict")
        page.text_input(key="comment alert-1").set_value("planned").run()
        assert "It hides 1 open alert now" in everything(page)
        assert "suppressed" in everything(press(page, "Create the silence"))
        assert "No alert is open" in everything(press(page, "Resolve the alert"))
    with house.store.read() as tx:
        found = alerts.get(tx, "alert-1")
        (silence,) = silences.current(tx, NOW)
    assert found is not None
    assert (found.state, found.verdict) == (AlertState.RESOLVED, "expected")
    assert found.acknowledged_by is not None
    assert "anna" in found.acknowledged_by
    assert "anna" in silence.created_by
    assert {str(matcher) for matcher in silence.matchers} >= {'alertname="CategoryRegression"', 'deployment="bot"'}


def test_the_link_of_a_runbook_shows_its_page(open_page: OpenPage, house: House) -> None:
    with serving(house.app) as url:
        page = open_page(url, PAGE, {"runbook": "SetStale"})
        assert "SetStale" in everything(page)
        assert "1 open alert" in everything(press(page, "Back to the alerts"))


def test_an_alert_that_does_not_exist_is_named(open_page: OpenPage, house: House) -> None:
    with serving(house.app) as url:
        page = open_page(url, PAGE, {"alert": "alert-9"})
    assert "alert-9" in everything(page).replace("\\", "")
    assert "unknown" in everything(page)


def test_a_token_that_only_reads_is_told_so(open_page: OpenPage, tmp_path: Path) -> None:
    with open_house(tmp_path, tokens=tokens_for_roles()) as house, serving(house.app) as url:
        token = tmp_path / "token"
        token.write_text(token_of(Role.READ))
        page = open_page(url, PAGE, token_file=token)
    assert "lacks the role `operate`" in everything(page)
