"""What a number, a flag or a label of a score means: a thumb, a rating, or nothing that can be told."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from monitor.domain.feedback import FeedbackKind, ScoreRule

GOOD: Final = frozenset({"thumbsup", "thumbup", "up", "like", "liked", "good", "correct", "👍"})
BAD: Final = frozenset({"thumbsdown", "thumbdown", "down", "dislike", "disliked", "bad", "incorrect", "wrong", "👎"})

_OF_USERS: Final = ScoreRule(low=0.0, high=1.0, source="user")
WELL_KNOWN: Final[Mapping[str, ScoreRule]] = {
    **dict.fromkeys(("user_feedback", "user-feedback", "feedback", "thumbs", "thumb", "user_thumbs"), _OF_USERS),
    "csat": ScoreRule(source="user"),  # always from customers, on any of four scales
    "correction": ScoreRule(source="user"),
}
NO_RULE: Final = ScoreRule()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaledValue:
    kind: FeedbackKind = FeedbackKind.COMMENT
    value: float | None = None


def rule_of(name: str, rules: Mapping[str, ScoreRule]) -> ScoreRule:
    """The configured rule of this name, else the one that the name has everywhere, else none."""
    return rules.get(name) or WELL_KNOWN.get(name, NO_RULE)


def read_value(rule: ScoreRule, *, number: float | None, flag: bool | None, label: str | None) -> ScaledValue:
    """The label first, for it says what it means; then the flag; then the number, if its scale is known.

    A flag, and a number at an end of a scale of 0 and 1, is a thumb; other numbers on the scale are ratings from 0 to
    1. A number beyond its scale is not read: neither end of the scale is what was said.

    >>> read_value(ScoreRule(low=1, high=5), number=2.0, flag=None, label=None).value
    0.25
    """
    if (good := _of_label(rule, label)) is None:
        good = flag if flag is None else flag is not rule.falling
    if good is not None:
        return ScaledValue(kind=FeedbackKind.THUMB, value=1.0 if good else -1.0)
    if number is None or rule.low is None or rule.high is None or not rule.low <= number <= rule.high:
        return ScaledValue()
    share = (number - rule.low) / (rule.high - rule.low)
    share = 1.0 - share if rule.falling else share
    if (rule.low, rule.high) == (0.0, 1.0) and share in (0.0, 1.0):
        return ScaledValue(kind=FeedbackKind.THUMB, value=1.0 if share else -1.0)
    return ScaledValue(kind=FeedbackKind.RATING, value=share)


def _of_label(rule: ScoreRule, label: str | None) -> bool | None:
    """Case, hyphens, underscores and spaces do not count. The rule's own labels go before the usual ones."""
    word = _plain(label or "")
    if not word:
        return None
    for good, bad in ((rule.good_labels, rule.bad_labels), (GOOD, BAD)):
        if word in {_plain(known) for known in good}:
            return True
        if word in {_plain(known) for known in bad}:
            return False
    return None


def _plain(label: str) -> str:
    return label.strip().casefold().replace("-", "").replace("_", "").replace(" ", "")
