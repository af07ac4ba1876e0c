"""The reply says what the case says it must, and nothing it must not."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from replay.scorers.base import Stamped
from replay.scorers.normal import comparable
from replay.scorers.options import Options
from replay.types import Case, Reply, Score


@dataclass(frozen=True, slots=True, kw_only=True)
class Must(Stamped):
    """Options: `ignore_case` (true); `patterns` (false: the texts of `must_include` and `must_not` are phrases; true:
    regular expressions, `30 days|thirty days`); `forbidden_category` (forbidden_content) for a reply that says what it
    must not, whatever else it says; `missing_category` (missing_content) for one that lacks something.

    A phrase is a clue and not a meaning: choose words that a right answer cannot do without.
    """

    ignore_case: bool
    patterns: bool
    missing_category: str
    forbidden_category: str

    @classmethod
    def from_options(cls, options: Options) -> Self:
        ignore_case = options.flag("ignore_case", default=True)
        patterns = options.flag("patterns", default=False)
        missing = options.failure_category("missing_category", "missing_content")
        forbidden = options.failure_category("forbidden_category", "forbidden_content")
        return cls(
            name=options.name,
            version=options.version(semantics=1),
            ignore_case=ignore_case,
            patterns=patterns,
            missing_category=missing,
            forbidden_category=forbidden,
        )

    def score(self, case: Case, reply: Reply) -> Score:
        nothing = self.without_reply(reply) or self._without_expectation(case)
        if nothing:
            return nothing
        try:
            missing = [n for n, found in self._looked_for(case.must_include, reply.text) if not found]
            forbidden = [n for n, found in self._looked_for(case.must_not, reply.text) if found]
        except re.error as error:
            return self.unscored(f"a text of the case is no regular expression: {error.msg}")
        if forbidden:
            return self.failed(self.forbidden_category, f"says what it must not: {_listed('must_not', forbidden)}")
        if missing:
            return self.failed(self.missing_category, f"does not say what it must: {_listed('must_include', missing)}")
        return self.passed("says what it must, and nothing it must not")

    def _without_expectation(self, case: Case) -> Score | None:
        if any(text.strip() for text in (*case.must_include, *case.must_not)):
            return None
        return self.unscored("the case has no must_include and no must_not; give it one of them or use another scorer")

    def _looked_for(self, texts: Sequence[str], reply: str) -> list[tuple[int, bool]]:
        """The number of each text, from 1 on, and whether it stands in the reply; blank texts ask for nothing."""
        return [(n, self._stands_in(text, reply)) for n, text in enumerate(texts, start=1) if text.strip()]

    def _stands_in(self, text: str, reply: str) -> bool:
        if self.patterns:
            flags = re.IGNORECASE if self.ignore_case else re.NOFLAG
            return re.search(text, comparable(reply, ignore_case=False), flags) is not None
        return comparable(text, ignore_case=self.ignore_case) in comparable(reply, ignore_case=self.ignore_case)


def _listed(field: str, numbers: Sequence[int]) -> str:
    """Texts are named by their place: a reason may be read where the case may not."""
    return f"{field} {', '.join(map(str, numbers))}"
