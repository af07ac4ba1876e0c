"""Measures what investigations of drops tell: the error rates of their steps, and whether what is told is calibrated.

`python bench/causes.py --readings --runs 1500` measures the table of monitor/drift/cause/error_rates.py and prints it;
`python bench/causes.py --runs 3000` plays whole investigations and prints the share that was right by what was told.
Both are kept in bench/results/causes.json; a test refuses results of other code. The mix of worlds is that of
monitor/drift/cause/prior.py.
"""

import argparse
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

from bench.cause_study.calibration import Calibration
from bench.cause_study.play import play
from bench.cause_study.readings import Counts, counted, readings
from bench.cause_study.table import literal, table_of
from bench.drift_study.ledger import ROOT, code_hash
from monitor.drift.cause.error_rates import EDGES

RESULTS = Path(__file__).parent / "results" / "causes.json"
READINGS_SEED, SEED = 2, 1  # other alarms than those the table was measured on
WORLD = "1"
TELL_EVERY = 100


def world_sources() -> list[Path]:
    """What shapes the alarms and the readings of single steps."""
    study = Path(__file__).parent / "cause_study"
    return [*(study / f"{name}.py" for name in ("mix", "world", "play", "readings")), *_drift("cause_mix", "shown")]


def told_sources() -> list[Path]:
    """What shapes the beliefs besides."""
    beliefs = ("suspects", "counterfactual", "readings", "step_choice", "attribution", "cause_statement")
    return [*world_sources(), *_drift(*beliefs)]


def _drift(*names: str) -> list[Path]:
    return [ROOT / "monitor" / "drift" / f"{name}.py" for name in names]


def main() -> int:
    options = _parse()
    if options.readings:
        counts = counted(row for number in _numbers(options.runs) for row in readings(READINGS_SEED, number))
        sys.stdout.write(f"{literal(table_of(counts))}\n")
        made = {
            "code": code_hash(world_sources(), WORLD),
            "runs": options.runs,
            "seed": READINGS_SEED,
            "edges": list(EDGES),
            "counts": as_json(counts),
        }
        stored = _stored() | {"readings": made}
    else:
        found = Calibration()
        found.add(play(SEED, number) for number in _numbers(options.runs))
        sys.stdout.write(f"{found.markdown()}\n")
        code = code_hash(told_sources(), WORLD)
        stored = _stored() | {"calibration": {"code": code, "seed": SEED, **asdict(found)}}
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(f"{json.dumps(stored, indent=1)}\n", encoding="utf-8")
    return 0


def _stored() -> dict[str, Any]:
    """What the file holds when the runs are done: another command may have written meanwhile."""
    found: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    return found


def as_json(counts: Counts) -> list[dict[str, Any]]:
    return [
        {"family": family.name, "right": right.name, "bins": [{s.name: n for s, n in row.items()} for row in rows]}
        for (family, right), rows in sorted(counts.items(), key=lambda item: (item[0][0].name, item[0][1].name))
    ]


def _numbers(runs: int) -> Any:
    for number in range(runs):
        if number % TELL_EVERY == TELL_EVERY - 1:
            sys.stderr.write(f"{number + 1} of {runs}\n")
        yield number


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--readings", action="store_true", help="the error rates of the steps instead")
    parser.add_argument("--runs", type=int, default=3000, help="alarms (%(default)s)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
