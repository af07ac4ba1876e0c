"""Measure what a daemon needs: CPU time, memory and disk by interactions and by replayed cases.

`python bench/sizing.py` starts a real daemon for each size, sends interactions over OTLP/HTTP, replays an open and a
sealed set against a local endpoint, and compacts the file after each step. The sizes are at least 30,000 interactions
with 2 runs of 1,000 cases of each set, and 100,000 with 5. Turns of users are judged in separate measurements of 5,000
and 20,000 interactions, because that takes more CPU time than all else. All take 20 minutes on a quiet machine.
`--append --interactions 300000 --runs 15` adds a larger size to the stored ones, `--report` only prints their tables.
CPU time and bytes depend little on other work of the machine, wall times do.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Final

from bench.sizing_study.measuring import Size, code, measure
from bench.sizing_study.report import report

RESULTS: Final = Path(__file__).parent / "results" / "sizing.json"
SIZES: Final[tuple[Size, ...]] = (
    Size(interactions=5_000, runs=0, turns=True),
    Size(interactions=20_000, runs=0, turns=True),
    Size(interactions=30_000, runs=2),
    Size(interactions=100_000, runs=5),
)
MEMORY_MB: Final = 1126  # 55 % of 2 GiB, the memory limit of the chart


def main() -> int:
    asked = _arguments()
    if not asked.report:
        sizes = SIZES
        if asked.interactions:
            sizes = (
                Size(
                    interactions=asked.interactions,
                    runs=asked.runs,
                    cases=asked.cases,
                    turns=asked.turns,
                    idle_s=asked.idle,
                ),
            )
        measured = json.loads(asked.results.read_text(encoding="utf-8")) if asked.append else []
        for size in sizes:
            measured.append(measure(size, asked.memory_mb))
            asked.results.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    stored = json.loads(asked.results.read_text(encoding="utf-8"))
    sys.stdout.write(report(stored))
    if any(one["code"] != code() for one in stored):
        sys.stderr.write("a measurement is of other code than this\n")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", action="store_true", help="measure nothing: print the tables of what is stored")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the stored measurement (%(default)s)")
    parser.add_argument("--memory-mb", type=int, default=MEMORY_MB, help="memory limit of DuckDB, MiB (%(default)s)")
    parser.add_argument("--append", action="store_true", help="add to the stored measurements")
    one = parser.add_argument_group("one size instead of all")
    one.add_argument("--interactions", type=int, help="to send, at least")
    one.add_argument("--runs", type=int, default=1, help="of each set (%(default)s)")
    one.add_argument("--cases", type=int, default=1_000, help="of each set (%(default)s)")
    one.add_argument("--turns", action="store_true", help="judge the turns of users")
    one.add_argument("--idle", type=float, default=30.0, metavar="S", help="measure an idle daemon for (%(default)s)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
