"""dedrift's published figures, theirs and ours on the same histories.

Published: 3.2 % false alarms a check on its fixed path (12 canaries of 5) and 71.6 % over 50 cycles; on its anytime
path (18 of 7) none in 500 stable runs, and ten points more refusals found in 89 of 100 at a median of 50 cycles; with a
wobble of sigma 0.10 between cycles 71 % of the checks on the fixed path (30 of 7, five checks a history).
"""

import tempfile
import zlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from bench.drift_study.alerts import Detector, alerts_of
from bench.drift_study.ours import our_methods
from bench.drift_study.rivals.dedrift_histories import Cycles, Study, document_of, draw_cycles, records_of
from bench.drift_study.rivals.dedrift_program import DRIFT, INCONCLUSIVE, Project
from bench.drift_study.rivals.environment import lock_file
from bench.drift_study.tally import Tally


def studies() -> dict[str, Study]:
    """Name to study. Those with many cycles take minutes a run: the program is started anew for every check."""
    made = [
        Study(name="dedrift/fixed/one_check", path="fixed", canaries=12, repetitions=5, cycles=9),
        Study(name="dedrift/fixed/50_cycles", path="fixed", canaries=12, repetitions=5, cycles=58),
        Study(
            name="dedrift/fixed/wobble",
            path="fixed",
            canaries=30,
            repetitions=7,
            cycles=9,
            first_check=4,
            wobble=0.10,
            every_check=True,
        ),
        Study(name="dedrift/anytime/null", path="anytime", canaries=18, repetitions=7, cycles=108, every=10),
        Study(
            name="dedrift/anytime/refusals10",
            path="anytime",
            canaries=18,
            repetitions=7,
            cycles=108,
            every=5,
            change=8,
            size=0.10,
        ),
    ]
    return {study.name: study for study in made}


def tally_theirs(study: Study, runs: Iterable[int], base_seed: int) -> Tally:
    """What those runs add up to for the program."""
    tally = Tally()
    for run in runs:
        tally.runs += 1
        said = _theirs(study, _cycles(study, run, base_seed))
        drifts = [cycle for cycle, code in said.items() if code == DRIFT]
        _count(drifts[0] if drifts else None, study, tally)
        for code in said.values():
            tally.count("check", code == DRIFT)
            tally.count("inconclusive_check", code == INCONCLUSIVE)
    return tally


def tally_ours(study: Study, runs: Iterable[int], base_seed: int) -> Tally:
    """The same for our detector, on the same histories."""
    return tally_detector(study, runs, base_seed, our_methods().detector)


def tally_detector(study: Study, runs: Iterable[int], base_seed: int, detector: Detector) -> Tally:
    tally = Tally()
    for run in runs:
        tally.runs += 1
        line = document_of(study, _cycles(study, run, base_seed), seed=run)
        alerts = [alert for alert in alerts_of(detector(line)) if alert.counts]
        _count(alerts[0].night if alerts else None, study, tally)
    return tally


def _cycles(study: Study, run: int, base_seed: int) -> Cycles:
    sequence = np.random.SeedSequence([base_seed, zlib.crc32(study.name.encode()), run])
    return draw_cycles(study, np.random.default_rng(sequence))


def _count(first: int | None, study: Study, tally: Tally) -> None:
    """Whether there was an alarm, and the cycles after the change (or the first check) until the first."""
    tally.count("alarm", first is not None)
    if first is not None:
        tally.count("delay", first - (study.first_check if study.change is None else study.change) + 1)


def _theirs(study: Study, cycles: Cycles) -> dict[int, int]:
    """What each check said, by its cycle; after the first drift no more, unless every check is wanted."""
    said: dict[int, int] = {}
    with tempfile.TemporaryDirectory(prefix="driftd-dedrift-") as folder:
        project = Project(Path(folder), repetitions=study.repetitions)
        project.log(_records(study, cycles, range(study.golden)), each_cycle=study.records)
        project.freeze_first(study.golden)
        project.log(_records(study, cycles, range(study.golden, study.first_check)), each_cycle=study.records)
        if study.path == "anytime":
            project.check(study.path)  # an epoch begins after the cycle at which it is first seen
        for start in range(study.first_check, study.cycles, study.every):
            stop = min(start + study.every, study.cycles)
            project.log(_records(study, cycles, range(start, stop)), each_cycle=study.records)
            said[stop - 1] = project.check(study.path)
            if said[stop - 1] == DRIFT and not study.every_check:
                break
    return said


def _records(study: Study, cycles: Cycles, which: range) -> Iterable[dict[str, object]]:
    return (record for cycle in which for record in records_of(study, cycles, cycle))


def study_sources() -> list[Path]:
    """The files whose code the results depend on, besides our own detector."""
    folder = Path(__file__).parent
    return [folder / "dedrift_histories.py", folder / "dedrift_program.py", Path(__file__)]


def study_lock() -> str:
    return lock_file("dedrift").read_text(encoding="utf-8")
