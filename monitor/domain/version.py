"""Versions of a deployment, and the changes between them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedIdentity:
    """The identity of one production interaction. `identity` is its stored digest, None when unknown."""

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
    """A version. `id` is the digest of the identity: the same fields give the same id, so A, B, A has two versions."""

    id: str
    deployment: str
    label: str  # for people: "gpt-4-0314 · prompt 3f2a9c"
    identity: Mapping[str, str]
    first_seen: datetime
    how: How
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The step from one version to the next. With two equal versions, the identity stayed and the
    fingerprints shifted.
    """

    id: str
    deployment: str
    at: datetime  # when it took effect, as far as known
    noted_at: datetime
    kind: ChangeKind
    how: How
    from_version: str | None
    to_version: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
