from typing import Any

from monitor.ingest.conventions.table import CONVENTIONS
from monitor.ingest.normalize.deployments import DeploymentRules
from monitor.ingest.otlp.decode import Decoded, decode
from monitor.ingest.spans import BadRecord, OtlpLog, OtlpRequest, OtlpSpan
from tests.ingest.build import NOW, SPAN, START_NS, TRACE, log_record, span

RULES = DeploymentRules(by_service={"support-bot": "support"}, category_attributes={"support": "app.topic"})


def decoded(*spans: OtlpSpan, logs: tuple[OtlpLog, ...] = (), bad: tuple[BadRecord, ...] = ()) -> Decoded:
    return decode(OtlpRequest(spans=spans, logs=logs, bad=bad), rules=RULES, conventions=CONVENTIONS, now=NOW)


def plain(span_id: str, parent: str | None = None, **attributes: Any) -> OtlpSpan:
    """Return a span of the application itself."""
    return span(span_id=span_id, parent_span_id=parent, attributes=attributes | dict.fromkeys(CALL_NAMES))


CALL_NAMES = ("gen_ai.operation.name", "gen_ai.request.model", "gen_ai.provider.name", "gen_ai.response.model")


def test_the_nearest_ancestor_with_the_attribute_wins() -> None:
    found = decoded(
        span(parent_span_id="b" * 16),
        plain("b" * 16, "c" * 16, **{"session.id": "near"}),
        plain("c" * 16, None, **{"session.id": "far", "user.id": "u", "app.topic": "refund", "driftd.deployment": "d"}),
    )
    [call] = found.interactions
    assert (call.conversation_id, call.user_id, call.deployment) == ("near", "u", "d")
    assert call.attributes["app.topic"] == "refund"
    assert found.skipped == 2


def test_a_cycle_of_parents_ends() -> None:
    found = decoded(span(parent_span_id="b" * 16), plain("b" * 16, "c" * 16), plain("c" * 16, "b" * 16))
    assert len(found.interactions) == 1


def test_a_parent_of_another_trace_is_ignored() -> None:
    stranger = span(trace_id="f" * 32, span_id="b" * 16, attributes={"session.id": "s", "gen_ai.operation.name": "x"})
    assert decoded(span(parent_span_id="b" * 16), stranger).interactions[0].conversation_id is None


def test_malformed_records_keep_their_reason_and_the_rest_is_read() -> None:
    broken = span({"gen_ai.usage.input_tokens": "many"}, span_id="c" * 16, start_ns=0)
    found = decoded(span(), broken, bad=(BadRecord(reason="before", raw={}),))
    assert len(found.interactions) == 1
    assert [b.reason for b in found.bad] == [
        "before",
        "span 'chat gpt-4': the span has no start time",
    ]
    assert found.bad[1].raw["attributes"]["gen_ai.usage.input_tokens"] == "many"
    assert found.bad[1].trace_id == TRACE


def test_events_of_one_span_are_one_content_in_the_order_of_their_time() -> None:
    found = decoded(
        logs=(
            log_record(
                "gen_ai.choice", {"finish_reason": "stop", "message": {"content": "30 days."}}, time_ns=START_NS + 3
            ),
            log_record("gen_ai.user.message", {"content": "two"}, time_ns=START_NS + 2),
            log_record("gen_ai.user.message", {"content": "other span"}, span_id="c" * 16),
            log_record("gen_ai.user.message", {"content": "one"}, time_ns=START_NS + 1),
            log_record("gen_ai.system.message", {"content": "Be kind."}),
            log_record("http.request", {"content": "no text of a call"}),
        )
    )
    contents = {c.span_id: c for c in found.contents}
    assert [m.content for m in contents[SPAN].input_messages] == ["one", "two"]
    assert [m.content for m in contents[SPAN].output_messages] == ["30 days."]
    assert (contents[SPAN].system_prompt, contents[SPAN].finish_reason) == ("Be kind.", "stop")
    assert [m.content for m in contents["c" * 16].input_messages] == ["other span"]
    assert found.skipped == 1


def test_events_without_any_text_make_no_content() -> None:
    assert decoded(logs=(log_record("gen_ai.choice", {"finish_reason": "stop"}),)).contents == ()


def test_only_the_malformed_event_is_rejected() -> None:
    found = decoded(
        logs=(
            log_record("gen_ai.user.message", {"content": "lost"}, span_id="7"),
            log_record("gen_ai.user.message", {"content": "hi"}),
        )
    )
    assert [m.content for m in found.contents[0].input_messages] == ["hi"]
    assert "event 'gen_ai.user.message': the span id of the event" in found.bad[0].reason


def test_any_record_of_a_trace_names_its_run() -> None:
    root = plain("b" * 16, None, **{"driftd.run": "run-1"})
    by_log = log_record("x", attributes={"driftd.run": "run-2"}, trace_id="c" * 32)
    assert decoded(root, span(), logs=(by_log,)).runs == {TRACE: "run-1", "c" * 32: "run-2"}
