"""The content of a message as text: headline, subject, effect and named rows. Templates only arrange it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from monitor.alerting.decided_text import decided_rows, headline, moved_phrases, moved_rows
from monitor.alerting.message_rows import (
    acknowledged_row,
    case_rows,
    cause_row,
    change_row,
    cost_row,
    diff_rows,
    failure_rows,
    flips_row,
    gate_rows,
    group_rows,
    measures_row,
    nights_text,
    noise_rows,
    pinned_row,
    recent_row,
    when,
)
from monitor.alerting.series_text import series_headline, series_phrase, series_rows, series_title
from monitor.domain.replay_health import is_about_replays

Part = Mapping[str, Any]

_STATES = {
    "repeat": "STILL FIRING",
    "worse": "WORSE",
    "escalation": "ESCALATED",
    "acknowledged": "ACKNOWLEDGED",
    "resolved": "RESOLVED",
    "test": "TEST",
}
_HEADLINE_PARTS = 3  # categories in the headline; the row `moved` lists all


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A named row. A row of a list has one entry for each line."""

    name: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """`state` is, for example, FIRING. `subject` names deployment, set and versions. `effect` has the change with its
    interval; without one it is the reason of the finding.
    """

    state: str
    headline: str
    subject: str
    effect: str
    others: int  # other firing alerts of the group
    rows: tuple[Row, ...]


def content_of(payload: Part) -> Content:
    """Return the content of a payload in the current schema."""
    return Content(
        state=_state(payload),
        headline=_headline(payload),
        subject=_subject(payload),
        effect=_effect(payload) or payload["finding"]["reason"],
        others=max((payload["group"] or {}).get("firing", 1) - 1, 0),
        rows=tuple(Row(name=name, lines=tuple(lines)) for name, lines in _rows(payload) if lines),
    )


def _state(payload: Part) -> str:
    if payload["alert"]["acceptance"] is not None:
        return "ACCEPTED"
    return _STATES.get(payload["reason"], "FIRING")


def _headline(payload: Part) -> str:
    """Return what the decision found, by name: categories first; else the subject of the alert."""
    production, decided = payload["production"], payload["decided"]
    if production is not None:
        return series_phrase(production)
    if payload["source"] is not None and payload["alert"]["rule"]:
        return f"{payload['alert']['rule']} · {_about(payload)}"
    if payload["severity_gate"] is not None and payload["finding"]["verdict"] == "regression":
        return f"forbidden content · {_about(payload)}"
    if decided is None or payload["finding"]["verdict"] != "regression":
        return _about(payload)
    found = moved_phrases(decided)
    more = [f"{len(found) - _HEADLINE_PARTS} more"] if len(found) > _HEADLINE_PARTS else []
    phrases = ", ".join([*found[:_HEADLINE_PARTS], *more])
    if phrases and payload["metric"] is not None:
        return f"metric {payload['metric']}: {phrases}"
    return phrases or _about(payload)


def _about(payload: Part) -> str:
    source, production = payload["source"], payload["production"]
    if source is not None:
        return str(source) if is_about_replays(source) else f"source {source}"
    if production is not None:
        return series_title(production)
    name = f"set {payload['set']['name']}"
    return name if payload["metric"] is None else f"{name}, metric {payload['metric']}"


def _subject(payload: Part) -> str:
    before, now = payload["from_version"], payload["to_version"]
    where = f"{payload['deployment']}, {_about(payload)}"
    if now is None:
        return where
    if before is None or before["id"] == now["id"]:
        return f"{where}: {now['label']}"
    return f"{where}: {before['label']} → {now['label']}"


def _effect(payload: Part) -> str | None:
    if payload["production"] is not None:
        return series_headline(payload["production"])
    if payload["decided"] is not None:
        return headline(payload["decided"])
    return None


def _rows(payload: Part) -> Iterator[tuple[str, list[str]]]:
    evidence, decided, comparison = payload["evidence"], payload["decided"], payload["comparison"]
    yield "measures", measures_row(payload["set"])
    yield "change", change_row(payload["change"])
    yield "diff", diff_rows(payload["diff"])
    if payload["production"] is not None:
        yield from ((name, [value]) for name, value in series_rows(payload["production"]))
    nights = "" if evidence is None else nights_text(evidence)
    yield from ((name, [value]) for name, value in decided_rows(decided, nights))
    yield "moved", [] if decided is None else moved_rows(decided)
    yield "cases", gate_rows(payload["severity_gate"])
    if comparison is not None:
        yield "flips", flips_row(comparison)
        yield "worst", case_rows(comparison["worst_cases"])
        yield "failures", failure_rows(comparison, decided)
    if evidence is not None:
        yield "noise", noise_rows(evidence)
        yield "pinned", pinned_row(evidence["pinned_run"])
    yield "nights", recent_row(payload["recent"])
    yield "cause", cause_row(payload["cause"])
    yield "cost", cost_row(payload["cost"], payload["cause"])
    yield from _state_rows(payload)


def _state_rows(payload: Part) -> Iterator[tuple[str, list[str]]]:
    alert, finding, links = payload["alert"], payload["finding"], payload["links"] or {}
    accepted = alert["acceptance"]
    yield "group", group_rows(payload["alerts"])
    yield "acked", acknowledged_row(alert)
    if accepted is not None:
        by = f"by {accepted['by']}, {when(accepted['at'])}: {accepted['reason']}"
        yield "accepted", [f"{by}; the rate has not recovered"]
    yield "verdict", [f"{finding['verdict']}: {finding['reason']}" if _effect(payload) else finding["verdict"]]
    yield "dashboard", _link(links.get("dashboard") or payload["dashboard_url"])
    yield "runbook", _link(links.get("runbook"))
    yield "silence", _link(links.get("silence"))
    yield "ack", _link(links.get("acknowledge"))
    since = alert["resolved_at"] or alert["fired_at"] or alert["pending_since"]
    yield "alert", [f"{alert['id']}, {alert['state']} {when(since)}"]


def _link(address: str | None) -> list[str]:
    return [] if not address else [address]
