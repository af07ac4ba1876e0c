"""The Grafana dashboard uses metrics that the daemon has, and every panel has a unit and an explanation."""

import re
from itertools import combinations
from typing import Any

import pytest

from monitor.telemetry.metrics import METRICS
from tests.observability.dashboard import Panel, dashboard, panels
from tests.observability.rules import ROOT, undeclared

PANELS = panels()
ROWS = ["Now", "Ingest", "Replays", "Verdicts", "Alert delivery", "Store", "Loops"]
UNITS = {"short", "s", "bytes", "percentunit", "currencyUSD", "reqps"}
GAUGE_IN_SECONDS = re.compile(r"\bdriftd_\w+_seconds\b(?!_bucket)")
each_panel = pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel.title)


def test_the_dashboard_has_its_rows_and_a_place_for_each_panel() -> None:
    document = dashboard()
    assert [one["title"] for one in document["panels"] if one["type"] == "row"] == ROWS
    ids = [one["id"] for one in document["panels"]]
    assert len(ids) == len(set(ids))
    places = [one["gridPos"] for one in document["panels"]]
    assert all(one["x"] + one["w"] <= 24 for one in places)
    assert [pair for pair in combinations(places, 2) if overlap(*pair)] == []


def overlap(one: dict[str, int], other: dict[str, int]) -> bool:
    across = one["x"] < other["x"] + other["w"] and other["x"] < one["x"] + one["w"]
    return across and one["y"] < other["y"] + other["h"] and other["y"] < one["y"] + one["h"]


@each_panel
def test_a_query_uses_metrics_and_labels_that_the_daemon_has(panel: Panel) -> None:
    assert panel.queries
    assert [name for query in panel.queries for name in undeclared(query)] == []


@each_panel
def test_a_panel_has_a_unit_thresholds_a_description_and_the_chosen_data_source(panel: Panel) -> None:
    defaults = panel.document["fieldConfig"]["defaults"]
    assert defaults["unit"] in UNITS
    assert defaults["thresholds"]["steps"]
    assert panel.description.endswith(".")
    sources = [panel.document["datasource"], *(target["datasource"] for target in panel.document["targets"])]
    assert all(one == {"type": "prometheus", "uid": "${datasource}"} for one in sources)


@each_panel
def test_the_unit_of_a_panel_is_the_unit_of_its_metrics(panel: Panel) -> None:
    queries = " ".join(panel.queries)
    if GAUGE_IN_SECONDS.search(queries) or "_seconds_bucket" in queries:
        assert panel.document["fieldConfig"]["defaults"]["unit"] == "s"
    if "_bytes" in queries:
        assert panel.document["fieldConfig"]["defaults"]["unit"] in {"bytes", "percentunit"}


@each_panel
def test_the_labels_in_a_legend_are_kept_by_the_query(panel: Panel) -> None:
    for target in panel.document["targets"]:
        kept = {label for found in re.findall(r"by \(([^)]*)\)", target["expr"]) for label in found.split(", ")}
        assert set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])) <= kept


@each_panel
def test_a_runbook_that_a_panel_names_exists(panel: Panel) -> None:
    for name in re.findall(r"the runbook (\w+)", panel.description):
        assert (ROOT / "docs" / "runbooks" / f"{name}.md").exists()


def test_the_variables_are_read_from_metrics_that_every_daemon_has() -> None:
    variables: list[dict[str, Any]] = dashboard()["templating"]["list"]
    assert [one["name"] for one in variables] == ["datasource", "job", "deployment"]
    known = {metric.prometheus_name: metric.labels for metric in METRICS}
    for one in variables[1:]:
        found = re.fullmatch(r"label_values\((\w+), (\w+)\)", one["query"]["query"])
        assert found is not None
        assert found[1] in known
        assert found[2] in {*known[found[1]], "job"}
