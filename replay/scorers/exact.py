"""The whole reply is one of the references, apart from whitespace and, as an option, case."""

from dataclasses import dataclass
from typing import Self

from replay.scorers.base import WRONG_ANSWER, Stamped
from replay.scorers.normal import comparable
from replay.scorers.options import Options
from replay.types import Case, Reply, Score


@dataclass(frozen=True, slots=True, kw_only=True)
class Exact(Stamped):
    """Options: `ignore_case` (false), `failure_category` (wrong_answer)."""

    ignore_case: bool
    failure_category: str

    @classmethod
    def from_options(cls, options: Options) -> Self:
        ignore_case = options.flag("ignore_case", default=False)
        failure_category = options.failure_category("failure_category", WRONG_ANSWER)
        return cls(
            name=options.name,
            version=options.version(semantics=1),
            ignore_case=ignore_case,
            failure_category=failure_category,
        )

    def score(self, case: Case, reply: Reply) -> Score:
        nothing = self.without_reply(reply) or self.without_reference(case)
        if nothing:
            return nothing
        answer = comparable(reply.text, ignore_case=self.ignore_case)
        if answer in {comparable(reference, ignore_case=self.ignore_case) for reference in case.references}:
            return self.passed("the reply is a reference")
        return self.failed(self.failure_category, "the reply is not one of the references")
