"""The deciding test of the nights as a sentence."""

from monitor.domain.deciding_test import DecidingTest, MovedChannel
from monitor.domain.detectable import horizons
from monitor.domain.evidence import Evidence
from monitor.drift.judge.wording import MAX_NAMED, percent, signed_points


def describe_alert(evidence: Evidence, decided: DecidingTest) -> str:
    """Return what moved, by how much, and since when; for a changed judge or an unidentified version, what that
    means.
    """
    since = f"since the night of {evidence.onset_at:%Y-%m-%d}" if evidence.onset_at else "since an earlier night"
    match evidence.kind:
        case "judge":
            return (
                f"the judge changed, not necessarily the model: {describe_move(decided)} {since}, "
                "when the scorers changed; judge stored replies again before you blame the model"
            )
        case "behaviour":
            return f"an unidentified version answers: the answers to the cases differ {since}"
        case _:
            return "; ".join([f"{describe_move(decided.lead)} {since}", *_parts(decided)])


def describe_move(decided: DecidingTest | MovedChannel) -> str:
    """`the overall pass rate fell from 84.0 % to 50.2 % (-33.8 points, 95 % interval -38.6 to -29.0)`."""
    mix = decided.kind == "mix"
    subject = f"the share of failures called {decided.channel}" if mix else _named(decided.channel)
    if decided.effect is None:
        return f"{subject} {'rose' if mix else 'moved'}"
    verb = "rose" if decided.effect > 0 else "fell"
    interval = decided.interval
    interval_text = (
        "" if interval is None else f"95 % interval {signed_points(interval[0])} to {signed_points(interval[1])}"
    )
    if decided.before is None or decided.after is None:
        text = f"{subject} {verb} by {100 * abs(decided.effect):.1f} points"
        return f"{text} ({interval_text})" if interval_text else text
    before, after = percent(decided.before), percent(decided.after)
    rates = f"stayed at {after}" if before == after else f"{verb} from {before} to {after}"
    inside = f"{signed_points(decided.effect)} points{', ' if interval_text else ''}{interval_text}"
    return f"{subject} {rates} ({inside})"


def describe_detectable(decided: DecidingTest | None) -> str:
    """Return `; can detect a fall of 6.1 points tonight and of 2.4 within 7 nights`; empty when that is not known."""
    if decided is None or not decided.detectable:
        return ""
    first = decided.detectable[0]
    if first.scenario == "two_runs":
        return f"; can detect a change of {100 * first.effect:.1f} points"
    return f"; can detect a fall of {horizons([(each.nights, each.effect) for each in decided.detectable])}"


def _parts(decided: DecidingTest) -> list[str]:
    """Return the other categories and failure categories that moved, the first ones by name."""
    others = [row for row in decided.moved if (row.kind, row.channel) != (decided.lead.kind, decided.lead.channel)]
    measured = [row for row in others if row.before is not None and row.after is not None]
    named = [_part(row) for row in measured[: 2 * MAX_NAMED]]
    if len(measured) > len(named):
        named.append(f"{len(measured) - len(named)} more moved")
    return [", ".join(named)] if named else []


def _part(row: MovedChannel) -> str:
    verb = "rose" if (row.effect or 0.0) > 0 else "fell"
    name = f"failures called {row.channel}" if row.kind == "mix" else row.channel
    return f"{name} {verb} from {percent(row.before or 0.0)} to {percent(row.after or 0.0)}"


def _named(channel: str) -> str:
    return "the overall pass rate" if channel == "overall" else f"the pass rate of {channel}"


def describe_flips(to_fail: int, to_pass: int) -> str:
    return f"tonight {to_fail} {'case' if to_fail == 1 else 'cases'} flipped to fail, {to_pass} to pass"
