"""What a deployment ran, and the steps between."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


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


class ChangeKind(StrEnum):
    MODEL = "model"
    PROMPT = "prompt"
    PARAMETERS = "parameters"
    CODE = "code"
    UNKNOWN = "unknown"


class How(StrEnum):
    OBSERVED = "observed"
    ANNOUNCED = "announced"


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """`id` is the identity digest (the same fields give the same id, so A, B, A makes no third version)."""

    id: str
    deployment: str
    label: str  # for people: "gpt-4-0314 · prompt 3f2a9c"
    identity: Mapping[str, str]
    first_seen: datetime
    how: How
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """From one version to the next. Equal versions: the identity held, what served it shifted (fingerprints)."""

    id: str
    deployment: str
    at: datetime  # when it took effect, as far as is known
    noted_at: datetime
    kind: ChangeKind
    how: How
    from_version: str | None
    to_version: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
