"""Interactions and days of production traffic of the fake daemon."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from monitor.api.schema import FeedbackItem, InteractionItem, ProductionDays, ReportItem, VersionDayItem
from monitor.api.schema.interactions import FeedbackEffectItem, InteractionDetail, InteractionPage, RelatedCallItem

from .fake_daemon import NOW, FakeDaemon
from .items import BOT, NEW, OLD


def days_of(daemon: FakeDaemon, query: Mapping[str, str]) -> ProductionDays:
    until = daemon.now.date() + timedelta(days=1)
    since = until - timedelta(days=int(query["days"]))
    items = [item for item in daemon.days if item.day >= since]
    return ProductionDays(
        deployment=query["deployment"], since=since, until=until, late_days=2, items=items, latencies=[]
    )


def interactions_of(daemon: FakeDaemon, query: Mapping[str, str]) -> InteractionPage:
    """Return the calls with the text, one page of two."""
    daemon.searches.append(dict(query))
    text = query.get("text", "").lower()
    kept = [one.interaction for one in daemon.interactions if text in one.interaction.input_text.lower()]
    start = int(query.get("cursor", "0"))
    more = start + 2 < len(kept) or daemon.stops_at is not None
    return InteractionPage(
        items=kept[start : start + 2], next_cursor=str(start + 2) if more else None, searched_to=daemon.stops_at
    )


def interaction_of(daemon: FakeDaemon, id_: str) -> InteractionDetail | None:
    return next((one for one in daemon.interactions if one.interaction.id == id_), None)


def day(before: int, calls: int, version: str = OLD, **fields: Any) -> VersionDayItem:
    given: dict[str, Any] = {
        "day": NOW.date() - timedelta(days=before),
        "version": version,
        "label": f"label of {version}",
        "calls": calls,
        "failed": 1,
        "answered": calls - 1,
        "worded": calls - 1,
        "refused": 2,
        "corrected": 3,
        "timed": calls - 1,
        "latency_ms": 812.0,
        "latency_p95_ms": 2000.0,
        "counted": calls,
        "input_tokens": 100 * calls,
        "output_tokens": 20 * calls,
        "spent": calls,
        "spent_usd": 0.01 * calls,
    }
    return VersionDayItem.model_validate(given | fields)


def two_versions(daemon: FakeDaemon) -> FakeDaemon:
    """Add four days with a gap, a change to a new version, and the calls of today."""
    daemon.days = [day(5, 90), day(3, 80), day(1, 40), day(1, 60, NEW), day(0, 101, NEW)]
    return daemon


def call(id_: str, text: str, at: datetime = NOW, **fields: Any) -> InteractionItem:
    given: dict[str, Any] = dict.fromkeys(InteractionItem.model_fields) | {
        "id": id_,
        "deployment": BOT,
        "started_at": at,
        "source": "http",
        "convention": "native",
        "origin": "production",
        "identity": OLD,
        "status": "ok",
        "usage_source": "emitted",
        "content_state": "full",
        "input_text": text,
        "output_text": "It comes on Monday.",
        "documents": [],
    }
    return InteractionItem.model_validate(given | fields)


def related(id_: str, depth: int, **fields: Any) -> RelatedCallItem:
    given: dict[str, Any] = dict.fromkeys(RelatedCallItem.model_fields) | {
        "id": id_,
        "started_at": NOW,
        "depth": depth,
        "same_trace": True,
        "same_conversation": False,
        "status": "ok",
        "input_text": f"input of {id_}",
        "output_text": "",
    }
    return RelatedCallItem.model_validate(given | fields)


def feedback(id_: str, **fields: Any) -> FeedbackItem:
    given: dict[str, Any] = dict.fromkeys(FeedbackItem.model_fields) | {
        "id": id_,
        "deployment": BOT,
        "at": NOW,
        "kind": "thumb",
        "source": "user",
        "is_correction": True,
    }
    return FeedbackItem.model_validate(given | fields)


def detail(item: InteractionItem, **fields: Any) -> InteractionDetail:
    given: dict[str, Any] = {
        "interaction": item,
        "version_label": "gpt-4-0314",
        "system_prompt": "Be brief.",
        "input": [{"role": "user", "content": item.input_text, "tool_calls": [], "tool_call_id": None}],
        "output": [{"role": "assistant", "content": item.output_text, "tool_calls": [], "tool_call_id": None}],
        "feedback": [],
        "related": [],
    }
    return InteractionDetail.model_validate(given | fields)


def three_calls(daemon: FakeDaemon) -> FakeDaemon:
    """Add three calls. The first has feedback that proposed a case, a tool call, and a call inside it."""
    parcel = call(
        "parcel", "Where is my parcel?", user_id="user:7", documents=[{"id": "d", "content": "x", "score": 1}]
    )
    asked = {"id": "t", "name": "find_order", "arguments": "{}"}
    daemon.interactions = [
        detail(
            parcel,
            input=[
                {"role": "user", "content": "Where is my parcel?", "tool_calls": [], "tool_call_id": None},
                {"role": "assistant", "content": "", "tool_calls": [asked], "tool_call_id": None},
                {"role": "tool", "content": "shipped", "tool_calls": [], "tool_call_id": "t"},
            ],
            feedback=[FeedbackEffectItem(feedback=feedback("f"), candidate_id="case", candidate_state="proposed")],
            related=[related("parcel", 0), related("inner", 1)],
        ),
        detail(call("inner", "Find the order of the parcel", NOW - timedelta(minutes=1))),
        detail(call("kettle", "Is the kettle back?", NOW - timedelta(minutes=2))),
    ]
    return daemon


def report(id_: str, **fields: Any) -> ReportItem:
    given: dict[str, Any] = {
        "id": id_,
        "deployment": BOT,
        "kind": "traffic",
        "at": NOW,
        "reference_since": NOW - timedelta(days=29),
        "since": NOW - timedelta(days=1),
        "until": NOW,
        "state": "made",
        "reason": "101 calls against 2,800",
        "page": True,
        "sha256": "0" * 64,
        "bytes": 10,
        "distances": {"topic": 0.05, "input_chars": 0.4, "status": None},
        "counts": {"topic": [2800, 101], "input_chars": [2800, 101], "status": [10, 1]},
        "evidence": {"verdict": "ok"},
    }
    return ReportItem.model_validate(given | fields)
