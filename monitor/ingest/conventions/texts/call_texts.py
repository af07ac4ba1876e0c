"""The texts of a call, collected from all places where a convention has them."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from monitor.domain.interaction import ChatMessage, ContentState, Status

# Attribute access on an enum is slow.
_TRUNCATED, _REDACTED, _ABSENT = ContentState.TRUNCATED, ContentState.REDACTED, ContentState.ABSENT
_PARTIAL, _FULL, _ERROR = ContentState.PARTIAL, ContentState.FULL, Status.ERROR
PLACEHOLDERS = frozenset(["__REDACTED__", "redacted-by-litellm", "[REDACTED]", "<REDACTED>", "REDACTED"])
MAX_PLACEHOLDER_CHARS = 32
BRACKETED = re.compile(r"[<\[({*_#]+ ?(?:redacted|hidden|masked|removed|omitted|scrubbed) ?[>\])}*_#]+", re.IGNORECASE)


class Texts(NamedTuple):  # every call needs several; a frozen dataclass takes three times as long
    """`cut`: the JSON is truncated; the complete messages before the cut are here. `unread`: the value is not JSON.

    `hidden`: the instrumentation replaced the texts with a placeholder.
    """

    system: tuple[str, ...] = ()
    inputs: tuple[ChatMessage, ...] = ()
    outputs: tuple[ChatMessage, ...] = ()
    finish_reasons: tuple[str, ...] = ()
    cut: bool = False
    unread: bool = False
    hidden: bool = False
    answer_cut: bool = False  # the answer is truncated, so its finish reason is unknown

    @property
    def found(self) -> bool:
        """Whether any text was present, readable or not."""
        return bool(self.system or self.inputs or self.outputs or self.cut or self.unread)

    @property
    def system_prompt(self) -> str | None:
        return "\n".join(self.system) or None

    @property
    def finish_reason(self) -> str | None:
        """The finish reason of the first choice; all choices of a call are one interaction."""
        return next(iter(self.finish_reasons), None)


NOTHING = Texts()


def merged(parts: Iterable[Texts]) -> Texts:
    """Return all parts as one, in order."""
    found = [part for part in parts if part is not NOTHING]
    if len(found) == 1:
        return found[0]
    system: list[str] = []
    inputs: list[ChatMessage] = []
    outputs: list[ChatMessage] = []
    reasons: list[str] = []
    cut = unread = hidden = answer_cut = False
    for part in found:
        system += part.system
        inputs += part.inputs
        outputs += part.outputs
        reasons += part.finish_reasons
        cut, unread, hidden = cut or part.cut, unread or part.unread, hidden or part.hidden
        answer_cut = answer_cut or part.answer_cut
    return Texts(tuple(system), tuple(inputs), tuple(outputs), tuple(reasons), cut, unread, hidden, answer_cut)


def content_state(texts: Texts, status: Status) -> ContentState:
    """Return how complete the texts are. A failed call with its input is full, because it has no output."""
    if texts.cut:
        return _TRUNCATED
    if texts.hidden or _ends_with_placeholder(texts.inputs) or _ends_with_placeholder(texts.outputs):
        return _REDACTED
    if not texts.found:
        return _ABSENT
    if texts.unread or not texts.inputs or (not texts.outputs and status is not _ERROR):
        return _PARTIAL
    return _FULL


def _ends_with_placeholder(messages: tuple[ChatMessage, ...]) -> bool:
    """Return whether the last message is the placeholder of an instrumentation that must not send texts."""
    if not messages:
        return False
    return is_placeholder(messages[-1].content)


def is_placeholder(text: str) -> bool:
    """Return whether the text is a known placeholder, or a word such as `redacted` in brackets or stars."""
    if len(text) > MAX_PLACEHOLDER_CHARS:  # hashing a long text is slow
        return False
    return text in PLACEHOLDERS or BRACKETED.fullmatch(text) is not None
