from datetime import timedelta

from monitor.api.schema import TodayItem

from .conftest import Look, everything
from .production import corrections_doubled, production_alert
from .world import NOW, World, nights


def test_an_alert_on_production_stands_first_on_the_overview_and_leads_to_its_days(look: Look) -> None:
    page = look(corrections_doubled(nights(4)))
    assert str(page.error[0].value).startswith("**support-bot · production corrections** is regressing since")
    assert "rose from 4.0 % to 8.0 %" in str(page.error[0].value)
    assert not page.success  # nothing says that nothing is regressing
    assert "regression" in str(page.header[0].value)
    link = page.page_link[0].proto
    assert (link.page, link.query_string) == ("production", "deployment=support-bot")
    alerts = page.tabs[2].dataframe[0].value
    assert list(alerts["about"]) == ["production corrections"]


def test_a_drift_of_traffic_is_a_hint_and_no_regression(look: Look) -> None:
    world = nights(4)
    world.alerts.append(production_alert("traffic", "traffic has drifted since 2026-03-05", severity="info"))
    page = look(world)
    assert not page.error
    assert any("has drifted" in str(info.value) for info in page.info)
    assert "No regression" in str(page.success[0].value)
    assert "ok" in str(page.header[0].value)


def test_the_page_shows_each_series_with_its_newest_day_and_its_verdict(look: Look) -> None:
    page = look(corrections_doubled(nights(4)), "production")
    assert [(metric.label, metric.value) for metric in page.metric] == [
        (f"{NOW.date() - timedelta(days=1)}", "8.00 %"),
        (f"{NOW.date() - timedelta(days=1)}", "812 ms"),
    ]
    text = everything(page)
    assert "rose from 4.0 % to 8.0 %. Days differ by 0.60 points by themselves." in text
    assert "latency is what it was" in text
    assert "No complete day yet. A day is judged after it is over, at midnight UTC." in text


def test_todays_calls_and_corrections_are_shown_before_the_day_is_over(look: Look) -> None:
    world = corrections_doubled(nights(4))
    today = TodayItem(calls=101, failed=0, corrections=4)
    world.deployments = [row.model_copy(update={"today": today}) for row in world.deployments]
    text = everything(look(world, "production"))
    assert "**Today so far:** 101 calls, 4 corrections. Today is judged when it is over (UTC)." in text


def test_the_link_names_the_deployment(look: Look) -> None:
    page = look(corrections_doubled(nights(4)), "production", {"deployment": "support-bot"})
    assert page.selectbox[0].value == "support-bot"


def test_without_a_deployment_or_a_series_there_is_a_sentence(look: Look) -> None:
    assert "No deployment is configured" in everything(look(World(), "production"))
    assert "drift.production" in everything(look(nights(2), "production"))


def test_other_pages_do_not_stumble_over_a_finding_without_a_set(look: Look) -> None:
    world = corrections_doubled(nights(4))
    about = world.findings[0].model_copy(
        update={"id": "f", "set_name": None, "set_kind": None, "candidate_run": None, "series": "corrections"}
    )
    world.findings.insert(0, about.model_copy(update={"comparison": None, "verdict": "drift", "day": NOW.date()}))
    for name in ("failure_modes", "compare", "overview"):
        assert "support-bot" in everything(look(world, name)) or name != "overview"
