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


def test_the_model_that_was_asked_for_says_nothing_of_the_one_that_answered() -> None:
    """A stream may name the former alone: taken for the latter, each stream would be a change of the model."""
    told = {
        "openinference.span.kind": "LLM",
        "llm.model_name": "gpt-4",
        "llm.invocation_parameters": '{"model": "gpt-4"}',
        "output.value": "30 days",
    }
    call = OpenInference().read_call(span(told), context())
    assert (call.request_model, call.response_model) == ("gpt-4", None)
    answered = OpenInference().read_call(span(told | {"llm.model_name": "gpt-4-0314"}), context())
    assert (answered.request_model, answered.response_model) == ("gpt-4", "gpt-4-0314")
