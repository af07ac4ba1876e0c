"""The last number of the reply, or the first after a marker such as "####", must be the reference's."""

import re
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Self

from replay.scorers.base import FORMAT, WRONG_ANSWER, Stamped
from replay.scorers.options import Options
from replay.types import Case, Reply, Score

# A sign counts unless the text before it makes it a dash ("10-20") or a minus between two numbers.
NUMBER = re.compile(
    r"(?<![\d.])(?P<sign>(?<![\w)])[-+−])?"
    r"(?P<digits>(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+)"
    r"(?P<exponent>[eE][-+]?\d{1,3}(?!\d))?"
)
MAX_CHARACTERS = 400  # a longer number is not an answer
DIGITS_COMPARED = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Numeric(Stamped):
    """Options: `marker` (none: the last number counts; else the first one after the last occurrence of the marker),
    `tolerance` (0, absolute), `relative_tolerance` (0, a fraction of the reference), `format_category` (format) for
    a reply without a number, `failure_category` (wrong_answer).

    Commas may separate thousands; a point separates the decimals. The reference may be a number or a worked solution.
    """

    marker: str | None
    tolerance: Decimal
    relative_tolerance: Decimal
    format_category: str
    failure_category: str

    @classmethod
    def from_options(cls, options: Options) -> Self:
        marker = options.text("marker", None)
        tolerance = options.amount("tolerance", 0.0)
        relative_tolerance = options.amount("relative_tolerance", 0.0)
        format_category = options.failure_category("format_category", FORMAT)
        failure_category = options.failure_category("failure_category", WRONG_ANSWER)
        return cls(
            name=options.name,
            version=options.version(semantics=1),
            marker=marker,
            tolerance=Decimal(str(tolerance)),
            relative_tolerance=Decimal(str(relative_tolerance)),
            format_category=format_category,
            failure_category=failure_category,
        )

    def score(self, case: Case, reply: Reply) -> Score:
        nothing = self.without_reply(reply) or self.without_reference(case)
        if nothing:
            return nothing
        expected = [number for number in map(self._expected, case.references) if number is not None]
        if not expected:
            return self.unscored("no reference of the case has a number; correct the case")
        answer = find_number(reply.text, self.marker)
        if answer is None:
            after = f" after {self.marker!r}" if self.marker else ""
            return self.failed(self.format_category, f"the reply has no number{after}")
        if any(self._agree(answer, number) for number in expected):
            return self.passed(f"the reply has {answer}")
        return self.failed(self.failure_category, f"the reply has {answer}, the reference {expected[0]}")

    def _expected(self, reference: str) -> Decimal | None:
        marked = self.marker is not None and self.marker in reference
        return find_number(reference, self.marker if marked else None)

    def _agree(self, answer: Decimal, expected: Decimal) -> bool:
        if answer == expected:
            return True
        with localcontext(prec=DIGITS_COMPARED):
            allowed = max(self.tolerance, self.relative_tolerance * abs(expected))
            return abs(answer - expected) <= allowed


def find_number(text: str, marker: str | None = None) -> Decimal | None:
    """Return the last number of the text, or the first one after the last `marker`; None without one.

    >>> find_number("3 boxes of 1,200 make 3,600.")
    Decimal('3600')
    >>> find_number("#### -7 (about 10-12)", "####")
    Decimal('-7')
    """
    if marker is None:
        numbers = [match for match in NUMBER.finditer(text) if len(match[0]) <= MAX_CHARACTERS]
        return _decimal(numbers[-1]) if numbers else None
    _, found, after = text.rpartition(marker)
    match = NUMBER.search(after) if found else None
    return _decimal(match) if match and len(match[0]) <= MAX_CHARACTERS else None


def _decimal(match: re.Match[str]) -> Decimal:
    sign = "-" if match["sign"] in {"-", "−"} else ""
    return Decimal(sign + match["digits"].replace(",", "") + (match["exponent"] or ""))
