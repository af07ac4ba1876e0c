"""Detects refusals by a documented rule on the first words of an answer."""

from collections.abc import Sequence
from typing import Any, Final

import re2

CHARS_READ: Final = 240  # a refusal is at the beginning; further down it may be a quotation or an explanation
_SEARCHED_TOGETHER: Final = 64


# Each phrase is searched in the first characters, in lower case, with straight apostrophes and single spaces. A change
# of this rule needs a migration that sets interaction.refusal to NULL. The stored flags are then computed again.
_DEEDS = r"(?:help|assist|provide|answer|comply|do that|do this|share|create|generate|discuss|fulfill?)\b"
_PHRASES = (
    r"\bi(?:'m| am) (?:really |very |so )?sorry,? but (?:i|as an|that)\b",
    r"\bi(?:'m| am) (?:not able|unable) to " + _DEEDS,
    r"\bi (?:can't|cannot|can not|won't|will not) " + _DEEDS,
    r"\bi (?:must|have to) (?:decline|refuse)\b",
    r"\bas an ai(?: language)? model,? (?:i|it)\b",
    r"\bagainst (?:my|our) (?:guidelines|policy|policies|programming)\b",
    r"\bich kann (?:dir|ihnen|dabei|das|diese[rsnm]?|hierbei)\b.{0,60}\bnicht\b",
    r"\bes tut mir (?:sehr )?leid,? (?:aber|ich kann)\b",
    r"\bje (?:ne peux pas|suis désolée?,? mais)\b",
    r"\b(?:lo siento,? (?:pero|no puedo)|no puedo (?:ayudar|responder|proporcionar))",
    r"\b(?:mi dispiace,? ma|non posso (?:aiutart?|rispondere|fornire))",
    r"\b(?:desculpe,? mas|não posso (?:ajudar|responder|fornecer))",
)


def _compiled() -> Any:
    options = re2.Options()
    options.never_capture = True
    return re2.compile("|".join(_PHRASES), options)


_REFUSAL: Final = _compiled()


def is_refusal(answer: str) -> bool:
    """Return whether one of the phrases is in the first characters of the answer.

    The rule counts phrases, not decisions. It misses a refusal in other words, equally on every night.

    >>> is_refusal("I'm sorry, but I can't help with that."), is_refusal("Sorry for the wait! Your order has shipped.")
    (True, False)
    """
    return _REFUSAL.search(_beginning(answer)) is not None


def are_refusals(answers: Sequence[str]) -> list[bool]:
    """Return the result of `is_refusal` for each answer. One search over many of them takes less time.

    >>> are_refusals(["Your order has shipped.", "I can't help with that."])
    [False, True]
    """
    found: list[bool] = []
    for at in range(0, len(answers), _SEARCHED_TOGETHER):
        starts = [*map(_beginning, answers[at : at + _SEARCHED_TOGETHER])]
        if _REFUSAL.search("\n".join(starts)) is None:  # no phrase matches a line end
            found += [False] * len(starts)
        else:
            found += [_REFUSAL.search(start) is not None for start in starts]
    return found


def _beginning(answer: str) -> str:
    """Return the first characters as the phrases spell them, in one line."""
    start = answer[:CHARS_READ]
    if "  " in start or not start.isprintable() or start.startswith(" "):  # line ends and tabs are not printable
        longer = answer[: 2 * CHARS_READ].encode("utf-8", "replace").decode()  # RE2 rejects lone surrogates
        start = " ".join(longer.split())[:CHARS_READ]
    return start.replace("’", "'").lower()
