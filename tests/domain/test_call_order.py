from datetime import UTC, datetime, timedelta
from typing import Any

from monitor.domain.call_order import RelatedCall, in_order
from monitor.domain.call_tree import Link

AT = datetime(2026, 11, 21, tzinfo=UTC)


def call(id_: str, minute: int, **fields: Any) -> RelatedCall:
    given: dict[str, Any] = {
        **dict.fromkeys(RelatedCall.__dataclass_fields__),
        "id": id_,
        "started_at": AT + timedelta(minutes=minute),
        "trace_id": "t",
        "span_id": id_,
        "status": "ok",
        "input_text": "",
        "output_text": "",
    }
    return RelatedCall(**given | fields)


def drawn(calls: list[RelatedCall], links: dict[str, Link] | None = None) -> list[tuple[str, int]]:
    return [(one.call.id, one.depth) for one in in_order(calls, links or {})]


def test_calls_of_a_conversation_are_in_the_order_of_time() -> None:
    assert drawn([call("b", 2), call("a", 1)]) == [("a", 0), ("b", 0)]


def test_a_call_inside_another_one_follows_it() -> None:
    calls = [call("outer", 0), call("next", 1), call("inner", 2, parent_span_id="outer")]
    assert drawn(calls) == [("outer", 0), ("inner", 1), ("next", 0)]


def test_spans_between_two_calls_are_followed() -> None:
    links = {"tool": Link("step", is_tool=True), "step": Link("outer", is_tool=False)}
    assert drawn([call("outer", 0), call("inner", 1, parent_span_id="tool")], links) == [("outer", 0), ("inner", 1)]


def test_a_circle_of_spans_ends_and_no_call_is_lost() -> None:
    links = {"x": Link("y", is_tool=False), "y": Link("x", is_tool=False)}
    calls = [call("a", 0, parent_span_id="b"), call("b", 1, parent_span_id="a"), call("c", 2, parent_span_id="x")]
    assert drawn(calls, links) == [("a", 0), ("b", 1), ("c", 0)]


def test_a_parent_that_is_not_stored_makes_a_call_a_root() -> None:
    assert drawn([call("a", 0, parent_span_id="gone")]) == [("a", 0)]
