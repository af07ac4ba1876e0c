"""The smallest detectable effects of a verdict, and the share of falls of that size that was found."""

from collections import Counter
from pathlib import Path

from bench.drift_study.could_see import PROMISES, could_see_cells
from bench.drift_study.markdown import Row, table
from bench.drift_study.shares import Share, share, tallies_of
from bench.drift_study.tally import Tally
from bench.drift_study.targets import MIN_RUNS

MIN_SHARE, MAX_SHARE = 0.75, 0.90  # around the 80 % that is promised


def could_see_section(folder: Path, *, seed: int) -> str:
    """Return one row per cell and promise; empty when nothing is stored."""
    stored = tallies_of(folder / "could_see.jsonl", seed)
    rows = [row for name in could_see_cells() if name in stored for row in _rows(name, stored[name])]
    head = ["cell", "fall", "within", "detectable, on average", "runs", "target", "found in time", ""]
    return table("Smallest detectable effects", head, rows) if rows else ""


def _rows(name: str, tally: Tally) -> list[Row]:
    rows: list[Row] = []
    for scenario, nights in PROMISES:
        measure = f"{scenario}_{nights}"
        found = share(tally.counts.get(f"{measure}_found", Counter()))
        n, total, _squares = tally.sums.get(f"{measure}_size", (0, 0.0, 0.0))
        size = f"{100 * total / n:.1f} points" if n else "nothing"
        within = "the same night" if nights == 1 else f"{nights} nights"
        bound_text = f"{100 * MIN_SHARE:.0f} to {100 * MAX_SHARE:.0f} %"
        rows.append([name, scenario, within, size, str(found.n), bound_text, str(found), _verdict(found)])
    return rows


def _verdict(found: Share) -> str:
    """Return the verdict. Reached allows for two Monte-Carlo errors, because the target is about the true rate."""
    if found.n < MIN_RUNS:
        return "not run" if found.n == 0 else "too few runs"
    off = max(MIN_SHARE - found.rate, found.rate - MAX_SHARE)
    return "reached" if off <= 2.0 * found.error else "not reached"
