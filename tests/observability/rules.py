"""The alerting rules of the chart, and the names of metrics and labels in an expression of PromQL."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml

from monitor.telemetry.metrics import METRICS

ROOT: Final = Path(__file__).parents[2]
FILE: Final = ROOT / "helm/driftd/files/driftd-alerts.yaml"
OF_LAKES: Final = FILE.with_name("driftd-lake-alerts.yaml")
BASE: Final = "https://driftd.example.com/runbooks/"
SERIES: Final = {"counter": ("",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}
NAMES: Final = {
    metric.prometheus_name + suffix: {*metric.labels, *(("le",) if suffix == "_bucket" else ())}
    for metric in METRICS
    for suffix in SERIES[metric.kind]
}
OF_PROMETHEUS: Final = {"namespace", "job", "instance", "role"}  # role: by the ServiceMonitor of the chart
_SELECTED: Final = re.compile(r"\b(driftd_[a-z_]+)(?:\{([^}]*)\})?")
_MATCHED: Final = re.compile(r"(\w+)\s*(?:=~|!~|!=|=)\s*\"")
_GROUPED: Final = re.compile(r"\bby \(([^)]*)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertingRule:
    name: str
    expr: str
    severity: str
    annotations: dict[str, str]

    @property
    def runbook(self) -> str:
        """Return the name of the page of the rule, without its suffix."""
        return self.annotations["runbook_url"].removeprefix(BASE).removesuffix(".md")


def alerting_rules() -> list[AlertingRule]:
    return [
        AlertingRule(
            name=rule["alert"], expr=rule["expr"], severity=rule["labels"]["severity"], annotations=rule["annotations"]
        )
        for file in (FILE, OF_LAKES)
        for group in yaml.safe_load(file.read_text(encoding="utf-8"))["groups"]
        for rule in group["rules"]
    ]


def used_names(expr: str) -> Iterator[tuple[str, set[str]]]:
    """Yield every metric of an expression with the labels that its selector matches."""
    for found in _SELECTED.finditer(expr):
        yield found[1], set(_MATCHED.findall(found[2] or ""))


def grouped_labels(expr: str) -> set[str]:
    """Return every label that an aggregation keeps."""
    return {label.strip() for found in _GROUPED.finditer(expr) for label in found[1].split(",") if label.strip()}


def undeclared(expr: str) -> list[str]:
    """Return the metrics and labels of an expression that the daemon does not have."""
    used = list(used_names(expr))
    found = [name for name, _ in used if name not in NAMES]
    found += [
        f"{name}{{{label}}}"
        for name, labels in used
        for label in sorted(labels - NAMES.get(name, labels) - OF_PROMETHEUS)
    ]
    known = OF_PROMETHEUS.union(*(NAMES.get(name, set()) for name, _ in used))
    return found + [f"by ({label})" for label in sorted(grouped_labels(expr) - known)]
