"""The first marker in the reply, such as "[Yes]", names the choice; it must be the reference."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from replay.evalsets.canonical import question_text
from replay.scorers.base import FORMAT, Stamped
from replay.scorers.options import Options
from replay.types import Case, Reply, Score

CHOICES = "{choices}"
AS_A_WORD = r"(?<!\w){choices}(?!\w)"
WRONG_CHOICE = "wrong_choice"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Stamped):
    r"""Options: `choices`, for example ["Yes", "No"]; `pattern`, how a choice is marked, for example `\[({choices})\]`
    (default: as a word of its own); `ignore_case` (true) when looking for markers; `format_category` (format) for
    a reply without a marker; `failure_categories` by reference, else `wrong_choice`.

    The choice is compared with the references whatever their case.
    """

    marker: re.Pattern[str]
    choices: frozenset[str]  # case folded
    format_category: str
    failure_categories: Mapping[str, str]  # by case-folded reference

    @classmethod
    def from_options(cls, options: Options) -> Self:
        choices = options.texts("choices")
        marker = _marker(options, choices)
        known = frozenset(map(_folded, choices))
        format_category = options.failure_category("format_category", FORMAT)
        failure_categories = {
            _folded(reference): category
            for reference, category in options.failure_categories("failure_categories").items()
        }
        stray = sorted(failure_categories.keys() - known)
        if stray:
            raise options.error(
                f"option 'failure_categories' names {stray[0]!r}; it must be one of {', '.join(choices)}"
            )
        return cls(
            name=options.name,
            version=options.version(semantics=1),
            marker=marker,
            choices=known,
            format_category=format_category,
            failure_categories=failure_categories,
        )

    def score(self, case: Case, reply: Reply) -> Score:
        nothing = self.without_reply(reply) or self.without_reference(case)
        if nothing:
            return nothing
        references = [_folded(reference) for reference in case.references if reference.strip()]
        if not self.choices.issuperset(references):
            return self.unscored("a reference of the case is none of the choices; correct the case or the choices")
        found = self.marker.search(question_text(reply.text))
        if found is None:
            return self.failed(self.format_category, "the reply marks no choice")
        choice = found["choice"]
        if _folded(choice) in references:
            return self.passed(f"the reply marks {choice}")
        category = self.failure_categories.get(references[0], WRONG_CHOICE)
        return self.failed(category, f"the reply marks {choice}, the reference is {' or '.join(references)}")


def _marker(options: Options, choices: tuple[str, ...]) -> re.Pattern[str]:
    pattern = options.text("pattern", AS_A_WORD) or AS_A_WORD
    ignore_case = options.flag("ignore_case", default=True)
    if pattern.count(CHOICES) != 1:
        raise options.error(f"option 'pattern' must hold {CHOICES} once, where the choice stands")
    # The longest first, or "No" would be found at the beginning of "No idea".
    either = "|".join(re.escape(question_text(choice)) for choice in sorted(choices, key=len, reverse=True))
    try:
        return re.compile(
            pattern.replace(CHOICES, f"(?P<choice>{either})"), re.IGNORECASE if ignore_case else re.NOFLAG
        )
    except re.error as error:
        raise options.error(f"option 'pattern' is no regular expression: {error}") from None


def _folded(choice: str) -> str:
    return question_text(choice).casefold()
