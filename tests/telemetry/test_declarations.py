"""Every recorded metric and span is declared, and the documentation lists every declaration."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from monitor.telemetry import GaugeValue
from monitor.telemetry.describe import linked, main, markdown
from monitor.telemetry.instruments import Telemetry
from monitor.telemetry.metric import Metric as DeclaredMetric
from monitor.telemetry.metrics import BY_NAME, METRICS
from monitor.telemetry.spans import BY_NAME as STEPS_BY_NAME
from monitor.telemetry.spans import STEPS

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "monitor").rglob("*.py"))
RECORDING = {"count": "counter", "record": "histogram", "observe": "gauge"}
CALLS = re.compile(rf"\.({'|'.join([*RECORDING, 'span'])})\(")  # most files have none, and a syntax tree takes long
# promtool check metrics: a name contains no abbreviated unit and no type.
FORBIDDEN = {"s", "ms", "us", "ns", "sec", "secs", "b", "kb", "mb", "gb", "bytess", "counter", "gauge", "histogram"}


@dataclass(frozen=True)
class Use:
    """A call that records a metric or a span. `labels` is None unless they are constants in the call."""

    verb: str
    name: str
    labels: frozenset[str] | None
    where: str


def uses() -> Iterator[Use]:
    for path in SOURCES:
        source = path.read_text(encoding="utf-8")
        if not CALLS.search(source):
            continue
        tree = ast.parse(source)
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


def test_the_search_finds_every_kind_of_recording() -> None:
    assert {use.verb for use in USES} == {*RECORDING, "span"}


def test_everything_recorded_is_declared() -> None:
    undeclared = [
        use
        for use in USES
        if (use.verb == "span" and use.name not in STEPS_BY_NAME)
        or (use.verb in RECORDING and (use.name not in BY_NAME or BY_NAME[use.name].kind != RECORDING[use.verb]))
    ]
    assert undeclared == []


def test_everything_declared_is_recorded() -> None:
    used = {use.name for use in USES}
    assert [metric.name for metric in METRICS if metric.name not in used] == []
    assert [step.name for step in STEPS if step.name not in used] == []


def test_the_labels_of_a_call_are_the_declared_ones() -> None:
    constant = [use for use in USES if use.labels is not None and use.verb != "span"]
    assert constant
    assert [use for use in constant if use.labels != frozenset(BY_NAME[use.name].labels)] == []


def test_no_label_is_an_id_or_a_text() -> None:
    code_labels = {
        "attribute",
        "code",
        "direction",
        "kind",
        "listener",
        "limit",
        "loop",
        "period",
        "reason",
        "result",
        "rule",
        "severity",
        "signal",
        "source",
        "state",
        "transport",
        "verdict",
    }
    config_labels = {
        "deployment",
        "partition",
        "receiver",
        "schedule",
        "judge",
        "set",
        "topic",
    }  # a partition belongs to a configured topic
    assert {label for metric in METRICS for label in metric.labels} == code_labels | config_labels


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_a_name_follows_the_rules_of_promtool(metric: DeclaredMetric) -> None:
    name = metric.prometheus_name
    assert re.fullmatch(r"driftd(_[a-z]+)+", name)
    assert (metric.kind == "counter") == name.endswith("_total")
    assert not name.endswith(("_count", "_sum", "_bucket", "_info"))
    assert not set(name.split("_")) & FORBIDDEN
    assert metric.description.endswith(".")
    assert metric.action.endswith(".")
    assert (metric.kind == "histogram") == bool(metric.buckets)
    assert list(metric.buckets) == sorted(set(metric.buckets))


def test_the_exposition_has_every_metric_with_its_declared_name_and_type() -> None:
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
    exposed = {family.name: family for family in text_string_to_metric_families(text)}
    target = exposed.pop("target_info")
    assert target.samples[0].labels["service_version"] == "1.2.3"
    assert {name: family.type for name, family in exposed.items()} == {
        metric.prometheus_name.removesuffix("_total"): metric.kind for metric in METRICS
    }
    by_prometheus_name = {metric.prometheus_name.removesuffix("_total"): metric for metric in METRICS}
    for name, family in exposed.items():
        exposed_labels = {label for sample in family.samples for label in sample.labels} - {"le"}
        assert exposed_labels == set(by_prometheus_name[name].labels), name


def test_an_undeclared_name_or_label_is_an_error() -> None:
    telemetry = Telemetry()
    with pytest.raises(KeyError, match=r"driftd\.made\.up"):
        telemetry.count("driftd.made.up", 1)
    with pytest.raises(ValueError, match=r"has the labels loop, not case"):
        telemetry.count("driftd.loop.steps", 1, {"case": "c-1"})
    telemetry.close()


def test_a_counter_without_labels_is_zero_before_it_counts() -> None:
    telemetry = Telemetry()
    assert b"driftd_ingest_duplicates_total 0.0" in telemetry.exposition()
    telemetry.close()


def documented(heading: str) -> list[list[str]]:
    """Return the cells of the table under a heading of docs/telemetry.md."""
    text = (ROOT / "docs" / "telemetry.md").read_text(encoding="utf-8")
    part = text.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line for line in part.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_the_page_of_the_metrics_is_current() -> None:
    assert main(["--check", "--folder", str(ROOT / "docs")]) == 0, "run python -m monitor.telemetry.describe"


def test_the_page_of_the_metrics_has_a_row_for_each_metric() -> None:
    rows = re.findall(r"^\| `(driftd_\w+)` \| (\w+) \|", markdown(), re.MULTILINE)
    assert rows == [(metric.prometheus_name, metric.kind) for metric in METRICS]


def test_every_runbook_that_an_action_names_exists() -> None:
    named = {name for metric in METRICS for name in re.findall(r"\(runbooks/(\w+)\.md\)", linked(metric.action))}
    assert named
    assert [name for name in named if not (ROOT / "docs" / "runbooks" / f"{name}.md").exists()] == []


def test_the_documentation_lists_every_span() -> None:
    assert documented("Traces") == [
        [f"`{s.name}`", s.description, ", ".join(f"`{name}`" for name in s.attributes) or "-"] for s in STEPS
    ]
