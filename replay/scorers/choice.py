"""The choice that a reply marks, such as "[Yes]", or states in a sentence, must be the reference."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from replay.evalsets.canonical import question_text
from replay.scorers.base import FORMAT, Stamped
from replay.scorers.options import Options
from replay.scorers.stated_choice import StatedChoice
from replay.types import Case, Reply, Score

CHOICES = "{choices}"
WRONG_CHOICE = "wrong_choice"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Stamped):
    r"""Options: `choices`, for example ["Yes", "No"]; `pattern`, the form of a marked choice, for example
    `\[({choices})\]` (default: the choice that the reply states, as in "the answer is B"); `ignore_case` (true) for
    the search; `format_category` (format) for a reply without a choice; `failure_categories` by reference, else
    `wrong_choice`.

    With a pattern the first match counts. Without one a reply with several choices and no decision is unscored. Choices
    are compared with the references without case.
    """

    marker: re.Pattern[str] | None  # None: the stated choice
    stated: StatedChoice
    choices: frozenset[str]  # case folded
    format_category: str
    failure_categories: Mapping[str, str]  # by case-folded reference

    @classmethod
    def from_options(cls, options: Options) -> Self:
        choices = options.texts("choices")
        ignore_case = options.flag("ignore_case", default=True)
        marker = _marker(options, choices, ignore_case=ignore_case)
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
            version=options.version(semantics=2 if marker is None else 1),
            marker=marker,
            stated=StatedChoice.of(choices, ignore_case=ignore_case),
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
            return self.unscored("a reference of the case is not one of the choices; correct the case or the choices")
        marked = self._marked(reply.text)
        if not marked:
            return self.failed(self.format_category, "the reply marks no choice")
        if len(marked) > 1:
            named = ", ".join(sorted(marked))
            return self.unscored(
                f"the reply names several choices: {named}; set pattern to the form of a marked answer"
            )
        (choice,) = marked
        if _folded(choice) in references:
            return self.passed(f"the reply marks {choice}")
        category = self.failure_categories.get(references[0], WRONG_CHOICE)
        return self.failed(category, f"the reply marks {choice}, the reference is {' or '.join(references)}")

    def _marked(self, text: str) -> frozenset[str]:
        if self.marker is None:
            return self.stated.find(text)
        found = self.marker.search(question_text(text))
        return frozenset() if found is None else frozenset({found["choice"]})


def _marker(options: Options, choices: tuple[str, ...], *, ignore_case: bool) -> re.Pattern[str] | None:
    pattern = options.text("pattern", None)
    if pattern is None:
        return None
    if pattern.count(CHOICES) != 1:
        raise options.error(f"option 'pattern' must hold {CHOICES} once, at the position of the choice")
    # The longest first: otherwise "No" would match the start of "No idea".
    either = "|".join(re.escape(question_text(choice)) for choice in sorted(choices, key=len, reverse=True))
    try:
        return re.compile(
            pattern.replace(CHOICES, f"(?P<choice>{either})"), re.IGNORECASE if ignore_case else re.NOFLAG
        )
    except re.error as error:
        raise options.error(f"option 'pattern' is not a valid regular expression: {error}") from None


def _folded(choice: str) -> str:
    return question_text(choice).casefold()
