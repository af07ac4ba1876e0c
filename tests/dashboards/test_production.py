from datetime import timedelta

from .conftest import OpenPage, everything
from .fake_daemon import NOW, FakeDaemon, nights
from .interactions import day
from .production import corrections_doubled, production_alert, with_rates

SERIES = {"view": "series"}


def test_the_traffic_names_an_open_alert_and_links_to_its_verdict(open_page: OpenPage) -> None:
    daemon = corrections_doubled(nights(4))
    daemon.alerts.append(production_alert("traffic", "traffic has drifted since 2026-03-05", severity="info"))
    page = open_page(daemon, "production")
    assert "**Open alert:** production corrections" in everything(page)
    links = [link.proto.query_string for link in page.page_link]
    assert links[:2] == ["deployment=support-bot&view=series", "deployment=support-bot&view=drift"]
    assert not open_page(nights(4), "production").page_link


def test_an_alert_on_production_is_first_on_its_page_and_links_to_its_days(open_page: OpenPage) -> None:
    page = open_page(corrections_doubled(nights(4)), "deployment")
    assert str(page.error[0].value).startswith("**support-bot · production corrections** is regressing since")
    assert "rose from 4.0 % to 8.0 %" in str(page.error[0].value)
    assert not page.success  # no callout reports the absence of a regression
    links = [(link.proto.page, link.proto.query_string) for link in page.page_link]
    assert ("production", "deployment=support-bot&view=series") in links
    alerts = page.tabs[3].dataframe[0].value
    assert list(alerts["subject"]) == ["production corrections"]


def test_traffic_drift_is_information_and_not_a_regression(open_page: OpenPage) -> None:
    daemon = nights(4)
    daemon.alerts.append(production_alert("traffic", "traffic has drifted since 2026-03-05", severity="info"))
    page = open_page(daemon, "deployment")
    assert not page.error
    assert any("has drifted" in str(info.value) for info in page.info)
    assert "No regression" in str(page.success[0].value)


def test_the_page_shows_each_series_with_its_newest_day_and_its_verdict(open_page: OpenPage) -> None:
    page = open_page(corrections_doubled(nights(4)), "production", SERIES)
    assert [(metric.label, metric.value) for metric in page.metric] == [
        (f"{NOW.date() - timedelta(days=1)}", "8.00 %"),
        (f"{NOW.date() - timedelta(days=1)}", "812 ms"),
    ]
    text = everything(page)
    assert "rose from 4.0 % to 8.0 %. Without a change, days vary by 0.60 points." in text
    assert "latency is what it was" in text
    assert "No complete day yet. driftd evaluates a day after it ends, at midnight UTC." in text


def test_calls_and_corrections_of_today_are_shown(open_page: OpenPage) -> None:
    daemon = corrections_doubled(nights(6))
    daemon.days = [day(1, 500, corrected=9, failed=7), day(0, 101, corrected=4, failed=0)]
    text = everything(open_page(daemon, "production"))
    assert "**Today until now:** 101 calls, 4 corrected. driftd evaluates today after midnight UTC." in text


def test_the_link_names_the_deployment(open_page: OpenPage) -> None:
    page = open_page(corrections_doubled(nights(4)), "production", {"deployment": "support-bot"})
    assert page.selectbox[0].value == "support-bot"


def test_a_missing_deployment_or_series_is_explained(open_page: OpenPage) -> None:
    assert "No deployment is configured" in everything(open_page(FakeDaemon(), "production"))
    assert "drift.production" in everything(open_page(nights(2), "production", SERIES))


def test_other_pages_accept_a_finding_without_a_set(open_page: OpenPage) -> None:
    daemon = corrections_doubled(nights(4))
    about = daemon.findings[0].model_copy(
        update={"id": "f", "set_name": None, "set_kind": None, "candidate_run": None, "series": "corrections"}
    )
    daemon.findings.insert(0, about.model_copy(update={"comparison": None, "verdict": "drift", "day": NOW.date()}))
    for name in ("failure_modes", "compare", "deployment"):
        assert "support-bot" in everything(open_page(daemon, name)) or name != "deployment"


def test_explicit_corrections_and_those_in_later_turns_are_shown_apart_with_their_intervals(
    open_page: OpenPage,
) -> None:
    page = open_page(with_rates(corrections_doubled(nights(4))), "production", SERIES)
    assert [(metric.label, metric.value) for metric in page.metric][:3] == [
        ("Explicit", "2.00 %"),
        ("In later turns", "3.00 %"),
        ("Corrected answers", "5.00 %"),
    ]
    text = everything(page)
    assert "95 % interval 1.61 to 2.48 %" in text
    assert "120 of 2,000 judged turns" in text
    assert "95 % interval 4.36 to 5.72 %, uncorrected: 12 reviews, 58 more needed" in text
    assert list(page.dataframe[0].value["version"]) == ["gpt-4-0314", "gpt-4-0613"]


def test_a_corrected_rate_names_the_reviews_and_the_errors_of_the_detector(open_page: OpenPage) -> None:
    known = {"status": "corrected", "reviews": 70, "reviews_missing": 0, "precision": 0.8, "recall": 0.72}
    page = open_page(with_rates(corrections_doubled(nights(4)), **known), "production", SERIES)
    assert "corrected for the detector by 70 reviews (precision 0.80, recall 0.72)" in everything(page)
