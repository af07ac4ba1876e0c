"""What change detection needs to know of one interaction."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedIdentity:
    """One production interaction, reduced to what served it; `identity` is its stored digest, None when unknown."""

    interaction_id: str
    identity: str | None
    started_at: datetime
    system_fingerprint: str | None = None
    response_model: str | None = None
    request_model: str | None = None
    prompt_id: str | None = None
    prompt_version: str | None = None
    prompt_hash: str | None = None
