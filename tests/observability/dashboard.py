"""The Grafana dashboard of the chart: its panels and their queries."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.observability.rules import ROOT

FILE: Final = ROOT / "helm/driftd/files/driftd-dashboard.json"
EMPTY: Final = "Empty "  # how the description of a panel begins the sentence about when it has no data
VARIABLES: Final = {"$__rate_interval": "1m", "$job": ".*", "$deployment": ".*"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    row: str
    title: str
    description: str
    queries: tuple[str, ...]
    document: Mapping[str, Any]

    @property
    def may_be_empty(self) -> bool:
        return f" {EMPTY}" in f" {self.description}"


def dashboard() -> dict[str, Any]:
    return dict(json.loads(FILE.read_text(encoding="utf-8")))


def panels() -> list[Panel]:
    """Return every panel except the rows; `row` is the title of its row."""
    found, row = [], ""
    for each in dashboard()["panels"]:
        if each["type"] == "row":
            row = each["title"]
            continue
        found.append(
            Panel(
                row=row,
                title=each["title"],
                description=each["description"],
                queries=tuple(target["expr"] for target in each["targets"]),
                document=each,
            )
        )
    return found


def executable(query: str) -> str:
    """Return a query with the variables of Grafana replaced by values."""
    for name, value in VARIABLES.items():
        query = query.replace(name, value)
    return query
