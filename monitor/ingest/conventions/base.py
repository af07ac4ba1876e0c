"""The interface of a convention, which recognizes the records of one instrumentation by attribute names."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from monitor.domain.interaction import Interaction
from monitor.ingest.conventions.roles import Role
from monitor.ingest.conventions.texts.call_texts import Texts
from monitor.ingest.spans import OtlpLog, OtlpSpan


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """What is known about a span from outside it. `inherited` has the attributes of its ancestors; the nearest wins.

    `kept` are the inherited attributes that the call keeps: those that the application sets on a span above the call.
    """

    deployment: str
    received_at: datetime
    inherited: Mapping[str, Any]
    kept: Mapping[str, Any]


CompiledReader = Callable[[OtlpSpan, CallContext], Interaction | None]
"""Reads the call of a span with the attribute names that it is compiled for; None when the convention must read it."""


class Convention(Protocol):
    """`role_of` and `claims_log` read only names and kinds.

    `read_call` raises MalformedRecord for a call that it cannot read.
    """

    @property
    def name(self) -> str: ...

    @property
    def markers(self) -> frozenset[str]:
        """Every span that this convention recognizes has at least one of these attributes."""
        ...

    @property
    def fill_prefixes(self) -> tuple[str, ...]:
        """Prefixes of the attribute names from which it fills gaps of a call that another convention recognized."""
        ...

    @property
    def authoritative_fields(self) -> frozenset[str]:
        """Fields that no other convention may fill. Here None means that the value on the span is wrong."""
        ...

    def role_of(self, span: OtlpSpan) -> Role | None:
        """Return the role of the span; None when its attributes do not show one."""
        ...

    def read_call(self, span: OtlpSpan, context: CallContext) -> Interaction: ...

    def claims_log(self, record: OtlpLog) -> bool:
        """Return whether this log record has texts of a call."""
        ...

    def read_texts(self, record: OtlpLog) -> Texts: ...
