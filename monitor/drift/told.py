"""An alarm of the watch as a sentence."""

from monitor.domain.evidence import Evidence
from monitor.drift.wording import signed_points


def tell(evidence: Evidence) -> str:
    """What moved, by how much, and since when; of the judge and of a stranger, what that means."""
    since = f"since the night of {evidence.onset_at:%Y-%m-%d}" if evidence.onset_at else "since an earlier night"
    match evidence.kind:
        case "judge":
            return (
                f"the judge changed, not necessarily the model: {_moved(evidence)} {since}, when the scorers changed; "
                "judge stored replies again before you blame the model"
            )
        case "behaviour":
            return f"this is not the version you think: {since} the cases are answered unlike before"
        case _:
            return f"{_moved(evidence)} {since}"


def _moved(evidence: Evidence) -> str:
    mix = evidence.kind == "mix"
    what = f"the share of failures called {evidence.channel}" if mix else _named(evidence.channel or "overall")
    if evidence.delta is None:
        return f"{what} {'rose' if mix else 'moved'}"
    moved = f"{what} {'rose' if evidence.delta > 0 else 'fell'} by {100 * abs(evidence.delta):.1f} points"
    if evidence.interval is None:
        return moved
    low, high = evidence.interval
    return f"{moved} (95 % interval {signed_points(low)} to {signed_points(high)})"


def _named(channel: str) -> str:
    return "the overall pass rate" if channel == "overall" else f"the pass rate of {channel}"
