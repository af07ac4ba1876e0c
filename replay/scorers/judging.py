"""Whether the scorers of a set can reach a verdict on a case at all."""

from collections.abc import Sequence

from replay.scorers.base import Scorer
from replay.types import Case, Reply


def why_unjudged(case: Case, scorers: Sequence[Scorer]) -> str | None:
    """Return why no scorer reaches a verdict on the case, with the reason of each; None when one does.

    The reply that is tried restates what the case expects, so a scorer that abstains on it abstains on every reply.
    """
    said = [*case.references, *case.must_include]
    probe = Reply(text="\n".join(text for text in said if text.strip()) or "anything", latency_ms=0.0)
    scores = [scorer.score(case, probe) for scorer in scorers]
    if not scores or any(score.label != "unscored" for score in scores):
        return None
    return "; ".join(f"{score.scorer}: {score.reason}" for score in scores)
