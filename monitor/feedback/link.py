"""Which interaction a feedback speaks of, when several keys match."""

from collections.abc import Iterable
from datetime import datetime

from monitor.domain.feedback import Link, LinkCandidate


def choose_link(candidates: Iterable[LinkCandidate]) -> Link | None:
    """The link of one feedback: the most trusted key first (the order of `LinkMethod`).

    Among interactions that the same key matches, the latest that answered: the last answer of a trace is the one that
    the user saw, and a call that failed or asked for a tool was not seen. Equal instants are decided by id, so that
    the choice does not depend on the order of rows.
    """
    best = min(candidates, key=_rank, default=None)
    if best is None:
        return None
    return Link(
        feedback_id=best.feedback_id,
        interaction_id=best.interaction_id,
        method=best.method,
        deployment=best.deployment,
    )


def choose_links(candidates: Iterable[LinkCandidate]) -> list[Link]:
    """One link for each feedback that has candidates, in the order they come."""
    by_feedback: dict[str, list[LinkCandidate]] = {}
    for candidate in candidates:
        by_feedback.setdefault(candidate.feedback_id, []).append(candidate)
    chosen = (choose_link(of_feedback) for of_feedback in by_feedback.values())
    return [link for link in chosen if link is not None]


def _rank(candidate: LinkCandidate) -> tuple[int, bool, float, str]:
    return candidate.method.rank, not candidate.answered, -_seconds(candidate.started_at), candidate.interaction_id


def _seconds(at: datetime) -> float:
    return at.timestamp()
