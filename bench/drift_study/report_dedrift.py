"""The published figures of dedrift, with the results of its program and of our detector on the same histories."""

from collections import Counter
from pathlib import Path

from bench.drift_study.markdown import table
from bench.drift_study.rivals.dedrift_study import studies
from bench.drift_study.shares import median, share, tallies_of
from bench.drift_study.tally import Tally

PUBLISHED = {
    "dedrift/fixed/one_check": "3.2 % (16 of 500)",
    "dedrift/fixed/50_cycles": "71.6 % of histories",
    "dedrift/fixed/wobble": "71.0 % of checks (142 of 200)",
    "dedrift/anytime/null": "0 of 500 histories (2 of 500 in its README)",
    "dedrift/anytime/refusals10": "89 of 100, median 50 cycles",
}


def dedrift_section(folder: Path, *, seed: int) -> str:
    """One row a study: published, theirs here, ours here."""
    theirs, ours = tallies_of(folder / "dedrift.jsonl", seed), tallies_of(folder / "dedrift_ours.jsonl", seed)
    rows = [
        [name, PUBLISHED.get(name, "-"), _found(theirs.get(name)), _found(ours.get(name))]
        for name in studies()
        if name in theirs or name in ours
    ]
    if not rows:
        return ""
    head = ["study", "published", "dedrift 0.5.0 here", "driftd here"]
    return table("dedrift's own study", head, rows)


def _found(tally: Tally | None) -> str:
    if tally is None:
        return "not run"
    found = share(tally.counts["alarm"])
    verdicts = f"{found} of {found.n} histories"
    checks = share(tally.counts.get("check", Counter()))
    if checks.n > found.n:
        verdicts += f", {checks} of {checks.n} checks"
    delays = tally.counts.get("delay", Counter())
    return f"{verdicts}, median {median(delays):g} cycles" if delays else verdicts
