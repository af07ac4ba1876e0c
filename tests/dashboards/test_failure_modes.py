from datetime import timedelta
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from .conftest import OpenPage, everything
from .failures import group
from .fake_daemon import FakeDaemon, many, nights, no_runs, outage, regression
from .items import run
from .test_metrics import judged
from .test_production_views import charts, values

PAGE = "failure_modes"


def test_moved_categories_are_in_a_table_worst_first(open_page: OpenPage) -> None:
    page = open_page(regression(), PAGE)
    moved, shifts = (page.dataframe[i].value for i in (0, 1))
    assert list(moved["category"]) == ["prime", "composite"]
    assert list(moved["moved"]) == ["fell", "rose"]
    assert list(moved["points"]) == ["−95.2", "+28.2"]
    assert list(moved["evidence"]) == ["p < 0.0001", "p < 0.0001"]
    assert list(shifts["points"]) == ["+32.2", "+2.0"]
    assert "gpt-4-0613 · prompt 3f2a9c compared with gpt-4-0314 · prompt 3f2a9c" in everything(page)


def test_moved_categories_link_to_the_answers(open_page: OpenPage) -> None:
    links = [link.proto for link in open_page(regression(), PAGE).page_link]
    assert [link.page for link in links] == ["compare", *["cases"] * 3]
    assert "state=newly_failing" in links[1].query_string
    outaged = open_page(outage(), PAGE).page_link  # nothing was compared
    assert "compare" not in {link.proto.page for link in outaged}


def test_each_failure_category_and_each_category_links_to_its_cases(open_page: OpenPage) -> None:
    failures = [link.proto.query_string for link in open_page(regression(), PAGE).page_link[2:]]
    assert ["failure=wrong_answer" in query for query in failures].count(True) == 1
    rates = [link.proto.query_string for link in open_page(regression(), PAGE, query=RATES).page_link[2:]]
    assert ["category=prime" in query for query in rates].count(True) == 1
    assert all("set=primes" in query for query in [*failures, *rates])


RATES, SOURCES = {"view": "rates"}, {"view": "sources"}


def strips(page: AppTest) -> list[str]:
    """Return the names of the strips of the chart that has strips, the first one first."""
    (found,) = [
        values(chart, at)
        for chart in charts(page)
        for at, layer in enumerate(chart["layer"])
        if layer["encoding"].get("text", {}).get("field") == "name"
    ]
    return [row["name"] for row in found]


def view_of(page: AppTest) -> Any:
    """Return the buttons of the views."""
    [found] = [buttons for buttons in page.get("button_group") if buttons.proto.label == "View"]
    return found


def bare(text: str) -> str:
    """Return a text without the escapes of Markdown."""
    return text.replace("\\", "")


def test_every_category_has_a_strip_largest_fall_first(open_page: OpenPage) -> None:
    page = open_page(regression(), PAGE, query=RATES)
    assert strips(page) == ["prime  now 2.5 %", "composite  now 98.0 %"]


def test_failure_categories_are_shares_of_the_scored_cases(open_page: OpenPage) -> None:
    page = open_page(regression(), PAGE)
    assert strips(page) == ["wrong_answer  now 39.9 %", "no_choice  now 9.9 %"]


@pytest.mark.parametrize(("query", "charts"), [({}, 2), (SOURCES, 3), (RATES, 2)])
def test_only_the_view_of_the_address_is_drawn(open_page: OpenPage, query: dict[str, str], charts: int) -> None:
    """A browser needs 45 ms for each chart: the page has few."""
    page = open_page(regression(), PAGE, query=query)
    assert not page.exception
    assert len(page.get("vega_lite_chart")) == charts
    assert page.query_params.get("view") == query.get("view")


def test_a_view_is_kept_in_the_address(open_page: OpenPage) -> None:
    page = open_page(regression(), PAGE)
    view_of(page).set_value("rates").run()
    assert "Pass rate by category and version" in everything(page)
    assert page.query_params["view"] == "rates"
    view_of(page).set_value("shares").run()
    assert "view" not in page.query_params


def test_the_severity_of_the_address_filters_the_cases(open_page: OpenPage) -> None:
    whole = open_page(regression(), PAGE)
    page = open_page(regression(), PAGE, query={"severity": "high"})
    assert not page.exception
    assert strips(page) != strips(whole)
    assert page.query_params["severity"] == "high"


def test_the_filters_stay_in_the_address_while_another_view_is_drawn(open_page: OpenPage) -> None:
    page = open_page(judged(), PAGE)
    [severities] = [pills for pills in page.pills if pills.label == "Severity of the cases"]
    severities.set_value(["high", "low"]).run()
    [metric] = [box for box in page.selectbox if box.label == "Metric"]
    metric.set_value("rubric.path").run()
    view_of(page).set_value("rates").run()
    kept = {name: page.query_params[name] for name in ("severity", "metric", "view")}
    view_of(page).set_value("shares").run()
    assert kept == {"severity": "high,low", "metric": "rubric.path", "view": "rates"}
    assert [pills.value for pills in page.pills] == [["high", "low"]]
    assert [box.value for box in page.selectbox if box.label == "Metric"] == ["rubric.path"]


