"""Stored replies are opened for another judgement."""

from dataclasses import replace

import pytest

from monitor.domain.evalset import SetKind
from monitor.domain.evidence import Cause, RankedCause, TriedStep, UntriedStep
from monitor.jobs.replay.rescoring import Rescoring, fold
from monitor.store.engine.database import Store, Tx
from monitor.store.findings import findings
from monitor.store.runs import outcomes, runs
from monitor.store.runs.stored_replies import read_replies
from monitor.store.sets import sealed_sets
from replay.errors import SealError
from replay.evalsets.sealing import Sealer, new_key
from replay.scorers.table import build_scorer
from replay.types import Case, Message
from tests.store.build import answer, at, complete_run, failed_call, finding, score
from tests.store.findings.test_baselines import BARE

CASES = [
    Case(id=name, input=(Message(role="user", content=name),), references=("yes",)) for name in ("a", "b/c", "erred")
]
EXACT = build_scorer("exact", {})
IDS = ["night/a/0", "night/b/c/0", "night/erred/0", "night/gone/0"]


def replayed(store: Store, sealer: Sealer | None) -> None:
    """Store one night: the answer of `a` is right, that of `b/c` wrong, and `erred` has no answer."""
    kind = SetKind.FROZEN if sealer else SetKind.DYNAMIC
    with store.write() as tx:
        revision, _ = sealed_sets.write_revision(
            tx, name="primes", kind=kind, cases=CASES, sealer=sealer, now=at(0), origin="test"
        )
        runs.insert(tx, complete_run("night", at(1), revision=revision.revision, cases=3, set_kind=kind))
        tx.new_step()
        seal = None if sealer is None else lambda text, place: sealer.seal(text.encode(), place)
        rows = [answer("a", score(1.0), text="yes"), answer("b/c", score(0.0), text="no"), failed_call("erred")]
        outcomes.append(tx, "night", rows, seal)


@pytest.mark.parametrize("sealed", [True, False])
def test_replies_are_judged_again_by_the_case_as_it_was_asked(store: Store, sealed: bool) -> None:
    sealer = Sealer(new_key()) if sealed else None
    replayed(store, sealer)
    again = Rescoring(store, [EXACT], sealer)
    assert again.rejudge(IDS) == {IDS[0]: 1.0, IDS[1]: 0.0, IDS[2]: None, IDS[3]: None}
    assert again.rejudge(IDS[:2], failing_as="wrong_answer") == {IDS[0]: 1.0, IDS[1]: 0.0}
    assert again.rejudge(IDS[:2], failing_as="format") == {IDS[0]: 1.0, IDS[1]: 1.0}
    assert (again.calibration(7), again.cost_each.calls) == ((0, 7), 0)


def test_a_sealed_reply_stays_closed_without_its_key(store: Store) -> None:
    replayed(store, Sealer(new_key()))
    with store.read() as tx:
        assert read_replies(tx, IDS, lambda _: None) == []
    with pytest.raises(SealError):
        Rescoring(store, [EXACT], Sealer(new_key())).rejudge(IDS)


def test_scores_fold_as_the_store_folds_them() -> None:
    assert fold([score(1.0), score(0.25, "must")]) == 0.25
    assert fold([score(1.0), score(None, "must")]) is None
    assert fold([]) is None
    assert fold([score(1.0), score(0.0, "must", "format")], "format") == 0.0
    assert fold([score(0.0), score(1.0, "must")], "format") == 1.0


def test_a_cause_comes_back_as_it_was(tx: Tx) -> None:
    cause = Cause(
        named=("model", "judge"),
        probability=0.9,
        why="by the records alone",
        differences=("judge: exact 1 to exact 2",),
        causes=(RankedCause(suspect="model", probability=0.9), RankedCause(suspect=None, probability=0.01)),
        tried=(TriedStep(step="s", result="the drop stayed", detail="numbers", bits=0.4, calls=3, usd=0.01),),
        not_tried=(UntriedStep(step="t", why="gone"),),
        calls=3,
        usd=0.01,
    )
    for name, named in (("f1", ("model", "judge")), ("f2", ()), ("f3", None)):
        actual = replace(BARE, cause=replace(cause, named=named))
        findings.insert(tx, finding(name, evidence=actual))
        found = findings.get(tx, name)
        assert found is not None
        assert found.evidence == actual
