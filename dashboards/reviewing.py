"""Requests of the Review page. Nothing is cached: a reviewer sees the current state."""

from collections.abc import Mapping

from dashboards.live import connection_now
from monitor.api.schema import (
    CallerItem,
    CandidateDetail,
    CandidateItem,
    DeploymentItem,
    ListPage,
    ReviewCandidate,
)

MOST_DEPLOYMENTS = 500


def deployments_now() -> list[DeploymentItem]:
    with connection_now().open() as client:
        return client.items("deployments", DeploymentItem, most=MOST_DEPLOYMENTS)


def sender_now() -> CallerItem:
    with connection_now().open() as client:
        return client.sender()


def candidates_now(narrowed: Mapping[str, str], *, cursor: str | None, limit: int) -> ListPage[CandidateItem]:
    with connection_now().open() as client:
        return client.candidates(limit=limit, cursor=cursor, narrowed=narrowed)


def candidate_now(candidate_id: str) -> CandidateDetail:
    with connection_now().open() as client:
        return client.candidate(candidate_id)


def send_order(candidate_id: str, order: ReviewCandidate, user: str | None) -> CandidateDetail:
    with connection_now().open() as client:
        return client.review(candidate_id, order, user)
