"""The Alerts page over the daemon's own API: a person acknowledges, judges, silences and resolves an alert."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from monitor.api.auth import Role
from monitor.domain.alert import AlertState
from monitor.store.findings import alerts, silences
from tests.api.house import NOW, House, open_house, token_of, tokens_for_roles
from tests.api.routes.test_alert_details import nightly
from tests.api.rows import add_alert, add_finding, add_notification, add_version
from tests.asgi_server import serving

from .conftest import OpenPage, everything

PAGE = "alerts"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as opened:
        add_alert(
            opened, "alert-1", state=AlertState.FIRING, rule="CategoryRegression", deployment="bot", group_id="alert-1"
        )
        add_alert(opened, "alert-0", state=AlertState.RESOLVED, rule="SetStale", deployment="bot", resolved_at=NOW)
        yield opened


def press(page: AppTest, label: str) -> AppTest:
    next(button for button in page.button if button.label == label).click().run()
    assert not page.exception, [error.value for error in page.exception]
    return page


def test_the_page_lists_open_alerts_and_each_filter_is_in_the_address(open_page: OpenPage, house: House) -> None:
    with serving(house.app) as url:
        page = open_page(url, PAGE)
        assert "firing]" in everything(page)
        assert "resolved]" not in everything(page)
        past = everything(open_page(url, PAGE, {"status": "resolved"}))
        assert "resolved]" in past
        assert "firing]" not in past
        assert "No alert matches these filters" in everything(open_page(url, PAGE, {"text": "refunds"}))
        assert "No alert matches these filters" in everything(open_page(url, PAGE, {"severity": "warning"}))


def test_the_rules_and_the_silences_have_links(open_page: OpenPage, house: House) -> None:
    with serving(house.app) as url:
        assert "Precision" in everything(open_page(url, PAGE, {"view": "rules"}))
        assert "No silence yet" in everything(open_page(url, PAGE, {"view": "silences"}))


def test_the_link_of_a_message_opens_the_alert_and_a_person_steers_it(open_page: OpenPage, house: House) -> None:
    with serving(house.app) as url:
        page = open_page(url, PAGE, {"alert": "alert-1"})
        page.text_input(key="operator").set_value("anna").run()
        assert "is acknowledged" in everything(press(page, "Acknowledge"))
        page.radio(key="verdict alert-1").set_value("expected").run()
        press(page, "Store the verdict")
        page.text_input(key="comment alert-1").set_value("planned").run()
        assert "It hides **1 open alert** now" in everything(page)
        assert "suppressed" in everything(press(page, "Create the silence"))
        assert "resolved]" in everything(press(page, "Resolve the alert"))
    with house.store.read() as tx:
        found = alerts.get(tx, "alert-1")
        (silence,) = silences.current(tx, NOW)
    assert found is not None
    assert (found.state, found.verdict) == (AlertState.RESOLVED, "expected")
    assert found.acknowledged_by is not None
    assert "anna" in found.acknowledged_by
    assert "anna" in silence.created_by
    assert {str(matcher) for matcher in silence.matchers} >= {'alertname="CategoryRegression"', 'deployment="bot"'}


def test_an_alert_has_its_evidence_its_changes_and_its_notifications(open_page: OpenPage, house: House) -> None:
    add_version(house, "v1")
    add_version(house, "v2")
    for number, e in enumerate((2.0, 90.0, 4000.0)):
        at = NOW + timedelta(days=number - 3)
        add_finding(house, f"finding-{number}", at, evidence=nightly(e, "prime"), to_version="v2")
    add_notification(house, "n1", group_id="alert-1")
    with serving(house.app) as url:
        page = open_page(url, PAGE, {"alert": "alert-1"})
    text = everything(page)
    assert "**Evidence in prime**" in text
    assert "**label of v1** → **label of v2**" in text
    table = next(row.value for row in page.dataframe if "receiver" in row.value.columns)
    assert table["receiver"].tolist() == ["console"]
    assert table["state"].tolist() == ["✓ sent"]
    nights = next(row.value for row in page.dataframe if "share of an alarm" in row.value.columns)
    assert nights["share of an alarm"].tolist() == ["120 %", "65 %", "10 %"]


def test_the_link_of_a_runbook_shows_its_page(open_page: OpenPage, house: House) -> None:
    with serving(house.app) as url:
        page = open_page(url, PAGE, {"runbook": "SetStale"})
    assert "SetStale" in everything(page)


def test_an_alert_that_does_not_exist_is_named(open_page: OpenPage, house: House) -> None:
    with serving(house.app) as url:
        page = open_page(url, PAGE, {"alert": "alert-9"})
    assert "alert-9" in everything(page).replace("\\", "")
    assert "unknown" in everything(page)


def test_without_the_role_every_action_is_disabled_and_the_page_names_the_role(
    open_page: OpenPage, tmp_path: Path
) -> None:
    with open_house(tmp_path, tokens=tokens_for_roles()) as house, serving(house.app) as url:
        add_alert(house, "alert-1", rule="CategoryRegression")
        token = tmp_path / "token"
        token.write_text(token_of(Role.READ))
        page = open_page(url, PAGE, {"alert": "alert-1"}, token_file=token)
    text = everything(page)
    assert "lacks the role `operate`" in text
    assert "lacks the role `review`" in text
    assert next(button for button in page.button if button.label == "Acknowledge").disabled


def test_a_part_that_fails_leaves_the_rest_of_the_page_complete() -> None:
    def page_of_two_parts() -> None:
        import streamlit as st

        from dashboards.client import DaemonError
        from dashboards.panels.alerts.part import part

        with part("Message"):
            raise DaemonError("returned 500: internal error")
        with part("History"):
            st.markdown("three events")

    page = AppTest.from_function(page_of_two_parts).run()
    assert not page.exception
    text = everything(page)
    assert "**Message cannot be shown.** returned 500" in text.replace("\\", "")
    assert "three events" in text
