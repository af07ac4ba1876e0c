"""Builders for the tests of monitor/feedback."""

from datetime import UTC, datetime
from typing import Any

from monitor.domain.feedback import Feedback, FeedbackKind
from monitor.domain.interaction import ChatMessage, Interaction

T0 = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def a_feedback(kind: FeedbackKind = FeedbackKind.THUMB, **fields: Any) -> Feedback:
    base: dict[str, Any] = {"id": "f1", "deployment": "support", "at": T0, "received_at": T0, "source": "user"}
    return Feedback(kind=kind, **(base | fields))


def an_interaction(question: str = "Is 17 prime?", answer: str = "[No]", **fields: Any) -> Interaction:
    base: dict[str, Any] = {
        "id": "i1",
        "deployment": "support",
        "started_at": T0,
        "received_at": T0,
        "source": "http",
        "convention": "native",
        "input_messages": (ChatMessage(role="user", content=question),) if question else (),
        "output_messages": (ChatMessage(role="assistant", content=answer),) if answer else (),
    }
    return Interaction(**(base | fields))
