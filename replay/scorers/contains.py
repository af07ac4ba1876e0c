"""The reply contains the references."""

from dataclasses import dataclass
from typing import Self

from replay.scorers.base import WRONG_ANSWER, Stamped
from replay.scorers.normal import comparable
from replay.scorers.options import Options
from replay.types import Case, Reply, Score


@dataclass(frozen=True, slots=True, kw_only=True)
class Contains(Stamped):
    """Options: `mode` any (default), all or none of the references; `ignore_case` (false); `failure_category`."""

    mode: str
    ignore_case: bool
    failure_category: str

    @classmethod
    def from_options(cls, options: Options) -> Self:
        mode = options.one_of("mode", ("any", "all", "none"))
        ignore_case = options.flag("ignore_case", default=False)
        failure_category = options.failure_category("failure_category", WRONG_ANSWER)
        return cls(
            name=options.name,
            version=options.version(semantics=1),
            mode=mode,
            ignore_case=ignore_case,
            failure_category=failure_category,
        )

    def score(self, case: Case, reply: Reply) -> Score:
        nothing = self.without_reply(reply) or self.without_reference(case)
        if nothing:
            return nothing
        answer = comparable(reply.text, ignore_case=self.ignore_case)
        wanted = [comparable(reference, ignore_case=self.ignore_case) for reference in case.references]
        wanted = [reference for reference in wanted if reference]
        found = sum(reference in answer for reference in wanted)
        reason = f"{found} of {len(wanted)} references are in the reply, required: {self.mode}"
        holds = {"any": found > 0, "all": found == len(wanted), "none": found == 0}[self.mode]
        return self.passed(reason) if holds else self.failed(self.failure_category, reason)
