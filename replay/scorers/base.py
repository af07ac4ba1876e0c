"""What a scorer is, and the three verdicts it can give."""

from dataclasses import dataclass
from typing import Protocol

from replay.types import NO_FAILURE, Case, Reply, Score

WRONG_ANSWER = "wrong_answer"
FORMAT = "format"


class Scorer(Protocol):
    """Judges one reply to one case. Equal case, reply and version give an equal score."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str:
        """Changes when the meaning of a verdict does: the semantics' number and a digest of the options."""
        ...

    def score(self, case: Case, reply: Reply) -> Score: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamped:
    """The part every scorer of this room shares: its name and version, written on each of its scores."""

    name: str
    version: str

    def passed(self, reason: str) -> Score:
        return Score(
            scorer=self.name,
            scorer_version=self.version,
            value=1.0,
            label="pass",
            failure_category=NO_FAILURE,
            reason=reason,
        )

    def failed(self, failure_category: str, reason: str) -> Score:
        return Score(
            scorer=self.name,
            scorer_version=self.version,
            value=0.0,
            label="fail",
            failure_category=failure_category,
            reason=reason,
        )

    def unscored(self, reason: str) -> Score:
        """No verdict, and so no failure either: `value` is None, never 0."""
        return Score(
            scorer=self.name,
            scorer_version=self.version,
            value=None,
            label="unscored",
            failure_category=NO_FAILURE,
            reason=reason,
        )

    def without_reply(self, reply: Reply) -> Score | None:
        """The score of a reply that holds nothing to judge; None when there is a text."""
        return None if reply.text.strip() else self.unscored("the reply is empty")

    def without_reference(self, case: Case) -> Score | None:
        """The score of a case that does not say what is right; None when it does."""
        if any(reference.strip() for reference in case.references):
            return None
        return self.unscored("the case has no reference; give it one or use a scorer that needs none")
