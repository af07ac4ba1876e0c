"""Links feedback to an interaction when several keys match."""

from collections.abc import Iterable
from datetime import datetime

from monitor.domain.feedback import Link, LinkCandidate


def choose_link(candidates: Iterable[LinkCandidate]) -> Link | None:
    """Return the link of one feedback by the most trusted key (the order of `LinkMethod`).

    Among interactions with the same key, the latest that answered is chosen: the user saw the last answer of a trace,
    and not a call that failed or requested a tool. Equal times are ordered by id, so that the order of rows has no
    effect.
    """
    best = min(candidates, key=_rank, default=None)
    if best is None:
        return None
    return Link(
        feedback_id=best.feedback_id,
        interaction_id=best.interaction_id,
        method=best.method,
        deployment=best.deployment,
        started_at=best.started_at,
    )


def choose_links(candidates: Iterable[LinkCandidate]) -> list[Link]:
    """Return one link for each feedback with candidates, in the order of the candidates."""
    by_feedback: dict[str, list[LinkCandidate]] = {}
    for candidate in candidates:
        by_feedback.setdefault(candidate.feedback_id, []).append(candidate)
    chosen = (choose_link(of_feedback) for of_feedback in by_feedback.values())
    return [link for link in chosen if link is not None]


def _rank(candidate: LinkCandidate) -> tuple[int, bool, float, str]:
    return candidate.method.rank, not candidate.answered, -_seconds(candidate.started_at), candidate.interaction_id


def _seconds(at: datetime) -> float:
    return at.timestamp()
