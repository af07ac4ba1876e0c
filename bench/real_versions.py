"""Measures the statistics on real changes of real models: tables of verdicts, with their Monte-Carlo error.

`python bench/real_versions.py` draws many subsets of the recorded cases of every pair of versions, and makes half years
of nights of GPT-4 with the resampling of the recorded endpoint. Seeded: equal arguments print equal tables.
"""

import argparse
import os
import sys
from collections.abc import Iterator

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy: the arrays are small

from bench.drift_study.markdown import Row, table
from bench.drift_study.shares import Share
from bench.real_study.histories import identical_nights, march_to_june
from bench.real_study.pairs import PAIRS
from bench.real_study.subsets import Result, study

SIZES = (50, 100, 300)
SETTINGS = ((1, 0.0), (14, 0.2))  # nights before the change, and what share of answers is resampled
RESAMPLES = (0.1, 0.3, 0.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--subsets", type=int, default=1000, help="subsets of every pair and size")
    parser.add_argument("--histories", type=int, default=400, help="histories of identical nights for every share")
    parser.add_argument("--changes", type=int, default=200, help="histories of March to June for every share")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for baseline, resample in SETTINGS:
        show(f"One night after {baseline} before, resample {resample}", SUBSETS, pair_rows(options, baseline, resample))
    show("Identical nights of March, 300 cases, 180 nights, alpha 5 %", IDENTICAL, identical_rows(options))
    show("March to June on 50 and 300 cases", CHANGED, change_rows(options))


def show(title: str, head: Row, rows: Iterator[Row]) -> None:
    sys.stdout.write(table(title, head, rows))
    sys.stdout.flush()


SUBSETS = ("pair", "right verdict", "cases", "runs", "right", "opposite", "unfounded", "names the fallen", "the risen")
IDENTICAL = ("resample", "runs", "any alert", "a regression alert")
CHANGED = (
    "resample",
    "cases",
    "change",
    "runs",
    "detected on the first night",
    "the alert names the primes",
    "they are listed as well",
)


def pair_rows(options: argparse.Namespace, baseline: int, resample: float) -> Iterator[Row]:
    for pair in PAIRS:
        for cases in (size for size in SIZES if size <= len(pair.of().ids)):
            runs = 1 if cases == len(pair.of().ids) and resample == 0.0 else options.subsets
            yield _row(study(pair, cases=cases, runs=runs, seed=options.seed, baseline=baseline, resample=resample))


def _row(found: Result) -> Row:
    shares = (found.right, found.opposite, found.unfounded, found.fell, found.rose)
    texts = [_share_text(share) for share in shares]
    return [found.pair.name, found.pair.verdict, str(found.cases), str(found.right.n), *texts]


def _share_text(share: Share) -> str:
    if share.n == 0:
        return "–"
    return str(share) if share.n > 1 else "yes" if share.yes else "no"  # all cases, as recorded: nothing is drawn


def identical_rows(options: argparse.Namespace) -> Iterator[Row]:
    for resample in RESAMPLES:
        found = identical_nights(resample, runs=options.histories, seed=options.seed)
        yield [str(resample), str(options.histories), str(found.alerts), str(found.regressions)]


def change_rows(options: argparse.Namespace) -> Iterator[Row]:
    for cases in (50, 300):
        for resample in RESAMPLES:
            for announced in (False, True):
                made = march_to_june(
                    resample, runs=options.changes, seed=options.seed, announced=announced, cases=cases
                )
                kind = "announced" if announced else "silent"
                shares = (str(made.first_night), str(made.named), str(made.listed))
                yield [str(resample), str(cases), kind, str(options.changes), *shares]


if __name__ == "__main__":
    main()
