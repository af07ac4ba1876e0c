"""The form of texts for comparison."""

from replay.normal_form import normal_form


def comparable(text: str, *, ignore_case: bool) -> str:
    r"""Return the text in NFC, stripped, with single spaces; case folded if `ignore_case`.

    >>> comparable("  Straße \n Nr. 5", ignore_case=True)
    'strasse nr. 5'
    """
    folded = text.casefold() if ignore_case else text
    return " ".join(normal_form(folded).split())
