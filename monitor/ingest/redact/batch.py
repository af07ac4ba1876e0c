"""Redact many records at once: one search shows which texts need an exact check, and only these are checked."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from monitor.ingest.redact.batch_scan import Column, Scan
from monitor.ingest.redact.exact import Check, ExactChecks, Redacted
from monitor.ingest.redact.texts import Found, TextRedactor
from monitor.ingest.redact.walk import IDENTIFIERS

SCANNED_TOGETHER: Final = 64  # records: a scan has a fixed cost, because it releases the interpreter lock

Known = dict[str, Redacted]


class PrivateTexts:
    """The texts of some records that have private values, each with its redacted form."""

    __slots__ = ("identifiers", "records", "texts")

    def __init__(self) -> None:
        self.texts: Known = {}
        self.identifiers: Known = {}
        self.records: set[int] = set()  # indices of the records that have one of the texts

    def change(self, found: Found) -> Callable[[str, str], str]:
        """Return the change of a text by the name of its field. It adds the redacted values to `found`."""

        def changed(name: str, text: str) -> str:
            redacted = (self.identifiers if name in IDENTIFIERS else self.texts).get(text)
            if redacted is None:
                return text
            found.update(redacted.found)
            return redacted.text

        return changed


class BatchRedactor:
    """Finds the private texts of records with the rules of one deployment."""

    def __init__(self, texts: TextRedactor, identifiers: TextRedactor) -> None:
        self._texts, self._identifiers = texts, identifiers
        self._exact = ExactChecks(texts)
        self._exact_identifiers = ExactChecks(identifiers)

    def private_texts(self, records: Sequence[Any]) -> PrivateTexts:
        """Return the texts that need redaction. The date in a model name is not a phone number."""
        scan, private = Scan(records, self._exact.clean), PrivateTexts()
        private.records |= _redacted(scan.texts, self._texts, self._exact.check, private.texts)
        private.records |= _redacted(
            scan.identifiers, self._identifiers, self._exact_identifiers.check, private.identifiers
        )
        if self._repeated(scan.repeated, private.texts):
            private.records.update(range(len(records)))
        return private

    def _repeated(self, texts: Iterable[str], known: Known) -> bool:
        """Add the redacted forms of texts that many records share, and return whether there is one."""
        private = {text: redacted for text in texts if (redacted := self._exact.check_repeated(text)) is not None}
        known |= private
        return bool(private)


def _redacted(column: Column, redactor: TextRedactor, check: Check, known: Known) -> set[int]:
    """Add the redacted forms of the texts in a column, and return the indices of their records."""
    owners: set[int] = set()
    for text, owner in redactor.with_shapes(column):
        redacted = known.get(text) or check(text)
        if redacted is not None:
            known[text] = redacted
            owners.add(owner)
    return owners
