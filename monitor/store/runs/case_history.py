"""The runs of a set with the answers to its cases: of all cases as counts, and of one case one by one."""

from collections.abc import Sequence
from datetime import datetime

import numpy as np

from monitor.domain.case_history import (
    CaseAnswer,
    CaseAnswers,
    CaseCandidate,
    CaseExposureCount,
    CaseRevision,
    HistoryRun,
    ListedCase,
)
from monitor.store.engine.arrays import numbers
from monitor.store.engine.transaction import Tx
from monitor.store.sets.access_log import RECENT

CASE_PREFIX = "case-"  # of the id of a case that came from a candidate


def newest_runs(tx: Tx, set_name: str, *, deployment: str | None, until_run: str | None, most: int) -> list[HistoryRun]:
    """Return the newest complete runs of a set on one deployment, the oldest first. Without a deployment, it is the one
    that replayed the set last.
    """
    rows = tx.query("runs_of_case_history", set_name=set_name, deployment=deployment, until_run=until_run, most=most)
    return [HistoryRun(**row) for row in rows]


def listed_cases(tx: Tx, set_name: str, revision: str) -> list[ListedCase]:
    """Return the cases of a revision by position, without their content."""
    return [ListedCase(**row) for row in tx.query("case_list", set_name=set_name, revision=revision)]


def answers(tx: Tx, runs: Sequence[HistoryRun], revision: str, cases: Sequence[ListedCase]) -> CaseAnswers:
    """Return the answers of these cases of a revision in each of these runs."""
    table = tx.table("case_answers", runs=[run.run_id for run in runs], revision=revision)
    column = np.zeros(max((case.position for case in cases), default=-1) + 1, np.int64)
    column[[case.position for case in cases]] = np.arange(len(cases))
    cells = numbers(table["night"]), column[numbers(table["position"])]
    counts = {}
    for name in ("scored", "passed", "answers", "passes"):
        counts[name] = np.zeros((len(runs), len(cases)), np.int64)
        counts[name][cells] = numbers(table[name])
    return CaseAnswers(**counts)


def answers_of_case(tx: Tx, runs: Sequence[HistoryRun], case_id: str, content_mac: str) -> list[CaseAnswer]:
    """Return every answer to one case in these runs, by run and sample."""
    ids = [run.run_id for run in runs]
    rows = tx.query("answers_of_case", runs=ids, case_id=case_id, content_mac=content_mac)
    return [CaseAnswer(**row) for row in rows]


def revisions_of_case(tx: Tx, set_name: str, case_id: str) -> list[CaseRevision]:
    """Return the revisions of the set that contain the case, the oldest first."""
    return [CaseRevision(**row) for row in tx.query("revisions_of_case", set_name=set_name, case_id=case_id)]


def candidate_of_case(tx: Tx, case_id: str) -> CaseCandidate | None:
    """Return the candidate that became the case, None for a case that was imported."""
    digits = case_id.removeprefix(CASE_PREFIX)
    if digits == case_id or len(digits) != HASH_DIGITS or not set(digits) <= set("0123456789abcdef"):
        return None
    row = tx.one("candidate_of_case", prefix=digits)
    return CaseCandidate(**row) if row else None


HASH_DIGITS = 12


def exposure_of_case(tx: Tx, set_name: str, content_mac: str, now: datetime) -> CaseExposureCount:
    """Return how often the content of a case was sent and revealed."""
    row = tx.one("exposure_of_case", set_name=set_name, content_mac=content_mac, since=now - RECENT)
    assert row is not None, "an aggregate has one row"
    return CaseExposureCount(**row)
