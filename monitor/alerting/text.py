"""The payload of an alert as a page of plain text, to be understood at three in the morning."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from monitor.alerting.decided_text import decided_rows, headline, moved_rows, percent, points
from monitor.alerting.series_text import series_headline, series_rows, series_title
from monitor.domain.renamed_keys import with_current_keys
from monitor.domain.replay_health import is_about_replays
from monitor.printable import printable_values

Part = Mapping[str, Any]

_HEADLINES = {"repeat": "STILL FIRING", "worse": "WORSE", "resolved": "RESOLVED", "test": "TEST"}
_LEFT = 10  # width of the left column


def text(payload: Part) -> str:
    """`payload` (see message.py) laid out: what happened first, then how sure, where, which cases, where to look."""
    return "\n".join(_lines(printable_values(with_current_keys(payload))))


def _lines(payload: Part) -> Iterator[str]:
    alert, finding, comparison = payload["alert"], payload["finding"], payload["comparison"]
    decided = payload.get("decided")  # not in what an earlier release queued
    accepted = alert.get("acceptance")  # not in what an earlier release queued
    title = "ACCEPTED" if accepted is not None else _HEADLINES.get(payload["reason"], "FIRING")
    production = payload.get("production")  # not in what was queued before there was any
    about = _about(payload)
    yield f"{title} · {alert['severity']} · {payload['deployment']} · {about}"
    if production is not None:
        yield from _production(production)
    if comparison is not None or decided is not None:
        yield headline(decided, comparison)
    yield from _versions(payload)
    if payload["cause"] is not None:
        yield _row("cause", _cause(payload["cause"]))
    if comparison is not None:
        yield from _flips(comparison)
    if decided is not None or comparison is not None:
        yield from _table("moved", moved_rows(decided, comparison))
    if comparison is not None:
        yield from _table("worst", [_case(case) for case in comparison["worst_cases"]])
    nights = "" if payload["evidence"] is None else _about_nights(payload["evidence"])
    yield from (_row(name, value) for name, value in decided_rows(decided, nights))
    if payload["evidence"] is not None:
        yield from _nights(payload["evidence"])
    yield from _recent(payload["recent"])
    if accepted is not None:
        yield _row("accepted", _accepted(accepted))
    yield _row("verdict", f"{finding['verdict']}: {finding['reason']}")
    if payload["dashboard_url"]:
        yield _row("look", payload["dashboard_url"])
    yield _row("alert", f"{alert['id']}, {alert['state']} {_when(_since(alert))}")


def _about(payload: Part) -> str:
    if payload.get("source") is not None:
        return str(payload["source"]) if is_about_replays(payload["source"]) else f"source {payload['source']}"
    production = payload.get("production")
    return str(payload["set"]["name"]) if production is None else series_title(production)


def _production(production: Part) -> Iterator[str]:
    headline = series_headline(production)
    if headline is not None:
        yield headline
    yield from (_row(name, value) for name, value in series_rows(production))


def _versions(payload: Part) -> Iterator[str]:
    before, now, change = payload["from_version"], payload["to_version"], payload["change"]
    if before is not None:
        yield _row("before", before["label"])
    if now is not None:
        yield _row("now", now["label"])
    if change is not None:
        yield _row("blamed", f"{change['kind']} change, {change['how']} {_when(change['at'])} ({change['id']})")


def _cause(cause: Part) -> str:
    """One line: the cause, or what still may be it; `driftd drift explain` lists the steps that were taken."""
    named = " and ".join(cause["named"] or ["not identifiable"])  # for what an earlier release queued
    return f"{cause.get('statement') or named}; driftd drift explain {cause['finding_id']}"


def _flips(comparison: Part) -> Iterator[str]:
    to_fail, to_pass = comparison["flipped_to_fail"], comparison["flipped_to_pass"]
    yield _row("flips", f"{to_fail} passed before and fail now, {to_pass} the other way")


def _nights(evidence: Part) -> Iterator[str]:
    """The pinned run, and how much nights differ by themselves."""
    if evidence["pinned_run"] is not None and evidence["pinned_run"]["delta"] is not None:
        yield _row("pinned", _pinned_run(evidence["pinned_run"]))
    yield from _table("noise", list(_noise(evidence)))


def _pinned_run(pinned: Part) -> str:
    """Where the newest nights stand beside the pinned run, whatever was accepted meanwhile."""
    ends = pinned["interval"]
    sure = "" if ends is None else f", 95 % interval {points(ends[0])} to {points(ends[1])}"
    told = {"below": "slid below it: ", "accepted": "slid below it, accepted: "}.get(pinned["status"], "")
    return f"{told}{points(pinned['delta'])} points beside the pinned run {pinned['run_id']}{sure}"


def _noise(evidence: Part) -> Iterator[str]:
    """How much answers of one night differ, and whole nights."""
    if evidence["flip_rate"] is not None:
        ends = evidence["flip_interval"]
        sure = "" if ends is None else f" (95 % interval {percent(ends[0])} to {percent(ends[1])})"
        apart = percent(evidence["flip_rate"])
        yield f"asked twice in one night, a case is judged differently {apart} of the time{sure}"
    if evidence["night_variance"] is not None:
        yield f"nights differ by {100 * evidence['night_variance'] ** 0.5:.1f} points by themselves"


def _about_nights(evidence: Part) -> str:
    nights = evidence["nights"]
    if evidence["onset_at"] is not None:
        onset = f"{datetime.fromisoformat(evidence['onset_at']).astimezone(UTC):%Y-%m-%d}"
        return f"{nights} nights, changed since {onset}{_bridge(evidence)}"
    if evidence["phase"] == "learning":
        few = f"{nights} {'night is' if nights == 1 else 'nights are'} too few to judge by nights"
        return f"{few}{_bridge(evidence)}"
    return f"{nights} nights{_bridge(evidence)}"


def _bridge(evidence: Part) -> str:
    """Only where the set was revised: how its nights hang together."""
    carried, cases = evidence["carried_over"], evidence["cases"]
    if carried == cases:
        return ""
    return f"; {carried} of {cases} cases carried over" if carried else "; new baseline, no case was carried over"


def _case(case: Part) -> str:
    nights = case["passing_nights"]
    history = f", passed {nights} {'night' if nights == 1 else 'nights'} before" if nights else ""
    return f"{case['case_id']}  {case['severity']}, {case['category']}{history}, now {case['failure_category']}"


def _recent(runs: list[Part]) -> Iterator[str]:
    if runs:
        yield _row("nights", ", ".join(percent(run["pass_rate"]) for run in runs))


def _table(name: str, rows: list[str]) -> Iterator[str]:
    for position, row in enumerate(rows):
        yield _row("" if position else name, row)


def _row(name: str, value: str) -> str:
    return f"  {name:<{_LEFT}}{value}"


def _accepted(acceptance: Part) -> str:
    return f"by {acceptance['by']}, {_when(acceptance['at'])}: {acceptance['reason']}; the rate is not back"


def _since(alert: Part) -> str:
    return str(alert["resolved_at"] or alert["fired_at"] or alert["pending_since"])


def _when(at: str) -> str:
    return f"{datetime.fromisoformat(at).astimezone(UTC):%Y-%m-%d %H:%M} UTC"
