"""The end of a run that met two versions, in both stores."""

from dataclasses import replace
from datetime import timedelta

from monitor.config.policy import to_policy
from monitor.domain.policy import DeploymentPolicy
from monitor.domain.run import Run, RunState
from monitor.jobs.replay.finish import ReplayResult, RunFinalizer
from monitor.store.engine.database import Store
from monitor.store.engine.pagination import PageQuery
from monitor.store.runs import outcomes, runs
from monitor.store.sets import revisions as evalsets
from monitor.store.traffic import versions
from replay.run.budget import Spent
from replay.run.runner import RunReport
from replay.run.totals import Tally
from tests.jobs.replay_house import config
from tests.replay.replays import CONDITIONS, SaysYes
from tests.store.build import answer, at, revision, run, score, stored_case

OLD, NEW = "gpt-4-0314", "gpt-4-0613"
CASES = {f"c{n}": OLD if n < 7 else NEW for n in range(12)}


def stored_run(store: Store) -> Run:
    """Store a running run: seven answers of one model, then five of another."""
    with store.write() as tx:
        cases = [stored_case(case_id, n) for n, case_id in enumerate(CASES)]
        evalsets.insert(tx, revision(cases=len(CASES)), cases)
        runs.insert(tx, run("r", state=RunState.RUNNING, started_at=at(0), cases=len(CASES)))
    with store.write() as tx:
        rows = [
            answer(case_id, score(1.0), model=model, started_at=at(n))
            for n, (case_id, model) in enumerate(CASES.items())
        ]
        outcomes.append(tx, "r", rows, None)
    with store.read() as tx:
        found = runs.get(tx, "r")
    assert found is not None
    return found


def policy() -> DeploymentPolicy:
    found = to_policy(config({}, ["support"])).deployments["support"]
    return replace(found, changes=replace(found.changes, min_interactions=3))


def end(store: Store, stored: Run) -> None:
    """Store the end of the run, as the replay loop does."""
    tally = Tally()
    with store.read() as tx:
        for outcome, scored in outcomes.outcome_summaries(tx, stored.id):
            tally.add_outcome(outcome, scored=scored)
    report = RunReport(
        outcomes=len(CASES),
        skipped=0,
        interrupted=False,
        stopped_by=None,
        started_at=at(0),
        finished_at=at(60),
        tally=tally,
        spent=Spent(),
    )
    result = ReplayResult(report=report, conditions=CONDITIONS, scorers=[SaysYes()], concurrency=1)
    with store.write() as tx:
        RunFinalizer(
            tx, stored, result, policy(), sealer=None, started_at=at(0), now=at(60), code_version="test"
        ).write()


def require_split(store: Store) -> None:
    """The run has the answers of the first model, and a second run those of the other one."""
    with store.read() as tx:
        found = sorted(runs.page(tx, PageQuery()).items, key=lambda each: each.finished_at or at(0))
        answered = [outcomes.answered(tx, each.id) for each in found]
        known = versions.versions(tx, "support")
        changes = versions.page_changes(tx, PageQuery()).items
    old, new = (next(each for each in known if each.identity["response_model"] == model) for model in (OLD, NEW))
    assert [each.state for each in found] == [RunState.COMPLETE] * 2
    assert [each.version for each in found] == [old.id, new.id]
    assert found[0].id == "r"
    assert answered == [{(name, 0) for name, model in CASES.items() if model == each} for each in (OLD, NEW)]
    assert [(each.from_version, each.to_version) for each in changes] == [(old.id, new.id)]
    assert [each.finished_at for each in found] == [at(60) - timedelta(microseconds=1), at(60)]
    assert [each.manifest["extra"]["split"]["part"] for each in found if each.manifest] == [1, 2]


def test_a_run_that_met_two_models_becomes_two_runs(store: Store) -> None:
    end(store, stored_run(store))
    require_split(store)
