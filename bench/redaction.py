"""Measures the redaction: what it finds in a labelled sample, and its speed, compared with others.

`python bench/redaction.py --measure` measures and keeps the results (half a minute, on a quiet machine), `--report`
prints the tables of what is kept, `--wrong` every value of the sample that stays and every one that is none.
"""

import argparse
import sys
from pathlib import Path

from bench.redaction_study import ours
from bench.redaction_study.measurement import measure, read, write
from bench.redaction_study.quality import wrong
from bench.redaction_study.report import report
from bench.redaction_study.sample import read_sample

RESULTS = Path(__file__).parent / "results" / "redaction.json"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--measure", action="store_true", help="measure and keep the results")
    what.add_argument("--report", action="store_true", help="print the Markdown tables of what is kept")
    what.add_argument("--wrong", action="store_true", help="print what is missed in the sample, and what is none")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where they are kept (%(default)s)")
    options = parser.parse_args()
    if options.wrong:
        sys.stdout.write("\n".join(wrong(read_sample(), ours.find)) + "\n")
        return 0
    if options.measure:
        write(options.results, measure())
    sys.stdout.write(report(read(options.results)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
