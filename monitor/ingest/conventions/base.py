"""What a convention is: one instrumentation's names, read from records whose attributes carry them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from monitor.domain.interaction import Interaction
from monitor.ingest.conventions.roles import Role
from monitor.ingest.conventions.texts.call_texts import Texts
from monitor.ingest.spans import OtlpLog, OtlpSpan


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """What is known about a span beyond itself. `inherited` holds its ancestors' attributes, the nearest winning.

    `kept` are those of them that stay with the call: what an application sets on its own span around it.
    """

    deployment: str
    received_at: datetime
    inherited: Mapping[str, Any]
    kept: Mapping[str, Any]


class Convention(Protocol):
    """`role_of` and `claims_log` look at names and kinds alone; a call that cannot be read raises MalformedRecord."""

    @property
    def name(self) -> str: ...

    @property
    def markers(self) -> frozenset[str]:
        """Attributes of which every span that it recognizes has at least one."""
        ...

    @property
    def fill_prefixes(self) -> tuple[str, ...]:
        """Beginnings of names by which it fills the gaps of a call that another convention recognized."""
        ...

    @property
    def authoritative_fields(self) -> frozenset[str]:
        """Fields of a call that no other convention fills: here None says that what the span holds is not true."""
        ...

    def role_of(self, span: OtlpSpan) -> Role | None:
        """What this span is in this convention's names; None where they do not say."""
        ...

    def read_call(self, span: OtlpSpan, context: CallContext) -> Interaction: ...

    def claims_log(self, record: OtlpLog) -> bool:
        """This log record carries texts of a call."""
        ...

    def read_texts(self, record: OtlpLog) -> Texts: ...
