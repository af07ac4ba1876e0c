"""OpenInference beside what its captured clients sent."""

from monitor.domain.interaction import ContentState
from monitor.ingest.conventions.openinference import OpenInference
from tests.ingest.build import context, span, user


def test_the_prompts_of_a_completion_are_its_input() -> None:
    """`input.value` holds the arguments of whatever function was called."""
    told = {
        "openinference.span.kind": "LLM",
        "llm.prompts": ["refund?"],
        "input.value": '{"args": ["refund?"]}',
        "output.value": "30 days",
    }
    call = OpenInference().read_call(span(told), context())
    assert call.input_messages == (user("refund?"),)
    assert (call.output_text, call.content_state) == ("30 days", ContentState.FULL)
    assert "llm.prompts" not in call.attributes
