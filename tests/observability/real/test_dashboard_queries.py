"""A real Prometheus scrapes a daemon with nights and a regression, and executes every query of the dashboard."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.house import daemon
from tests.app.test_telemetry import live_through_a_regression
from tests.observability.dashboard import Panel, executable, panels
from tests.observability.real.prometheus import Prometheus, running, until

PANELS = panels()
# What this daemon does not have: Kafka, a budget, a judge, sentinels, an Alertmanager, a backup and TLS.
WITHOUT_DATA = {
    "Kafka lag",
    "Used budget",
    "Verdicts of judges",
    "Age of the last verdict on sentinels",
    "Repetitions to Alertmanager",
    "Age of the newest backup",
    "Certificates",
}
# These depend on what happens while the test runs.
SOMETIMES = {"Firing conditions of driftd"}


@pytest.fixture(scope="module")
def scraped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    folder: Path = tmp_path_factory.mktemp("scraped")
    with daemon(folder) as house:
        address = str(house.api.base_url).removeprefix("http://").rstrip("/")
        scrape = {"job_name": "driftd", "static_configs": [{"targets": [address]}]}
        config = {"global": {"scrape_interval": "1s", "scrape_timeout": "1s"}, "scrape_configs": [scrape]}
        with running(folder / "prometheus", config) as prometheus:
            until("a first scrape", lambda: bool(prometheus.query("driftd_intake_capacity")))
            live_through_a_regression(house)
            ended = 'driftd_notification_deliveries_total{kind="console", state="sent"}'
            until("a scrape of the alert", lambda: prometheus.value(f"sum({ended})") >= 1)
            until("scrapes after it", lambda: prometheus.value(f"count_over_time({ended}[1h])") >= 10)
            yield prometheus


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel.title)
def test_prometheus_executes_the_queries_of_a_panel_and_returns_data(scraped: Prometheus, panel: Panel) -> None:
    found = [scraped.query(executable(query)) for query in panel.queries]
    if panel.title in WITHOUT_DATA:
        assert not any(found)
    elif panel.title not in SOMETIMES:
        assert any(found)


def test_a_panel_without_data_says_when_it_is_empty() -> None:
    named = {panel.title: panel for panel in PANELS}
    assert [title for title in WITHOUT_DATA | SOMETIMES if not named[title].may_be_empty] == []
