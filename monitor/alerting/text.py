"""The payload of an alert as plain text for the person on call."""

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
    """Return the payload (see message.py) as text: the change first, then the evidence, the cases and the links."""
    return "\n".join(_lines(printable_values(with_current_keys(payload))))


def _lines(payload: Part) -> Iterator[str]:
    alert, finding, comparison = payload["alert"], payload["finding"], payload["comparison"]
    decided = payload.get("decided")  # payloads of an earlier release do not have it
    accepted = alert.get("acceptance")  # payloads of an earlier release do not have it
    title = "ACCEPTED" if accepted is not None else _HEADLINES.get(payload["reason"], "FIRING")
    production = payload.get("production")  # payloads of an earlier release do not have it
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
        yield _row("dashboard", payload["dashboard_url"])
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
        yield _row("change", f"{change['kind']} change, {change['how']} {_when(change['at'])} ({change['id']})")


def _cause(cause: Part) -> str:
    """Return the cause, or the causes that remain possible, on one line. `driftd drift explain` lists the steps."""
    named = " and ".join(cause["named"] or ["not identifiable"])  # payloads of an earlier release have no statement
    return f"{cause.get('statement') or named}; driftd drift explain {cause['finding_id']}"


def _flips(comparison: Part) -> Iterator[str]:
    to_fail, to_pass = comparison["flipped_to_fail"], comparison["flipped_to_pass"]
    yield _row("flips", f"{to_fail} passed before and fail now, {to_pass} the other way")


def _nights(evidence: Part) -> Iterator[str]:
    """Yield the difference from the pinned run and the noise between nights."""
    if evidence["pinned_run"] is not None and evidence["pinned_run"]["delta"] is not None:
        yield _row("pinned", _pinned_run(evidence["pinned_run"]))
    yield from _table("noise", list(_noise(evidence)))


def _pinned_run(pinned: Part) -> str:
    """Return the difference between the newest nights and the pinned run, also after accepted changes."""
    ends = pinned["interval"]
    sure = "" if ends is None else f", 95 % interval {points(ends[0])} to {points(ends[1])}"
    status = {"below": "below it: ", "accepted": "below it, accepted: "}.get(pinned["status"], "")
    return f"{status}{points(pinned['delta'])} points from the pinned run {pinned['run_id']}{sure}"


def _noise(evidence: Part) -> Iterator[str]:
    """Yield the noise between samples of one night and the noise between nights."""
    if evidence["flip_rate"] is not None:
        ends = evidence["flip_interval"]
        sure = "" if ends is None else f" (95 % interval {percent(ends[0])} to {percent(ends[1])})"
        apart = percent(evidence["flip_rate"])
        yield f"two samples of a case in one night have different scores in {apart} of cases{sure}"
    if evidence["night_variance"] is not None:
        yield f"nights without a change differ by {100 * evidence['night_variance'] ** 0.5:.1f} points"


def _about_nights(evidence: Part) -> str:
    nights = evidence["nights"]
    if evidence["onset_at"] is not None:
        onset = f"{datetime.fromisoformat(evidence['onset_at']).astimezone(UTC):%Y-%m-%d}"
        return f"{nights} nights, changed since {onset}{_overlap(evidence)}"
    if evidence["phase"] == "learning":
        few = f"{nights} {'night is' if nights == 1 else 'nights are'} too few for a test over nights"
        return f"{few}{_overlap(evidence)}"
    return f"{nights} nights{_overlap(evidence)}"


def _overlap(evidence: Part) -> str:
    """Return how many cases the revisions share. Return nothing if the set was not revised."""
    carried, cases = evidence["carried_over"], evidence["cases"]
    if carried == cases:
        return ""
    return f"; {carried} of {cases} cases carried over" if carried else "; new baseline, no case carried over"


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
    return f"by {acceptance['by']}, {_when(acceptance['at'])}: {acceptance['reason']}; the rate has not recovered"


def _since(alert: Part) -> str:
    return str(alert["resolved_at"] or alert["fired_at"] or alert["pending_since"])


def _when(at: str) -> str:
    return f"{datetime.fromisoformat(at).astimezone(UTC):%Y-%m-%d %H:%M} UTC"
