"""The trend of each case over runs: difficulty, flakiness and states."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from monitor.domain.case_history import CaseAnswers, CaseState, CaseTrend, Counts

MIN_RUNS = 3  # scored runs before a case can be too easy or never pass
MIN_FLIPS = 2  # a single flip within a version can be a regression that no change announced

Flags = NDArray[np.bool_]


def case_trends(answers: CaseAnswers, versions: Sequence[str | None]) -> list[CaseTrend]:
    """Return the trend of each case, in the order of the columns of `answers`.

    Shapes:  `answers` [runs, cases] in time order; `versions` [runs]. A run of unknown version makes no pair of nights.
    Empty:   a case that no run scored has zeros, no verdict and no state.

    >>> one, two, last = (np.array(nights, np.int64).reshape(-1, 1) for nights in ([1, 1, 1], [1, 2, 1], [1, 1, 0]))
    >>> answers = CaseAnswers(scored=one, passed=last, answers=two, passes=last)
    >>> trend = case_trends(answers, ["v1", "v1", "v2"])[0]
    >>> trend.failed, trend.pairs, trend.disagreeing, trend.night_pairs, trend.flips
    (1, 1, 1, 1, 0)
    >>> [state.value for state in trend.states]
    ['failing', 'newly_failing', 'flaky']
    """
    known, failed = answers.scored > 0, _failed(answers)
    pairs = (answers.answers * (answers.answers - 1) // 2).sum(axis=0)
    disagreeing = (answers.passes * (answers.answers - answers.passes)).sum(axis=0)
    flips, night_pairs = _flips(known, failed, versions)
    newest, before = _last_two(known, failed)
    passes, total = answers.passes.sum(axis=0), answers.answers.sum(axis=0)
    return [
        _trend(
            runs=int(known[:, case].sum()),
            failed=int(failed[:, case].sum()),
            pairs=int(pairs[case]),
            disagreeing=int(disagreeing[case]),
            night_pairs=int(night_pairs[case]),
            flips=int(flips[case]),
            newest=newest[case],
            before=before[case],
            passes=int(passes[case]),
            answers=int(total[case]),
        )
        for case in range(known.shape[1])
    ]


def _failed(answers: CaseAnswers) -> Flags:
    """Return whether each case failed in each run: less than half of its scored samples passed."""
    return (answers.scored > 0) & (2 * answers.passed < answers.scored)


def _flips(known: Flags, failed: Flags, versions: Sequence[str | None]) -> tuple[Counts, Counts]:
    """Return the flips and the pairs of each case between consecutive scored nights of one version."""
    cases = known.shape[1]
    flips, pairs = np.zeros(cases, np.int64), np.zeros(cases, np.int64)
    last_version, last_failed = np.full(cases, -1), np.zeros(cases, np.bool_)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(v for v in versions if v is not None))}
    for run, version in enumerate(versions):
        number = numbers.get(version, -2) if version is not None else -2
        pair = known[run] & (last_version == number)
        pairs += pair
        flips += pair & (last_failed != failed[run])
        last_version = np.where(known[run], number if number >= 0 else -1, last_version)
        last_failed = np.where(known[run], failed[run], last_failed)
    return flips, pairs


def _last_two(known: Flags, failed: Flags) -> tuple[list[bool | None], list[bool | None]]:
    """Return whether each case failed on the newest run, and on the last run before it that scored the case; None
    without a score.
    """
    cases = range(known.shape[1])
    if not known.shape[0]:
        return [None for _ in cases], [None for _ in cases]
    newest = [bool(failed[-1, case]) if known[-1, case] else None for case in cases]
    return newest, [_last(known[:-1, case], failed[:-1, case]) for case in cases]


def _last(known: Flags, failed: Flags) -> bool | None:
    scored = np.flatnonzero(known)
    return bool(failed[scored[-1]]) if scored.size else None


def _trend(
    *,
    runs: int,
    failed: int,
    pairs: int,
    disagreeing: int,
    night_pairs: int,
    flips: int,
    newest: bool | None,
    before: bool | None,
    passes: int,
    answers: int,
) -> CaseTrend:
    holds = {
        CaseState.FAILING: newest is True,
        CaseState.NEWLY_FAILING: newest is True and before is False,
        CaseState.FLAKY: disagreeing > 0 or flips >= MIN_FLIPS,
        CaseState.NEVER_PASSES: runs >= MIN_RUNS and passes == 0,
        CaseState.TOO_EASY: runs >= MIN_RUNS and passes == answers,
    }
    return CaseTrend(
        runs=runs,
        failed=failed,
        pairs=pairs,
        disagreeing=disagreeing,
        night_pairs=night_pairs,
        flips=flips,
        passed=None if newest is None else not newest,
        states=tuple(state for state, found in holds.items() if found),
    )
