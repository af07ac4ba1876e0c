"""The history of the judges of a scorer: calibration over time, rounds of sentinels, and events."""

from typing import Annotated

from fastapi import APIRouter, Query

from monitor.api import encode_judge_history as encode
from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.routes.judging.judges import judge_of
from monitor.api.schema.judge_history import JudgeHistoryItem
from monitor.domain.judge_standing import JudgeIdentity
from monitor.domain.sentinel import JudgeEvent
from monitor.stats.judge_history import SentinelRound, sentinel_rounds
from monitor.stats.sentinel_nights import sentinel_nights
from monitor.store.engine.database import Tx
from monitor.store.judging import events, reviews, sentinels, standing

router = APIRouter(prefix="/api/v1/judges", tags=["judges"])
Name = Annotated[str, Query(min_length=1, max_length=200)]
MOST_ROUNDS = 120
MOST_EVENTS = 100


@router.get("/history", **needs(Role.READ))
def get_history(context: Context, deployment: Name, set_name: Name, scorer: Name) -> JudgeHistoryItem:
    """Return the agreement of each judge of a scorer with people over time, and what its sentinels showed."""
    with context.store.read() as tx:
        found, _ = judge_of(context, tx, deployment, set_name, scorer)
        made = reviews.of_set(tx, deployment, set_name, scorer)
        judges = standing.judges_of_scorer(tx, deployment, set_name, scorer)
        happened = events.of_scorer(tx, deployment, set_name, scorer, MOST_EVENTS)
        rounds = _rounds(tx, (deployment, set_name, scorer), found.judge, happened)
    limits = context.policy.deployments[deployment].drift.judges
    return JudgeHistoryItem(
        deployment=deployment,
        set_name=set_name,
        scorer=scorer,
        needed_reviews=limits.reviews,
        needed_each=limits.each,
        needed_kappa=limits.kappa,
        judges=[encode.calibration(each, made, found.judge) for each in judges],
        rounds=[encode.sentinel_round(row) for row in rounds],
        events=[encode.event(row, found.judge) for row in happened],
    )


def _rounds(
    tx: Tx, place: tuple[str, str, str], judge: JudgeIdentity, happened: list[JudgeEvent]
) -> list[SentinelRound]:
    """Return the rounds of the current judge since a person last accepted it."""
    rows, verdicts = sentinels.active(tx, *place), sentinels.verdicts(tx, *place)
    newest = happened[0] if happened else None
    accepted_at = newest.at if newest is not None and newest.kind == "accepted" else None
    return sentinel_rounds(sentinel_nights(rows, verdicts, judge, accepted_at), MOST_ROUNDS) if rows else []
