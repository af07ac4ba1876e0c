"""The standing of the judges of a set, from their verdicts and the reviews of people."""

from dataclasses import dataclass
from datetime import datetime

from monitor.domain.judge_standing import DEFAULT_LIMITS, JudgeIdentity, JudgeLimits, JudgeStanding
from monitor.stats.judge_error import JudgeReviews
from monitor.stats.judge_validation import review_counts, standing_of
from monitor.store.engine.transaction import Tx
from monitor.store.judging import events, reviews
from monitor.store.judging.identity import identity_of


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentJudge:
    """The judge of a scorer in the newest outcomes, its verdicts on all stored outcomes, and their reviews.

    `drifted` is the sentence about its sentinels while it counts as drifted.
    """

    deployment: str
    set_name: str
    scorer: str
    judge: JudgeIdentity
    counts: JudgeReviews
    newest: datetime
    drifted: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCounts:
    """The verdicts of one judge, current or earlier, on all stored outcomes of a scorer."""

    judge: JudgeIdentity
    passes: int
    fails: int
    newest: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RunVerdicts:
    """The outcomes of a run that a judge judged, and how many of them it passed."""

    run_id: str
    started_at: datetime | None
    version: str | None
    passes: int
    outcomes: int


def of_set(tx: Tx, deployment: str, set_name: str, limits: JudgeLimits = DEFAULT_LIMITS) -> dict[str, JudgeStanding]:
    """Return the standing of the judge of each scorer. A scorer without a judge is absent."""
    return {scorer: standing(found, limits) for scorer, found in current(tx, deployment, set_name).items()}


def standing(found: CurrentJudge, limits: JudgeLimits = DEFAULT_LIMITS) -> JudgeStanding:
    """Return the standing of a current judge."""
    return standing_of(found.set_name, found.scorer, found.counts, limits, drifted=found.drifted)


def current(tx: Tx, deployment: str, set_name: str) -> dict[str, CurrentJudge]:
    """Return the current judge of each scorer with its review counts. A scorer without a judge is absent."""
    made, happened = reviews.of_set(tx, deployment, set_name), events.newest(tx, deployment, set_name)
    found: dict[str, CurrentJudge] = {}
    for row in tx.query("judged_counts", deployment=deployment, set_name=set_name):
        scorer = row["scorer"]
        if scorer in found:  # the verdicts of an earlier judge
            continue
        judge = identity_of(row)
        own, event = [each for each in made if each.outcome.scorer == scorer], happened.get(scorer)
        moved = event is not None and event.kind == "drifted" and event.judge == judge
        found[scorer] = CurrentJudge(
            deployment=deployment,
            set_name=set_name,
            scorer=scorer,
            judge=judge,
            counts=review_counts(own, judge, passes=row["passes"], fails=row["fails"]),
            newest=row["newest"],
            drifted=event.reason if moved and event else None,
        )
    return found


def judges_of_scorer(tx: Tx, deployment: str, set_name: str, scorer: str) -> list[JudgeCounts]:
    """Return every judge of a scorer that has stored verdicts, the current one first."""
    rows = tx.query("judged_counts", deployment=deployment, set_name=set_name)
    return [
        JudgeCounts(judge=identity_of(row), passes=row["passes"], fails=row["fails"], newest=row["newest"])
        for row in rows
        if row["scorer"] == scorer
    ]


def verdicts_of_runs(tx: Tx, found: CurrentJudge, limit: int) -> list[RunVerdicts]:
    """Return what the judge decided in each run, the newest first."""
    judge = found.judge
    rows = tx.query(
        "judged_pass_counts",
        deployment=found.deployment,
        set_name=found.set_name,
        scorer=found.scorer,
        model=judge.model,
        prompt=judge.prompt,
        rubric=judge.rubric,
        limit=limit,
    )
    return [RunVerdicts(**row) for row in rows]
