"""The reply matches a pattern: one for all cases, or the references as patterns."""

import re
from dataclasses import dataclass
from typing import Self

from replay.evalsets.canonical import question_text
from replay.scorers.base import WRONG_ANSWER, Stamped
from replay.scorers.options import Options
from replay.types import Case, Reply, Score

REFERENCE = "{reference}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Regex(Stamped):
    """Options: `pattern`, in which `{reference}` is replaced by a reference as literal text; without it the references
    are the patterns. `ignore_case` (false), `whole` (false: anywhere in the reply), `failure_category`.

    Patterns have Python's syntax; `^` and `$` match at lines. Use only patterns that you trust: catastrophic
    backtracking is not stopped.
    """

    pattern: str | None
    ignore_case: bool
    whole: bool
    failure_category: str

    @classmethod
    def from_options(cls, options: Options) -> Self:
        pattern = options.text("pattern", None)
        ignore_case = options.flag("ignore_case", default=False)
        whole = options.flag("whole", default=False)
        failure_category = options.failure_category("failure_category", WRONG_ANSWER)
        try:
            re.compile((pattern or "").replace(REFERENCE, "x"))
        except re.error as error:
            raise options.error(f"option 'pattern' is not a valid regular expression: {error}") from None
        return cls(
            name=options.name,
            version=options.version(semantics=1),
            pattern=pattern,
            ignore_case=ignore_case,
            whole=whole,
            failure_category=failure_category,
        )

    def score(self, case: Case, reply: Reply) -> Score:
        nothing = self.without_reply(reply)
        if nothing is None and (self.pattern is None or REFERENCE in self.pattern):
            nothing = self.without_reference(case)
        if nothing:
            return nothing
        try:
            matches = any(self._matches(pattern, question_text(reply.text)) for pattern in self._patterns(case))
        except re.error as error:
            return self.unscored(f"a reference is not a valid regular expression: {error.msg}")
        if matches:
            return self.passed("the reply matches")
        return self.failed(self.failure_category, "the reply does not match")

    def _patterns(self, case: Case) -> list[str]:
        references = [reference for reference in case.references if reference.strip()]
        if self.pattern is None:
            return references
        if REFERENCE not in self.pattern:
            return [self.pattern]
        return [self.pattern.replace(REFERENCE, re.escape(question_text(reference))) for reference in references]

    def _matches(self, pattern: str, text: str) -> bool:
        compiled = re.compile(pattern, re.MULTILINE | (re.IGNORECASE if self.ignore_case else re.NOFLAG))
        return bool(compiled.fullmatch(text) if self.whole else compiled.search(text))
