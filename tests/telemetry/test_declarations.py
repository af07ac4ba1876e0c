"""What the code counts and traces is what is declared, and what is declared is what the documentation says."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from monitor.telemetry import GaugeValue
from monitor.telemetry.instruments import Telemetry
from monitor.telemetry.metrics import BY_NAME, METRICS
from monitor.telemetry.metrics import Metric as DeclaredMetric
from monitor.telemetry.spans import BY_NAME as STEPS_BY_NAME
from monitor.telemetry.spans import STEPS

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "monitor").rglob("*.py"))
RECORDING = {"count": "counter", "record": "histogram", "observe": "gauge"}
# promtool check metrics: abbreviated units and types have no place in a name
UNWANTED = {"s", "ms", "us", "ns", "sec", "secs", "b", "kb", "mb", "gb", "bytess", "counter", "gauge", "histogram"}


@dataclass(frozen=True)
class Use:
    """A call that records something; `labels` only when the call itself spells them out."""

    verb: str
    name: str
    labels: frozenset[str] | None
    where: str


def uses() -> Iterator[Use]:
    for path in SOURCES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        constants = {
            target.id: node.value.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
                first = node.args[0]
                name = first.value if isinstance(first, ast.Constant) else constants.get(getattr(first, "id", ""))
                if node.func.attr in {*RECORDING, "span"} and isinstance(name, str) and "." in name:
                    where = f"{path.relative_to(ROOT)}:{node.lineno}"
                    yield Use(verb=node.func.attr, name=name, labels=_labels(node), where=where)


def _labels(call: ast.Call) -> frozenset[str] | None:
    given = call.args[2] if len(call.args) > 2 else None
    if not isinstance(given, ast.Dict) or not all(isinstance(key, ast.Constant) for key in given.keys):
        return None
    return frozenset(str(key.value) for key in given.keys if isinstance(key, ast.Constant))


USES = list(uses())


def test_the_search_finds_what_it_is_for() -> None:
    assert {use.verb for use in USES} == {*RECORDING, "span"}


def test_nothing_is_recorded_that_is_not_declared() -> None:
    undeclared = [
        use
        for use in USES
        if (use.verb == "span" and use.name not in STEPS_BY_NAME)
        or (use.verb in RECORDING and (use.name not in BY_NAME or BY_NAME[use.name].kind != RECORDING[use.verb]))
    ]
    assert undeclared == []


def test_nothing_is_declared_that_is_never_recorded() -> None:
    used = {use.name for use in USES}
    assert [metric.name for metric in METRICS if metric.name not in used] == []
    assert [step.name for step in STEPS if step.name not in used] == []


def test_labels_that_a_call_spells_out_are_the_declared_ones() -> None:
    spelled = [use for use in USES if use.labels is not None and use.verb != "span"]
    assert spelled
    assert [use for use in spelled if use.labels != frozenset(BY_NAME[use.name].labels)] == []


def test_no_label_is_an_id_or_a_text() -> None:
    of_the_code = {
        "attribute",
        "code",
        "direction",
        "kind",
        "listener",
        "loop",
        "reason",
        "result",
        "severity",
        "signal",
        "source",
        "state",
        "transport",
        "verdict",
    }
    of_the_configuration = {
        "deployment",
        "partition",
        "receiver",
        "set",
        "topic",
    }  # partitions of topics that are named there
    assert {label for metric in METRICS for label in metric.labels} == of_the_code | of_the_configuration


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_a_name_keeps_the_rules_of_promtool(metric: DeclaredMetric) -> None:
    name = metric.prometheus_name
    assert re.fullmatch(r"driftd(_[a-z]+)+", name)
    assert (metric.kind == "counter") == name.endswith("_total")
    assert not name.endswith(("_count", "_sum", "_bucket", "_info"))
    assert not set(name.split("_")) & UNWANTED
    assert metric.description.endswith(".")
    assert (metric.kind == "histogram") == bool(metric.buckets)
    assert list(metric.buckets) == sorted(set(metric.buckets))


def test_the_exposition_holds_every_metric_under_its_declared_name_and_type() -> None:
    telemetry = Telemetry(version="1.2.3")
    for metric in METRICS:
        labels = dict.fromkeys(metric.labels, "x")
        match metric.kind:
            case "counter":
                telemetry.count(metric.name, 1, labels)
            case "histogram":
                telemetry.record(metric.name, 0.5, labels)
            case "gauge":
                telemetry.observe(metric.name, partial(list, [GaugeValue(value=1, labels=labels)]))
    text = telemetry.exposition().decode()
    telemetry.close()
    shown = {family.name: family for family in text_string_to_metric_families(text)}
    target = shown.pop("target_info")
    assert target.samples[0].labels["service_version"] == "1.2.3"
    assert {name: family.type for name, family in shown.items()} == {
        metric.prometheus_name.removesuffix("_total"): metric.kind for metric in METRICS
    }
    by_prometheus_name = {metric.prometheus_name.removesuffix("_total"): metric for metric in METRICS}
    for name, family in shown.items():
        shown_labels = {label for sample in family.samples for label in sample.labels} - {"le"}
        assert shown_labels == set(by_prometheus_name[name].labels), name


def test_an_undeclared_name_or_label_is_an_error() -> None:
    telemetry = Telemetry()
    with pytest.raises(KeyError, match=r"driftd\.made\.up"):
        telemetry.count("driftd.made.up", 1)
    with pytest.raises(ValueError, match=r"carries the labels loop, not case"):
        telemetry.count("driftd.loop.steps", 1, {"case": "c-1"})
    telemetry.close()


def test_a_counter_without_labels_is_zero_before_it_counts() -> None:
    telemetry = Telemetry()
    assert b"driftd_ingest_duplicates_total 0.0" in telemetry.exposition()
    telemetry.close()


def documented(heading: str) -> list[list[str]]:
    """The cells of the table under a heading of docs/telemetry.md."""
    text = (ROOT / "docs" / "telemetry.md").read_text(encoding="utf-8")
    part = text.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line for line in part.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_the_documentation_has_every_metric_as_it_is_declared() -> None:
    assert documented("Metrics") == [
        [f"`{m.prometheus_name}`", m.kind, ", ".join(f"`{label}`" for label in m.labels) or "-", m.description]
        for m in METRICS
    ]


def test_the_documentation_has_every_span_as_it_is_declared() -> None:
    assert documented("Traces") == [
        [f"`{s.name}`", s.description, ", ".join(f"`{name}`" for name in s.attributes) or "-"] for s in STEPS
    ]
