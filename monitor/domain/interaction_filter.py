"""Which interactions a search returns."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractionFilter:
    """Conditions that a call meets all at once; None matches every call.

    `text` is part of the input or of the output, in any case of letters. `user` is the stored hash of a user, and
    `user_hash` the hash of the same text as the id of a user. `traffic` leaves out replays, matches of sealed inputs
    and duplicates.
    """

    text: str | None = None
    version: str | None = None
    user: str | None = None
    user_hash: str | None = None
    category: str | None = None
    trace_id: str | None = None
    conversation_id: str | None = None
    status: str | None = None
    error_class: str | None = None
    refused: bool | None = None
    feedback: bool | None = None
    feedback_kind: str | None = None
    corrected: bool | None = None
    traffic: bool = False


EVERY_INTERACTION = InteractionFilter()
