"""The screens: the address of each page and of its important states, and what a reader presses there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

import httpx


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """One state of a page. `press` has the names of the buttons that are pressed after the page is complete."""

    name: str
    path: str
    press: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The names and ids of the demo's data that addresses need."""

    deployment: str
    frozen: str
    dynamic: str
    frozen_alert: str
    baseline_run: str
    candidate_run: str
    case: str


def read_facts(api: httpx.Client, *, deployment: str, frozen: str, dynamic: str) -> Facts:
    """Read the alert about the frozen set, its two runs, and a case that flipped to fail."""
    alert = next(item for item in _items(api, "alerts") if item["set_name"] == frozen)
    finding = next(
        item for item in _items(api, "findings") if item["set_name"] == frozen and item["verdict"] == "regression"
    )
    runs = {"baseline": finding["baseline_run"], "candidate": finding["candidate_run"]}
    [flip, *_] = _items(api, "comparisons/flips", **runs, direction="to_fail")
    return Facts(
        deployment=deployment,
        frozen=frozen,
        dynamic=dynamic,
        frozen_alert=alert["id"],
        baseline_run=runs["baseline"],
        candidate_run=runs["candidate"],
        case=flip["case_id"],
    )


def _items(api: httpx.Client, what: str, **filters: str) -> list[dict[str, Any]]:
    answer = api.get(f"/api/v1/{what}", params={"limit": "500", **filters}).raise_for_status()
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


def screens_of_demo(facts: Facts) -> list[Screen]:
    """Return every page of the dashboard over the demo's data, with its views."""
    one = {"deployment": facts.deployment}
    runs = {"baseline": facts.baseline_run, "candidate": facts.candidate_run}
    return [
        _screen("overview", ""),
        _screen("deployment", "deployment", one),
        _screen("alerts", "alerts"),
        _screen("alert", "alerts", {"alert": facts.frozen_alert}),
        _screen("alert-silence", "alerts", {"silence": facts.frozen_alert}),
        _screen("alert-runbook", "alerts", {"runbook": "QualityRegression"}),
        _screen("alerts-silences", "alerts", {"view": "silences"}),
        _screen("alerts-rules", "alerts", {"view": "rules"}),
        _screen("failure-modes", "failure_modes", {**one, "set": facts.frozen}),
        _screen("failure-modes-dynamic", "failure_modes", {**one, "set": facts.dynamic}),
        _screen("failure-modes-sources", "failure_modes", {**one, "set": facts.frozen, "view": "sources"}),
        _screen("failure-modes-rates", "failure_modes", {**one, "set": facts.frozen, "view": "rates"}),
        _screen("metrics", "metrics", {**one, "set": facts.frozen}),
        _screen("compare", "compare", runs),
        _screen("compare-versions", "compare", {**runs, "by": "versions", "amounts": "open"}),
        _screen("compare-case", "compare", {**runs, "case": facts.case}, press=("Reveal",)),
        _screen("cases", "cases", {**one, "set": facts.frozen}),
        _screen("case", "cases", {**one, "set": facts.frozen, "case": facts.case}),
        _screen("sets", "sets"),
        _screen("set", "sets", {**one, "set": facts.frozen}),
        _screen("review", "review"),
        _screen("review-outcomes", "review", {"queue": "outcomes"}),
        _screen("judges", "judges"),
        _screen("production", "production", one),
        _screen("production-series", "production", one | {"view": "series"}),
        _screen("production-drift", "production", one | {"view": "drift"}),
        _screen("production-interactions", "production", one | {"view": "interactions"}),
        _screen("schedules", "schedules"),
        *(_screen(f"system-{part.lower().replace(' ', '-')}", "system", {"part": part}) for part in SYSTEM_PARTS),
    ]


SYSTEM_PARTS: Final = ("Ingest", "Dead letters", "Receivers", "Tokens", "Audit log", "Database")

SCREENS_OF_MANY: Final = (
    Screen(name="many-overview", path="/"),
    Screen(name="many-overview-filtered", path="/?state=regression&state=failed"),
    Screen(name="many-overview-searched", path="/?search=nothing+has+this+name"),
    Screen(name="many-alerts", path="/alerts"),
)


def _screen(name: str, page: str, query: Mapping[str, str] | None = None, press: Sequence[str] = ()) -> Screen:
    return Screen(name=name, path=f"/{page}" + (f"?{urlencode(query)}" if query else ""), press=tuple(press))
