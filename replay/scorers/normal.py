"""Texts as scorers compare them."""

from replay.normal_form import normal_form


def comparable(text: str, *, ignore_case: bool) -> str:
    r"""NFC, no whitespace at the ends, runs of whitespace inside as one space; case folded when it does not matter.

    >>> comparable("  Straße \n Nr. 5", ignore_case=True)
    'strasse nr. 5'
    """
    folded = text.casefold() if ignore_case else text
    return " ".join(normal_form(folded).split())