def test_the_metric_of_the_address_is_requested(open_page: OpenPage) -> None:
    page = open_page(judged(), PAGE, query={"metric": "rubric.path"})
    assert [box.value for box in page.selectbox if box.label == "Metric"] == ["rubric.path"]


def test_the_changes_are_explained_below_the_chart(open_page: OpenPage) -> None:
    assert "**A** 2026-03-06 14:03 model change, observed: gpt-4-0314" in bare(
        everything(open_page(regression(), PAGE))
    )


def test_frozen_dynamic_and_production_are_next_to_each_other(open_page: OpenPage) -> None:
    text = everything(open_page(regression(), PAGE, query=SOURCES))
    places = [text.index(f"**{name}**") for name in (*TITLES, "Corrections of production")]
    assert places == sorted(places)
    quiet = regression()
    quiet.corrected = False
    assert "No correction in this period." in everything(open_page(quiet, PAGE, query=SOURCES))


TITLES = ("Frozen set primes", "Dynamic set corrections")


def test_emerging_categories_are_shown_with_their_terms(open_page: OpenPage) -> None:
    daemon = regression()
    daemon.groups = [group("group-1")]
    text = bare(everything(open_page(daemon, PAGE)))
    assert "**gift_cards** :gray[proposed]" in text
    assert "12 corrections, 40.0 % of those without a category" in text
    assert "No emerging category" in everything(open_page(regression(), PAGE))


def test_deployment_and_set_can_be_chosen(open_page: OpenPage) -> None:
    page = open_page(regression(), PAGE)
    assert page.selectbox[0].options == ["support-bot"]
    assert page.selectbox[1].options == ["primes", "corrections"]
    page.selectbox[1].set_value("corrections").run()
    assert not page.exception
    view_of(page).set_value("rates").run()
    assert "prime  now 5.0 %" in strips(page)


def test_the_set_that_regressed_is_chosen_at_first(open_page: OpenPage) -> None:
    daemon = regression()
    daemon.alerts = [row for row in daemon.alerts if row.set_name == "corrections"]
    assert open_page(daemon, PAGE).selectbox[1].value == "corrections"


def test_a_link_opens_its_set_and_period_and_the_page_keeps_them_in_its_address(open_page: OpenPage) -> None:
    page = open_page(regression(), PAGE, query={"deployment": "support-bot", "set": "corrections", "period": "90 days"})
    assert (page.selectbox[1].value, page.button_group[0].value) == ("corrections", "90 days")
    page.selectbox[1].set_value("primes").run()
    page.button_group[0].set_value("all").run()
    assert page.selectbox[1].value == "primes"
    assert page.query_params == {"deployment": "support-bot", "set": "primes", "period": "all"}
    page.button_group[0].set_value("30 days").run()
    assert "period" not in page.query_params


def test_a_link_to_an_unknown_set_or_period_opens_the_default(open_page: OpenPage) -> None:
    page = open_page(regression(), PAGE, query={"deployment": "gone", "set": "gone", "period": "yesterday"})
    assert (page.selectbox[0].value, page.button_group[0].value) == ("support-bot", "30 days")
    assert page.query_params["deployment"] == "support-bot"


def test_another_page_opens_the_set_that_was_chosen_last(open_page: OpenPage) -> None:
    page = open_page(regression(), PAGE, query={"set": "primes"})
    page.selectbox[1].set_value("corrections").run()
    page.query_params.clear()
    page.switch_page("screens/metrics.py").run()
    assert page.selectbox[1].value == "corrections"


def test_the_period_of_all_has_runs_of_any_age(open_page: OpenPage) -> None:
    daemon = nights(1, dynamic=False)
    daemon.runs = [run("primes", daemon.now - timedelta(days=800), {"prime": (4, 4)})]
    page = open_page(daemon, PAGE)
    assert "Choose a longer period" in everything(page)
    page.button_group[0].set_value("all").run()
    assert "No case failed in 1 run." in everything(page)


def test_a_set_without_runs_is_no_data(open_page: OpenPage) -> None:
    page = open_page(no_runs(), PAGE)
    assert "no run of primes was scored in this period." in everything(page)
    assert not page.dataframe


def test_a_daemon_without_deployments_is_no_data(open_page: OpenPage) -> None:
    assert "No data yet: no deployment" in everything(open_page(FakeDaemon(), PAGE))


def test_a_week_without_failures_has_no_bars(open_page: OpenPage) -> None:
    daemon = nights(1, dynamic=False)
    daemon.runs = [run("primes", daemon.now, {"prime": (4, 4)})]
    assert "No case failed in 1 run." in everything(open_page(daemon, PAGE))


def test_a_night_without_a_verdict_shows_the_reason(open_page: OpenPage) -> None:
    page = open_page(outage(), PAGE)
    assert "only 480 of 800 cases" in everything(page)
    assert not page.dataframe


def test_months_of_runs_over_ten_categories_are_drawn(open_page: OpenPage) -> None:
    page = open_page(many(), PAGE, query=RATES)
    page.segmented_control[0].set_value("a year").run()
    assert not page.exception
    assert len(strips(page)) == 10


def test_an_unreachable_daemon_is_reported(open_page: OpenPage) -> None:
    page = open_page("http://127.0.0.1:1", PAGE)
    assert "The daemon cannot be reached" in str(page.error[0].value)
