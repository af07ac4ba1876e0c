"""The Schedules page over the daemon's own API: the preview, and pause, resume and run as an operator."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from monitor.api.auth import Role
from monitor.domain.calendar.windows import Window
from monitor.domain.policy import Policy
from tests.api.house import House, import_cases, open_house, token_of, tokens_for_roles
from tests.api.policies import policy
from tests.asgi_server import serving

from .conftest import OpenPage, everything

PAGE = "schedules"
BACKUP = Window(name="backup", timezone="UTC", days=frozenset({"sun"}), start=time(0), end=time(5))


def known() -> Policy:
    base = policy()
    bot = replace(base.deployments["bot"], sets=("private",))
    nightly = replace(base.schedules["nightly"], blackouts=(BACKUP,))
    return replace(base, deployments={**base.deployments, "bot": bot}, schedules={"nightly": nightly})


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path, known=known()) as opened:
        import_cases(opened)
        yield opened


def press(page: AppTest, label: str) -> AppTest:
    next(button for button in page.button if button.label == label).click().run()
    assert not page.exception, [error.value for error in page.exception]
    return page


def test_the_page_shows_each_schedule_and_the_next_days_with_their_cost(open_page: OpenPage, house: House) -> None:
    with serving(house.app) as url:
        page = open_page(url, PAGE)
        text = everything(page)
        assert "**nightly** :green-badge[active]" in text
        assert "blackouts, postpone: backup (sun 00:00 to 05:00 UTC)" in text
        assert "2026-11-22 05:00 (2026-11-22 06:00 Europe/Berlin)" in text
        calendar = page.dataframe[0].value
        assert set(calendar["state"]) == {"planned"}
        assert set(calendar["set"]) == {"bot: private"}
        table = page.dataframe[1].value
        assert list(table["state"])[:2] == ["postponed from 2026-11-22 01:00 by backup", "planned"]
        assert list(table["calls"])[:2] == ["4", "4"]
        assert "**7 replays**, 28 calls, unknown tokens, unknown cost" in text


def test_an_operator_pauses_and_resumes_with_name_and_reason(open_page: OpenPage, house: House) -> None:
    with serving(house.app) as url:
        page = open_page(url, PAGE)
        page.text_input(key="operator").set_value("anna").run()
        page.selectbox(key="length nightly").set_value("3 days")
        page.text_input(key="reason nightly").set_value("*migration*")
        press(page, "Pause")
        [pause] = house.get("/api/v1/schedules").json()["items"][0]["pauses"]
        assert (pause["paused_by"], pause["reason"], pause["until"]) == ("anna", "*migration*", "2026-11-24T02:00:00Z")
        assert r"Paused by anna at 2026-11-21 02:00, until 2026-11-24 02:00: \*migration\*" in everything(page)
        press(page, "Resume")
        assert house.get("/api/v1/schedules").json()["items"][0]["pause"] is None
        assert "Schedule nightly is active again" in everything(page)


def test_an_operator_starts_the_runs_and_a_second_start_is_refused(open_page: OpenPage, house: House) -> None:
    with serving(house.app) as url:
        page = press(open_page(url, PAGE), "Start the runs")
        assert "The runs of nightly are planned" in everything(page)
        assert [run["set_name"] for run in house.get("/api/v1/runs").json()["items"]] == ["private"]
        assert "has nothing to run" in str(press(page, "Start the runs").error[0].value)


def test_a_token_without_the_role_may_read_only(open_page: OpenPage, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text(token_of(Role.READ))
    with open_house(tmp_path, tokens=tokens_for_roles(), known=known()) as guarded, serving(guarded.app) as url:
        page = open_page(url, token_file=token)
        page.switch_page(f"screens/{PAGE}.py").run()
        assert "lacks the role `operate`" in str(page.warning[0].value)
        assert not page.button


def test_without_a_daemon_the_page_names_the_reason(open_page: OpenPage) -> None:
    page = open_page("http://127.0.0.1:9", PAGE)
    assert "The schedules cannot be shown" in str(page.error[0].value)
