"""The texts of a call, gathered from wherever a convention puts them."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from monitor.domain.interaction import ChatMessage, ContentState, Status

# An enum takes long to find its members.
_TRUNCATED, _REDACTED, _ABSENT = ContentState.TRUNCATED, ContentState.REDACTED, ContentState.ABSENT
_PARTIAL, _FULL, _ERROR = ContentState.PARTIAL, ContentState.FULL, Status.ERROR
PLACEHOLDERS = frozenset(["__REDACTED__", "redacted-by-litellm", "[REDACTED]", "<REDACTED>", "REDACTED"])
MAX_PLACEHOLDER_CHARS = 32
BRACKETED = re.compile(r"[<\[({*_#]+ ?(?:redacted|hidden|masked|removed|omitted|scrubbed) ?[>\])}*_#]+", re.IGNORECASE)


class Texts(NamedTuple):  # several are made for every call, in a third of the time that a frozen dataclass takes
    """`cut`: JSON ended early, the complete messages before the cut are here. `unread`: it was no JSON at all.

    `hidden`: where texts belong there was what the instrumentation puts in their place.
    """

    system: tuple[str, ...] = ()
    inputs: tuple[ChatMessage, ...] = ()
    outputs: tuple[ChatMessage, ...] = ()
    finish_reasons: tuple[str, ...] = ()
    cut: bool = False
    unread: bool = False
    hidden: bool = False
    answer_cut: bool = False  # what ended early is the answer: how it ended is not known from it

    @property
    def found(self) -> bool:
        """Something was there, readable or not."""
        return bool(self.system or self.inputs or self.outputs or self.cut or self.unread)

    @property
    def system_prompt(self) -> str | None:
        return "\n".join(self.system) or None

    @property
    def finish_reason(self) -> str | None:
        """The first choice's: several choices of one call are one interaction."""
        return next(iter(self.finish_reasons), None)


NOTHING = Texts()


def merged(parts: Iterable[Texts]) -> Texts:
    """All parts in their order."""
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
    """What is left of the texts; a failed call that has its input is full, for it had no output."""
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
    """The last message, if any, is what an instrumentation that may not send texts sends for one."""
    if not messages:
        return False
    return is_placeholder(messages[-1].content)


def is_placeholder(text: str) -> bool:
    """Whether it is a known stand-in for a text, or a word for one in brackets or stars."""
    if len(text) > MAX_PLACEHOLDER_CHARS:  # to look a long text up takes longer than its rest
        return False
    return text in PLACEHOLDERS or BRACKETED.fullmatch(text) is not None
