"""Remember the exact results of texts that services send again and again: short attribute values and prompts."""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from monitor.ingest.redact.texts import Found, TextRedactor

SHORT, SHORT_CHARS = 2048, 256  # versions, dates and numbers in attributes: at most some megabytes
PROMPTS: Final = 256
PROMPT_CHARS: Final = 16_384  # some megabytes too. Short texts have a cache of their own, so they evict no prompt.


class Redacted(NamedTuple):
    """A redacted text, and its redacted values by kind."""

    text: str
    found: Found


Check = Callable[[str], Redacted | None]


class ExactChecks:
    """The exact check of a text that has a shape of a private value. It returns None for a text without a private
    value.
    """

    def __init__(self, redactor: TextRedactor) -> None:
        self._redactor = redactor
        self.clean: set[str] = set()  # short texts with a shape but without a private value
        self._short: Check = lru_cache(SHORT)(self._checked)
        self._prompts: Check = lru_cache(PROMPTS)(self._checked)

    def check(self, text: str) -> Redacted | None:
        if len(text) > SHORT_CHARS:
            return self._checked(text)
        if (redacted := self._short(text)) is None:
            self._remember_clean(text)
        return redacted

    def check_repeated(self, text: str) -> Redacted | None:
        """Return the result for a text that many records share, such as a system prompt or an attribute name."""
        return self._prompts(text) if len(text) <= PROMPT_CHARS else self._checked(text)

    def _remember_clean(self, text: str) -> None:
        if len(self.clean) >= SHORT:
            self.clean.clear()
        self.clean.add(text)

    def _checked(self, text: str) -> Redacted | None:
        found = Found()
        redacted = self._redactor.text(text, found)
        return Redacted(redacted, found) if found else None
