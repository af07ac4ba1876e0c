"""The views of the page Production: the days of traffic, input drift, the search, and one interaction."""

import json
from datetime import timedelta
from typing import Any

import pyarrow as pa
from streamlit.testing.v1 import AppTest

from .conftest import OpenPage, everything
from .fake_daemon import NOW, nights, regression
from .interactions import call, day, detail, report, three_calls, two_versions
from .items import BOT, NEW
from .production import corrections_doubled, series

TEXT = "Text of input or output"
LABEL = f"label of {NEW}"


def charts(page: AppTest) -> list[dict[str, Any]]:
    """Return the specification of each chart, with the rows that Streamlit sends as Arrow."""
    found = []
    for chart in page.get("vega_lite_chart"):
        sent = {one.name: pa.ipc.open_stream(one.data.data).read_all().to_pylist() for one in chart.proto.datasets}
        found.append(json.loads(chart.proto.spec) | {"datasets": sent})
    return found


def values(chart: dict[str, Any], layer: int = 0) -> list[dict[str, Any]]:
    data = chart["layer"][layer].get("data") or chart["data"]
    found: list[dict[str, Any]] = chart["datasets"][data["name"]]
    return found


def test_each_day_is_a_bar_at_its_time_and_versions_are_stacked(open_page: OpenPage) -> None:
    page = open_page(two_versions(nights(6)), "production")
    [calls, shares, *_] = charts(page)
    bars = values(calls)
    assert [(bar["day"], bar["high"] - bar["low"]) for bar in bars] == [
        ("2026-03-02", 90),
        ("2026-03-04", 80),
        ("2026-03-06", 40),
        ("2026-03-06", 60),
        ("2026-03-07", 101),
    ]
    assert bars[1]["begin"] - bars[0]["begin"] == 2 * (bars[4]["begin"] - bars[3]["begin"])
    assert all(bar["end"] - bar["begin"] < 86_400_000 for bar in bars)
    assert [bar["over"] for bar in bars] == [True] * 4 + [False]
    assert [round(bar["high"], 2) for bar in values(shares)] == [1.0, 1.0, 0.4, 1.0, 1.0]


def test_every_chart_of_days_names_its_axes_and_units(open_page: OpenPage) -> None:
    page = open_page(two_versions(nights(6)), "production")
    titles = [chart["layer"][0]["encoding"].get("y", {}).get("title") for chart in charts(page)[:8]]
    assert titles == [
        "calls a day",
        "share of calls",
        "share of answers",
        "share of answers",
        "share of calls",
        "latency (ms)",
        "tokens a day",
        "cost a day (USD)",
    ]
    assert {chart["layer"][0]["encoding"]["x"]["title"] for chart in charts(page)[:8]} == {"time (UTC)"}


def test_changes_of_version_are_marked_and_explained(open_page: OpenPage) -> None:
    page = open_page(two_versions(regression()), "production")
    calls = charts(page)[0]
    marks = [row for layer in range(1, len(calls["layer"])) for row in values(calls, layer)]
    assert {row["label"] for row in marks} == {"A"}
    assert "**A** 2026-03-06 14:03 model change, observed" in everything(page)


def test_one_version_can_be_chosen_and_its_name_is_in_the_address(open_page: OpenPage) -> None:
    page = open_page(two_versions(nights(6)), "production", {"version": LABEL})
    assert {row["name"] for row in values(charts(page)[0])} == {LABEL}
    assert page.query_params["version"] == LABEL


def test_a_deployment_with_calls_of_today_alone_says_both(open_page: OpenPage) -> None:
    daemon = nights(6)
    daemon.days = [day(0, 101)]
    daemon.production = [series("cost", "usd", [], verdict="insufficient", reason="0 days with data")]
    text = everything(open_page(daemon, "production"))
    assert "No complete day yet, **101 calls today** until now." in text
    assert "midnight UTC. Today has 101 calls until now." in everything(
        open_page(daemon, "production", {"view": "series"})
    )


def test_a_period_without_calls_says_what_to_do(open_page: OpenPage) -> None:
    text = everything(open_page(corrections_doubled(nights(4)), "production"))
    assert "No call of this deployment in the last 30 days." in text


