"""The rows of a message. Each function returns the lines of one row, empty where nothing is known. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from monitor.alerting.decided_text import percent, points

Part = Mapping[str, Any]
_FAILURES = 3  # failure categories that a message lists
_GATE_CASES = 5  # critical cases of the severity gate that a message lists
_OTHERS = 5  # other alerts of the group that a message lists


def when(at: str) -> str:
    """Return an ISO time as `2026-11-20 05:00 UTC`."""
    return f"{datetime.fromisoformat(at).astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def measures_row(part: Part | None) -> list[str]:
    """Return what the pass rate of the set means; nothing if its owner did not say it. Older payloads lack the key."""
    found = None if part is None else part.get("measures")
    return [found] if found else []


def change_row(change: Part | None) -> list[str]:
    if change is None:
        return []
    return [f"{change['kind']} change, {change['how']} {when(change['at'])} ({change['id']})"]


def diff_rows(diff: Sequence[Part]) -> list[str]:
    """Return the differences between the versions, then the changed lines of the prompt: digests, or texts for a
    receiver that is cleared for them.
    """
    rows = [f"{each['name']}: {each['before'] or 'not set'} → {each['after'] or 'not set'}" for each in diff]
    return rows + [line for each in diff for line in each.get("lines", ())]


def flips_row(comparison: Part) -> list[str]:
    to_fail, to_pass = comparison["flipped_to_fail"], comparison["flipped_to_pass"]
    return [f"{to_fail} passed before and fail now, {to_pass} the other way"]


def case_rows(cases: Sequence[Part]) -> list[str]:
    """Return one line for each case, and a second one with its text where the receiver is cleared for it."""
    return [line for case in cases for line in _case(case)]


def _case(case: Part) -> Iterator[str]:
    nights = case["passing_nights"]
    history = f", passed {_nights(nights)} before" if nights else ""
    yield f"{case['case_id']}  {case['severity']}, {case['category']}{history}, now {case['failure_category']}"
    if case.get("text"):
        yield f"  “{case['text']}”"


def gate_rows(gate: Part | None) -> list[str]:
    """Return one line for each critical case of the severity gate, and its text if the receiver is cleared for it."""
    if gate is None:
        return []
    rows = []
    for case in gate["cases"][:_GATE_CASES]:
        samples = f"{case['violations']} of {case['samples']} fresh samples"
        rows.append(f"{case['case_id']}  {case['state']}, {case['category']}: forbidden content in {samples}")
        rows += [f"  “{case['text']}”"] if case.get("text") else []
    more = len(gate["cases"]) - _GATE_CASES
    return rows + ([f"… {more} more"] if more > 0 else [])


def failure_rows(comparison: Part, decided: Part | None) -> list[str]:
    """Return the failure categories whose number of cases changed most.

    Where the deciding test found failure categories, the row `moved` has them, with the rates of that test.
    """
    if decided is not None and any(row["kind"] == "mix" for row in [decided, *decided["moved"]]):
        return []
    changed = [row for row in comparison["failure_shifts"] if row["baseline"] != row["candidate"]]
    changed.sort(key=lambda row: (-abs(row["candidate"] - row["baseline"]), row["failure_category"]))
    return [f"{row['failure_category']}: {row['baseline']} → {row['candidate']} cases" for row in changed[:_FAILURES]]


def noise_rows(evidence: Part) -> list[str]:
    """Return the noise between samples of one night and the noise between nights."""
    rows = []
    if evidence["flip_rate"] is not None:
        ends = evidence["flip_interval"]
        sure = "" if ends is None else f" (95 % interval {percent(ends[0])} to {percent(ends[1])})"
        apart = percent(evidence["flip_rate"])
        rows.append(f"two samples of a case in one night have different scores in {apart} of cases{sure}")
    if evidence["night_variance"] is not None:
        rows.append(f"nights without a change differ by {100 * evidence['night_variance'] ** 0.5:.1f} points")
    return rows


def pinned_row(pinned: Part | None) -> list[str]:
    """Return the difference between the newest nights and the pinned run, also after accepted changes."""
    if pinned is None or pinned["delta"] is None:
        return []
    ends = pinned["interval"]
    sure = "" if ends is None else f", 95 % interval {points(ends[0])} to {points(ends[1])}"
    status = {"below": "below it: ", "accepted": "below it, accepted: "}.get(pinned["status"], "")
    return [f"{status}{points(pinned['delta'])} points from the pinned run {pinned['run_id']}{sure}"]


def nights_text(evidence: Part) -> str:
    """Return the nights that the test compared, on one line."""
    nights, overlap = evidence["nights"], _overlap(evidence)
    if evidence["onset_at"] is not None:
        onset = f"{datetime.fromisoformat(evidence['onset_at']).astimezone(UTC):%Y-%m-%d}"
        return f"{nights} nights, changed since {onset}{overlap}"
    if evidence["phase"] == "learning":
        return f"{nights} {'night is' if nights == 1 else 'nights are'} too few for a test over nights{overlap}"
    return f"{nights} nights{overlap}"


def _overlap(evidence: Part) -> str:
    """Return how many cases the revisions share. Return nothing if the set was not revised."""
    carried, cases = evidence["carried_over"], evidence["cases"]
    if carried == cases:
        return ""
    return f"; {carried} of {cases} cases carried over" if carried else "; new baseline, no case carried over"


def recent_row(runs: Sequence[Part]) -> list[str]:
    return [", ".join(percent(run["pass_rate"]) for run in runs)] if runs else []


def cause_row(cause: Part | None) -> list[str]:
    """Return the cause, or the causes that remain possible, and the steps that were tried."""
    if cause is None:
        return []
    named = " and ".join(cause["named"] or ["not identifiable"])  # payloads of an earlier release have no statement
    tried = "; ".join(f"{each['step']}: {each['result']}" for each in cause.get("tried", ()))
    stated = f"{cause.get('statement') or named}; driftd drift explain {cause['finding_id']}"
    return [stated, f"tried {tried}"] if tried else [stated]


def cost_row(cost: Part | None, cause: Part | None) -> list[str]:
    """Return what the replay and the investigation of the cause have spent."""
    parts = []
    if cost is not None:
        parts.append(f"replay {cost['calls']} calls, {cost['tokens']} tokens, {cost['usd']:.2f} USD")
    if cause is not None and cause.get("calls"):
        parts.append(f"investigation {cause['calls']} calls, {cause['usd']:.2f} USD")
    return ["; ".join(parts)] if parts else []


def group_rows(alerts: Sequence[Part]) -> list[str]:
    """Return the other alerts of the group. The first one is the lead, which the message is about."""
    others = alerts[1:]
    rows = [_other(each) for each in others[:_OTHERS]]
    return rows + ([f"… {len(others) - _OTHERS} more"] if len(others) > _OTHERS else [])


def _other(alert: Part) -> str:
    hidden = f" ({alert['suppressed']})" if alert.get("suppressed") else ""
    return f"{alert['rule']} {alert['state']}, {alert['severity']}: {alert['summary']}{hidden}"


def acknowledged_row(alert: Part) -> list[str]:
    if not alert["acknowledged_by"]:
        return []
    at = f", {when(alert['acknowledged_at'])}" if alert["acknowledged_at"] else ""
    return [f"by {alert['acknowledged_by']}{at}"]


def _nights(count: int) -> str:
    return f"{count} night" if count == 1 else f"{count} nights"
