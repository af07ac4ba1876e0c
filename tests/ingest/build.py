"""Build valid records of every kind. Tests pass the fields that they check."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Protocol

from monitor.domain.feedback import Feedback, FeedbackKind
from monitor.domain.interaction import ChatMessage, Interaction
from monitor.ingest.conventions.base import CallContext
from monitor.ingest.intake import Batch
from monitor.ingest.spans import OtlpLog, OtlpSpan, SpanEvent

NOW = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)
START_NS = 1_795_215_911_000_000_000
TRACE = "0af7651916cd43dd8448eb211c80319c"
SPAN = "b7ad6b7169203331"


def user(text: str) -> ChatMessage:
    return ChatMessage(role="user", content=text)


def interaction(id: str = "i-1", **fields: Any) -> Interaction:  # noqa: A002
    built: dict[str, Any] = {
        "id": id,
        "deployment": "support",
        "started_at": NOW,
        "received_at": NOW,
        "source": "http",
        "convention": "native",
        "input_messages": (user("refund?"),),
        "output_messages": (ChatMessage(role="assistant", content="30 days."),),
    }
    return Interaction(**built | fields)


class Step(Protocol):
    """A step of ingestion that handles many calls together."""

    def interactions(self, items: Iterable[Interaction], /) -> tuple[Interaction, ...]: ...


def alone(step: Step, item: Interaction) -> Interaction:
    """Pass one call through the step."""
    return step.interactions([item])[0]


def feedback(id: str = "f-1", **fields: Any) -> Feedback:  # noqa: A002
    built: dict[str, Any] = {
        "id": id,
        "deployment": "support",
        "at": NOW,
        "received_at": NOW,
        "kind": FeedbackKind.THUMB,
        "source": "user",
        "value": -1.0,
        "interaction_id": "i-1",
    }
    return Feedback(**built | fields)


def batch(*ids: str) -> Batch:
    return Batch(interactions=tuple(interaction(i) for i in ids))


def span(attributes: dict[str, Any] | None = None, **fields: Any) -> OtlpSpan:
    """Return a chat call of the current GenAI conventions with additional `attributes`."""
    call = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-4",
        "gen_ai.response.model": "gpt-4-0314",
        "gen_ai.response.finish_reasons": ["stop"],
    }
    merged = call | (attributes or {})
    built: dict[str, Any] = {
        "trace_id": TRACE,
        "span_id": SPAN,
        "parent_span_id": None,
        "name": "chat gpt-4",
        "start_ns": START_NS,
        "end_ns": START_NS + 1_500_000_000,
        "attributes": {k: v for k, v in merged.items() if v is not None},
        "events": (),
        "failed": False,
        "resource": {"service.name": "support-bot"},
    }
    return OtlpSpan(**built | fields)


def event(name: str, **attributes: Any) -> SpanEvent:
    return SpanEvent(name=name, time_ns=START_NS, attributes=attributes)


def log_record(name: str, body: Any = None, **fields: Any) -> OtlpLog:
    built: dict[str, Any] = {
        "trace_id": TRACE,
        "span_id": SPAN,
        "event_name": name,
        "time_ns": START_NS,
        "attributes": {},
        "body": body,
        "resource": {"service.name": "support-bot"},
    }
    return OtlpLog(**built | fields)


def context(inherited: dict[str, Any] | None = None, **fields: Any) -> CallContext:
    built: dict[str, Any] = {"deployment": "support", "received_at": NOW, "inherited": inherited or {}, "kept": {}}
    return CallContext(**built | fields)


def native(**fields: Any) -> dict[str, Any]:
    return {
        "type": "interaction",
        "started_at": "2026-11-21T02:00:00Z",
        "request": {"model": "gpt-4", "messages": [{"role": "user", "content": "refund?"}]},
        "response": {
            "model": "gpt-4-0314",
            "messages": [{"role": "assistant", "content": "30 days."}],
            "finish_reason": "stop",
        },
    } | fields


def native_feedback(**fields: Any) -> dict[str, Any]:
    return {
        "type": "feedback",
        "interaction_id": "i-1",
        "at": "2026-11-21T02:05:00+01:00",
        "kind": "thumb",
        "value": -1,
    } | fields