def test_input_drift_shows_the_largest_distance_first_and_the_page_on_request(open_page: OpenPage) -> None:
    daemon = nights(4)
    daemon.reports = [report("r2"), report("r1", page=False, since=NOW - timedelta(days=2))]
    daemon.report_pages = {"r2": '<html><script>"quoted"</script></html>'}
    page = open_page(daemon, "production", {"view": "drift"})
    assert list(page.dataframe[0].value["column"]) == ["input_chars", "topic", "status"]
    assert not page.get("iframe")
    page = page.toggle[0].set_value(True).run()
    assert [frame.type for frame in page.get("iframe")] == ["iframe"], everything(page)
    [frame] = page.get("iframe")
    shown = frame.proto.srcdoc
    assert 'sandbox="allow-scripts"' in shown
    assert "&lt;script&gt;&quot;quoted&quot;&lt;/script&gt;" in shown  # runs in the inner frame only
    assert "<script" not in shown


def test_a_report_in_the_address_is_chosen(open_page: OpenPage) -> None:
    daemon = nights(4)
    daemon.reports = [report("r2"), report("r1", page=False, since=NOW - timedelta(days=2))]
    page = open_page(daemon, "production", {"view": "drift", "report": "r1"})
    assert "This report has no page" in everything(page)
    assert "No traffic report yet" in everything(open_page(nights(4), "production", {"view": "drift"}))


def test_a_search_sends_its_filters_and_keeps_them_in_the_address(open_page: OpenPage) -> None:
    daemon = three_calls(nights(4))
    page = open_page(daemon, "production", {"view": "interactions", "text": "PARCEL"})
    assert list(page.dataframe[0].value["input"]) == ["Where is my parcel?", "Find the order of the parcel"]
    next(box for box in page.selectbox if box.label == "Feedback").set_value("corrected").run()
    next(box for box in page.selectbox if box.label == "Result").set_value("error").run()
    sent = daemon.searches[-1]
    assert (sent["text"], sent["corrected"], sent["status"], sent["traffic"]) == ("PARCEL", "true", "error", "true")
    assert sent["deployment"] == BOT
    assert sent["since"].startswith(f"{daemon.now.date() - timedelta(days=30)}")
    assert page.query_params["feedback"] == "corrected"


def test_older_calls_are_on_the_next_page_and_a_new_search_starts_at_the_first(open_page: OpenPage) -> None:
    daemon = three_calls(nights(4))
    page = open_page(daemon, "production", {"view": "interactions"})
    next(button for button in page.button if button.label == "Older calls").click().run()
    assert list(page.dataframe[0].value["input"]) == ["Is the kettle back?"]
    assert page.query_params["cursor"] == "2"
    next(box for box in page.text_input if box.label == TEXT).set_value("parcel").run()
    assert "cursor" not in daemon.searches[-1]
    assert "cursor" not in page.query_params


def test_a_search_that_stopped_says_how_far_it_got(open_page: OpenPage) -> None:
    daemon = three_calls(nights(4))
    daemon.stops_at = NOW - timedelta(days=3)
    page = open_page(daemon, "production", {"view": "interactions", "text": "nothing like it"})
    text = everything(page)
    assert "searched back to 2026-03-04 09:30" in text
    assert "Press **Older calls** to search further back." in text
    assert [query.get("cursor") for query in daemon.searches] == [None, *(str(2 * n) for n in range(1, 10))]


def test_a_link_opens_one_call_with_its_messages_feedback_and_trace(open_page: OpenPage) -> None:
    daemon = three_calls(nights(4))
    address = {"view": "interactions", "interaction": "parcel", "at": NOW.isoformat()}
    page = open_page(daemon, "production", address)
    text = everything(page)
    assert "version **gpt-4-0314**" in text
    assert "tool call **find\\_order**" in text
    assert "tool result" in text
    assert "**thumb** by user, a correction" in text
    links = [(link.proto.page, link.proto.query_string) for link in page.page_link]
    assert ("review", "candidate=case") in links
    assert list(page.dataframe[0].value["input"]) == ["input of parcel", "↳ input of inner"]
    next(button for button in page.button if button.label == "All interactions").click().run()
    assert "interaction" not in page.query_params


def test_an_unknown_call_is_an_error_of_the_page(open_page: OpenPage) -> None:
    page = open_page(three_calls(nights(4)), "production", {"view": "interactions", "interaction": "gone", "at": "x"})
    assert "the interaction is unknown" in str(page.warning[0].value)


def test_texts_of_calls_are_never_markup(open_page: OpenPage) -> None:
    daemon = nights(4)
    hostile = "<img src=x onerror=alert(1)> **bold**"
    daemon.interactions = [detail(call("evil", hostile, category="[a](http://b)"))]
    page = open_page(daemon, "production", {"view": "interactions", "interaction": "evil"})
    assert "&lt;img src=x" in "".join(str(element.proto.body) for element in page.get("html"))
    assert "\\[a\\]\\(http\\://b\\)" in everything(page)
