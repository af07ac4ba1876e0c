"""Thirty days of production traffic in a real store: two versions, failures, refusals, feedback and a trace."""

import math
import random
from datetime import datetime, timedelta

from monitor.domain.feedback import Feedback
from monitor.domain.interaction import ChatMessage, CostSource, Document, Interaction, Status, ToolCall, UsageSource
from monitor.store.traffic import feedback, interactions
from tests.api.house import NOW, House
from tests.api.rows import add_candidate, add_change, add_version
from tests.store.build import assistant, interaction, user
from tests.store.build import feedback as signal

DAYS = 30
CHANGED = 9  # days before today
QUESTIONS = ("Where is my parcel?", "Can I return a kettle?", "Please send the invoice again.", "My card was refused.")
ANSWERS = (
    "It arrives on Monday.",
    "Yes, within thirty days.",
    "I have sent it to you.",
    "I'm sorry, but I can't help.",
)
PARCEL = "call-parcel"
TOOL = ToolCall(id="tool-1", name="find_order", arguments='{"order": "7014"}')


def add_traffic(house: House) -> None:
    """Store the calls, their feedback, and one call with a tool, a document and a candidate."""
    rng = random.Random(7)
    add_version(house, "gpt-4-0314", at=NOW - timedelta(days=DAYS))
    add_version(house, "gpt-4-0613", at=NOW - timedelta(days=CHANGED))
    add_change(house, "change", "gpt-4-0613", at=NOW - timedelta(days=CHANGED), from_version="gpt-4-0314")
    rows = [call for before in range(DAYS) if before != 17 for call in _day(rng, before)]
    marked = [row for row in rows if rng.random() < 0.05 and row.status is Status.OK]
    with house.store.write() as tx:
        interactions.insert(tx, [*rows, *_trace()])
        feedback.insert(
            tx,
            [_correction(row.id, row.started_at) for row in marked] + [_correction(PARCEL, NOW - timedelta(hours=1))],
        )
    add_candidate(house, "candidate-parcel", interaction_id=PARCEL, feedback_id=f"f-{PARCEL}")


def _day(rng: random.Random, before: int) -> list[Interaction]:
    start = NOW.replace(hour=0, minute=0) - timedelta(days=before)
    calls = 60 + int(25 * math.sin(before / 2)) if before else 12
    until_s = (NOW - start).total_seconds() if before == 0 else 86_400
    return [_call(rng, f"call-{before}-{n}", start + timedelta(seconds=until_s * n / calls)) for n in range(calls)]


def _call(rng: random.Random, id_: str, at: datetime) -> Interaction:
    place = rng.randrange(len(QUESTIONS))
    failed = rng.random() < 0.03
    new = at >= NOW - timedelta(days=CHANGED)
    return interaction(
        id_, deployment="bot", started_at=at, received_at=at, identity="gpt-4-0613" if new else "gpt-4-0314",
        response_model="gpt-4-0613" if new else "gpt-4-0314", user_id=f"user:{rng.randrange(40):04x}",
        input_messages=(user(QUESTIONS[place]),), output_messages=() if failed else (assistant(ANSWERS[place]),),
        status=Status.ERROR if failed else Status.OK, error_class="timeout" if failed else None,
        duration_ms=(600 if new else 900) * rng.lognormvariate(0, 0.4), input_tokens=rng.randrange(80, 400),
        output_tokens=rng.randrange(20, 120), usage_source=UsageSource.EMITTED, cost_usd=rng.uniform(0.001, 0.006),
        cost_source=CostSource.EMITTED, category=("orders", "returns", "billing", "billing")[place],
    )  # fmt: skip


def _trace() -> list[Interaction]:
    talk = {"deployment": "bot", "trace_id": "a" * 32, "conversation_id": "talk-1", "identity": "gpt-4-0613"}
    asked = (
        user("Where is parcel 7014? I ordered it on Friday."),
        ChatMessage(role="assistant", content="", tool_calls=(TOOL,)),
        ChatMessage(role="tool", content='{"state": "shipped"}', tool_call_id="tool-1"),
    )
    return [
        interaction(
            PARCEL, started_at=NOW - timedelta(minutes=70), span_id="b" * 16, input_messages=asked,
            output_messages=(assistant("Parcel 7014 has been shipped. <b>It</b> arrives on **Monday**."),),
            documents=(Document(id="policy", content="Parcels arrive within three working days."),),
            system_prompt="You help customers of a shop.", duration_ms=1_480.0, input_tokens=412, output_tokens=38,
            cost_usd=0.0041, user_id="user:0007", category="orders", **talk,
        ),
        interaction(
            "call-inner", started_at=NOW - timedelta(minutes=69), span_id="c" * 16, parent_span_id="b" * 16,
            input_messages=(user("Summarize the state of the order."),), **talk,
        ),
    ]  # fmt: skip


def _correction(id_: str, at: datetime) -> Feedback:
    at += timedelta(minutes=5)
    return signal(
        f"f-{id_}", deployment="bot", at=at, received_at=at, interaction_id=id_, linked_interaction_id=id_,
        is_correction=True, comment="It has not arrived." if id_ == PARCEL else None,
    )  # fmt: skip
