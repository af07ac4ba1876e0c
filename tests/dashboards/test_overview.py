"""The overview with 0, 1, 3 and 100 deployments."""

from datetime import timedelta
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from dashboards.panels.overview import words
from dashboards.panels.overview.filters import Chosen, matching
from dashboards.panels.overview.flat_rows import flat_rows
from dashboards.panels.overview.row import row_html, summary
from dashboards.panels.overview.sparkline import sparkline
from monitor.api.schema import AcceptanceItem

from .conftest import OpenPage, commands, everything
from .fake_daemon import FakeDaemon
from .fake_daemon import nights as daemon_nights
from .items import alert
from .overview_items import (
    NOW,
    STATES,
    hundred,
    night,
    nights,
    no_verdict,
    overview_item,
    overview_set,
    regressed,
    replaying,
)


def links(page: AppTest, target: str) -> list[str]:
    return [link.proto.query_string for link in page.page_link if link.proto.page == target]


def test_an_empty_daemon_shows_what_to_configure(open_page: OpenPage) -> None:
    page = open_page(FakeDaemon())
    assert "No deployment is configured" in everything(page)
    assert commands(page) == ["driftd check"]


def test_each_deployment_is_a_row_with_links_to_its_page_and_its_alert(open_page: OpenPage) -> None:
    items = [regressed("shop-search"), replaying("shop-chat"), overview_item("empty-bot", "no_data", sets=[])]
    page = open_page(FakeDaemon(overview=items))
    names = ["deployment=shop-search", "deployment=shop-chat", "deployment=empty-bot"]
    assert links(page, "deployment") == names
    assert links(page, "alerts") == ["alert=alert-primes"]
    badges = [str(row.value) for row in page.markdown]
    assert badges[0] == summary(items)
    assert ":red-badge[:material/trending_down: regression]" in badges


def test_a_hundred_deployments_are_shown_in_parts_the_worst_first(open_page: OpenPage) -> None:
    page = open_page(FakeDaemon(overview=hundred()))
    assert links(page, "deployment")[:2] == ["deployment=bot-000", "deployment=bot-036"]
    assert len(links(page, "deployment")) == 25
    page.button(key="more rows").click().run()
    assert len(links(page, "deployment")) == 50
    assert page.query_params["rows"] == "50"


def test_search_and_state_are_read_from_the_address(open_page: OpenPage) -> None:
    page = open_page(FakeDaemon(overview=hundred()), query={"search": "shop", "state": "regression"})
    assert links(page, "deployment") == ["deployment=shop-search"]
    page = open_page(FakeDaemon(overview=hundred()), query={"search": "nothing like this"})
    assert "No deployment matches." in everything(page)


def test_a_link_to_an_alert_opens_the_page_of_the_alert(open_page: OpenPage) -> None:
    daemon = daemon_nights(3)
    daemon.alerts = [alert(daemon.findings[0], "it fell")]
    page = open_page(daemon, query={"alert": daemon.alerts[0].id})
    assert page.title[0].value == "Alert"


def test_alerts_and_warnings_about_driftd_itself_are_above_the_rows(open_page: OpenPage) -> None:
    daemon = daemon_nights(3)
    own = {"deployment": "driftd", "set_name": None, "source": "disk", "rule": "DiskNearlyFull"}
    daemon.alerts = [alert(daemon.findings[0], "the disk is 96 % full", **own)]
    daemon.warnings = ["schedule nightly is paused by *anna*"]
    page = open_page(FakeDaemon(alerts=daemon.alerts, warnings=daemon.warnings, overview=[overview_item()]))
    assert [str(row.value) for row in page.warning] == [
        "**DiskNearlyFull**, disk: the disk is 96 % full",
        r"schedule nightly is paused by \*anna\*",
    ]
    assert links(page, "alerts") == [f"alert={daemon.alerts[0].id}"]


def test_with_an_unreachable_daemon_every_status_is_unknown(open_page: OpenPage) -> None:
    page = open_page("http://127.0.0.1:1")
    assert "The daemon cannot be reached" in str(page.error[0].value)
    assert "the status of every deployment is unknown" in everything(page)


class Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.found.append(data)


def text_of(html: str) -> str:
    parser = Text()
    parser.feed(html)
    return " | ".join(parser.found)


def test_a_row_has_since_when_what_changed_the_interval_and_the_age() -> None:
    text = text_of(row_html(regressed(), NOW))
    assert "since 2026-03-07 02:30 (7 hours ago): pass rate moved from 83.7 % to 50.2 %" in text
    assert "model change gpt-4-0314 · prompt 3f2a9c → gpt-4-0613 · prompt 3f2a9c, observed" in text
    assert "regression −33.5 points (−38.3 to −28.7) | measured 7 hours ago" in text
    assert "124 of 12,400 calls (1.0 %) | 12 for review" in text
    assert "corrections | dynamic | no scored night | no cases yet" in text
    assert "next replay | 2026-03-08 01:30 (in 16 hours)" in text
    assert "? judges: not measured | ✓ sets: ok | ✓ ingest: ok" in text


def test_a_running_replay_is_a_progress_bar_with_numbers() -> None:
    html = row_html(replaying("bot"), NOW)
    assert '<progress aria-label="replayed samples" value="320" max="880">' in html
    assert "primes is replayed: 320 of 880, started 4 minutes ago" in text_of(html)


def test_an_accepted_level_is_neither_ok_nor_recovered() -> None:
    accepted = AcceptanceItem(by="ana", reason="cheaper", at=NOW)
    assert words.verdict_text(overview_set(acceptance=accepted, effect=-0.3)).startswith("accepted by ana −30.0 points")


def test_a_stale_and_an_imported_verdict_are_named() -> None:
    old = overview_set(stale_at=NOW, imported=True, measured_at=NOW - timedelta(days=4))
    assert words.age_text(old, NOW) == "stale, imported, measured 4 days ago"


def test_no_data_is_never_a_number() -> None:
    empty = no_verdict(cases=0)
    assert (words.rate_text(empty), words.verdict_text(empty), words.age_text(empty, NOW)) == (
        "no data",
        "no cases yet",
        "",
    )
    assert words.verdict_text(no_verdict(cases=7)) == "no verdict yet"
    assert "<img" not in sparkline([night(0, 0, scored=0)], "primes", "#000", "#000")


def test_a_sparkline_marks_the_change_of_version_once_and_describes_itself() -> None:
    picture = sparkline(nights(fall=True), "primes", "#d55e00", "#1c2733")
    assert 'alt="Pass rate of primes in 30 nights: from 50.5 % to 85.0 %; last 51.0 %' in picture


hostile = st.text(alphabet="<>&\"'ab*[](){}`$", max_size=12)


@given(hostile, hostile)
def test_text_from_outside_never_becomes_an_element(name: str, reason: str) -> None:
    item = overview_item(reason=reason, sets=[overview_set(f"x{name}")])
    parser = Text()
    parser.feed(row_html(item, NOW))
    calm = Text()
    calm.feed(row_html(overview_item(reason="r", sets=[overview_set("x")]), NOW))
    assert parser.tags == calm.tags


@pytest.mark.parametrize("state", STATES)
def test_only_ok_is_green(state: str) -> None:
    assert ("green" in summary([overview_item("bot", state)])) == (state == "ok")


def test_the_filter_finds_names_versions_and_sets() -> None:
    items = [regressed("shop"), overview_item("bank")]

    def found(text: str, *states: str) -> list[str]:
        return [item.deployment for item in matching(items, Chosen(text=text, states=states))]

    assert found("") == ["shop", "bank"]
    assert found("0613 SHOP") == ["shop"]
    assert found("primes") == ["shop", "bank"]
    assert found("", "ok") == ["bank"]


def test_the_download_has_a_row_for_each_set_and_one_for_a_deployment_without_sets() -> None:
    rows = flat_rows([regressed("shop"), overview_item("empty", "no_data", sets=[])])
    assert [(row["deployment"], row["set"]) for row in rows] == [
        ("shop", "primes"),
        ("shop", "corrections"),
        ("empty", None),
    ]
    assert len({tuple(row) for row in rows}) == 1, "every row has the same columns"
