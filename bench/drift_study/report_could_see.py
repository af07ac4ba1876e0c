"""The smallest detectable effects of a verdict, and the share of falls of that size that was found."""

from collections import Counter
from pathlib import Path

from bench.drift_study.could_see import PROMISES, could_see_cells
from bench.drift_study.markdown import Row, table
from bench.drift_study.shares import Share, share, tallies_of
from bench.drift_study.tally import Tally
from bench.drift_study.wanted import FEWEST

LEAST, MOST = 0.75, 0.90  # around the 80 % that is promised


def could_see_section(folder: Path, *, seed: int) -> str:
    """One row a cell and promise; empty when nothing is stored."""
    stored = tallies_of(folder / "could_see.jsonl", seed)
    rows = [row for name in could_see_cells() if name in stored for row in _rows(name, stored[name])]
    head = ["cell", "fall", "within", "could see, on average", "runs", "asked", "found in time", ""]
    return table("What a verdict could see", head, rows) if rows else ""


def _rows(name: str, tally: Tally) -> list[Row]:
    rows: list[Row] = []
    for situation, nights in PROMISES:
        measure = f"{situation}_{nights}"
        found = share(tally.counts.get(f"{measure}_found", Counter()))
        n, total, _squares = tally.sums.get(f"{measure}_size", (0, 0.0, 0.0))
        size = f"{100 * total / n:.1f} points" if n else "nothing"
        within = "the same night" if nights == 1 else f"{nights} nights"
        asked = f"{100 * LEAST:.0f} to {100 * MOST:.0f} %"
        rows.append([name, situation, within, size, str(found.n), asked, str(found), _verdict(found)])
    return rows


def _verdict(found: Share) -> str:
    """Reached up to two Monte-Carlo errors: it is about the true rate."""
    if found.n < FEWEST:
        return "not run" if found.n == 0 else "too few runs"
    off = max(LEAST - found.rate, found.rate - MOST)
    return "reached" if off <= 2.0 * found.error else "not reached"
