"""Measures root-cause analysis: the error rates of its steps, and whether its probabilities are calibrated.

`python bench/causes.py --error-rates --runs 1500` measures the table of monitor/drift/cause/error_rates.py and prints
it; `python bench/causes.py --runs 3000` runs whole investigations and prints how often a named cause was right, by its
probability. Both results are stored in bench/results/causes.json; a test rejects results of other code.
`python bench/causes.py --confirm` keeps them after code was rearranged: it repeats a sample of each and compares. The
mix of worlds is that of monitor/drift/cause/prior.py.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

from bench.cause_study.calibration import Calibration
from bench.cause_study.confirm import Result, confirm
from bench.cause_study.investigation import investigate_alarm
from bench.cause_study.step_results import Counts, count_results, step_results
from bench.cause_study.table import literal, table_of
from bench.drift_study.confirm import ChangedResultsError
from bench.drift_study.ledger import ROOT, code_hash
from monitor.drift.cause.error_rates import EDGES

RESULTS = Path(__file__).parent / "results" / "causes.json"
ERROR_RATES_SEED, SEED = 2, 1  # other alarms than those the table was measured on
WORLD = "1"
REPORT_EVERY = 100
SAMPLE = 20  # alarms that --confirm repeats


def error_rate_sources() -> list[Path]:
    """Return the files that shape the alarms and the results of single steps."""
    study = Path(__file__).parent / "cause_study"
    own = [study / f"{name}.py" for name in ("mix", "world", "investigation", "step_results")]
    return [*own, *_cause("prior", "experiment_outcome", "experiment_results")]


def calibration_sources() -> list[Path]:
    """Return the files that shape the probabilities as well."""
    beliefs = ("suspects", "experiments", "error_rates", "experiment_choice", "attribution", "statement")
    return [*error_rate_sources(), *_cause(*beliefs)]


def _cause(*names: str) -> list[Path]:
    return [ROOT / "monitor" / "drift" / "cause" / f"{name}.py" for name in names]


def main() -> int:
    options = _parse()
    try:
        if options.confirm:
            _write(confirm(_stored(), RESULTS_OF, report=sys.stderr.write))
        elif options.error_rates:
            _write(_stored() | {"error_rates": measure_error_rates(options.runs, show=True)})
        else:
            _write(_stored() | {"calibration": measure_calibration(options.runs, show=True)})
    except ChangedResultsError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def measure_error_rates(runs: int, *, show: bool = False) -> dict[str, Any]:
    """Return the counts of step results over so many alarms, and those of the first alarms alone."""
    readings = [step_results(ERROR_RATES_SEED, number) for number in _numbers(runs)]
    counts = count_results(row for rows in readings for row in rows)
    if show:
        sys.stdout.write(f"{literal(table_of(counts))}\n")
    sample = readings[:SAMPLE]
    return {
        "code": code_hash(error_rate_sources(), WORLD),
        "runs": runs,
        "seed": ERROR_RATES_SEED,
        "edges": list(EDGES),
        "counts": as_json(counts),
        "sample": {"runs": len(sample), "counts": as_json(count_results(row for rows in sample for row in rows))},
    }


def measure_calibration(runs: int, *, show: bool = False) -> dict[str, Any]:
    """Return how often named causes were right over so many alarms, and over the first alarms alone."""
    found, sample = Calibration(), Calibration()
    for number in _numbers(runs):
        investigation = investigate_alarm(SEED, number)
        found.add([investigation])
        if number < SAMPLE:
            sample.add([investigation])
    if show:
        sys.stdout.write(f"{found.markdown()}\n")
    return {
        "code": code_hash(calibration_sources(), WORLD),
        "seed": SEED,
        **asdict(found),
        "sample": asdict(sample),
    }


RESULTS_OF = {
    "error_rates": Result(measure=measure_error_rates, repeat="--error-rates"),
    "calibration": Result(measure=measure_calibration, repeat=""),
}


def _stored() -> dict[str, Any]:
    """Return the content of the file after the runs: another command may have written it meanwhile."""
    found: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    return found


def _write(results: dict[str, Any]) -> None:
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(f"{json.dumps(results, indent=1)}\n", encoding="utf-8")


def as_json(counts: Counts) -> list[dict[str, Any]]:
    """Return the counts as JSON, by family and true result."""
    return [
        {
            "family": family.name,
            "true_result": right.name,
            "bins": [{s.name: n for s, n in row.items()} for row in rows],
        }
        for (family, right), rows in sorted(counts.items(), key=lambda item: (item[0][0].name, item[0][1].name))
    ]


def _numbers(runs: int) -> Iterator[int]:
    for number in range(runs):
        if number % REPORT_EVERY == REPORT_EVERY - 1:
            sys.stderr.write(f"{number + 1} of {runs}\n")
        yield number


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--error-rates", action="store_true", help="measure the error rates of the steps instead")
    parser.add_argument(
        "--confirm", action="store_true", help="keep the results of rearranged code if a sample of each is the same"
    )
    parser.add_argument("--runs", type=int, default=3000, help="alarms (%(default)s)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
