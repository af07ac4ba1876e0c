"""The response model is found wherever a framework stores the provider's answer."""

import json
from typing import Any

import pytest
from hypothesis import given

from monitor.ingest.conventions.genai.convention import GenAI
from monitor.ingest.conventions.openinference import OpenInference
from monitor.ingest.conventions.response_metadata import (
    NO_METADATA,
    ResponseMetadata,
    metadata_of_answer,
    metadata_of_attributes,
)
from tests.ingest.build import context, span
from tests.ingest.conventions.test_hostile_dialects import VALUES

ANSWER = {
    "id": "resp-1",
    "object": "chat.completion",
    "model": "gpt-4-0314",
    "system_fingerprint": "fp_1",
    "choices": [{"message": {"role": "assistant", "content": "30 days."}, "finish_reason": "stop"}],
}
METADATA = {"model_name": "gpt-4-0314", "system_fingerprint": "fp_1", "finish_reason": "stop"}
MESSAGE = {"content": "30 days.", "response_metadata": METADATA, "id": "run-7"}
WITH_ID = ResponseMetadata("gpt-4-0314", "fp_1", "resp-1")
WITHOUT_ID = ResponseMetadata("gpt-4-0314", "fp_1")


@pytest.mark.parametrize(
    ("answer", "metadata"),
    [
        (ANSWER, WITH_ID),
        ({"message": {"role": "assistant", "content": "30 days."}, "raw": ANSWER}, WITH_ID),
        ({"response": {"raw": ANSWER}}, WITH_ID),
        ({"output": "30 days.", "raw_response": [ANSWER]}, WITH_ID),
        ({"generations": [[{"text": "30 days.", "message": {"kwargs": MESSAGE}}]]}, WITHOUT_ID),
        ({"generations": [[{"text": "30 days.", "generation_info": METADATA}]], "llm_output": None}, WITHOUT_ID),
        ({"llm_output": METADATA, "generations": []}, WITHOUT_ID),
        ({"replies": [{"content": [{"text": "30 days."}], "meta": {"model": "gpt-4-0314"}}]},
         ResponseMetadata("gpt-4-0314")),
        ({"role": "assistant", "metadata": {"model": "gpt-4-0314"}}, ResponseMetadata("gpt-4-0314")),
        ({"modelVersion": "gemini-2.0-flash-001", "model": "gemini-2.0-flash", "candidates": []},
         ResponseMetadata("gemini-2.0-flash-001")),
        ({"object": "response", "id": "r", "model": "m", "status": "completed"},
         ResponseMetadata("m", None, "r", "completed")),
        ({"model": "Canyon Spectral", "price": 4999}, NO_METADATA),
        ({"content": {"model": "Canyon Spectral"}, "arguments": {"raw": METADATA}}, NO_METADATA),
        ("gpt-4-0314", NO_METADATA),
        (None, NO_METADATA),
    ],
)  # fmt: skip
def test_an_answer_names_its_model(answer: Any, metadata: ResponseMetadata) -> None:
    assert metadata_of_answer(answer) == metadata


@pytest.mark.parametrize(
    "name",
    ["output.value", "vendor.llm_response", "raw_response", "response_data", "agent.response.body", "span.outputs"],
)
def test_attributes_that_hold_an_answer_are_searched(name: str) -> None:
    assert metadata_of_attributes({name: json.dumps(ANSWER)}) == metadata_of_attributes({name: ANSWER}) == WITHOUT_ID
    assert metadata_of_attributes({name: json.dumps(ANSWER)[:-1]}) == NO_METADATA
    assert (
        metadata_of_attributes({"input.value": json.dumps(ANSWER), "vendor.llm_request": json.dumps(ANSWER)})
        == NO_METADATA
    )


def test_a_call_takes_missing_fields_from_its_answer() -> None:
    silent = span({"gen_ai.response.model": None, "vendor.llm_response": json.dumps(ANSWER)})
    found = GenAI().read_call(silent, context())
    assert (found.response_model, found.system_fingerprint) == ("gpt-4-0314", "fp_1")
    other = span({"gen_ai.response.model": "gpt-4-0613", "vendor.llm_response": json.dumps(ANSWER)})
    assert GenAI().read_call(other, context()).response_model == "gpt-4-0613"


def test_a_failed_call_has_no_response_model() -> None:
    failed = span({"gen_ai.response.model": None, "vendor.llm_response": json.dumps(ANSWER)}, failed=True)
    assert GenAI().read_call(failed, context()).response_model is None


def test_the_dated_model_of_the_raw_answer_is_the_response_model() -> None:
    framed = {"message": {"role": "assistant", "content": "30 days."}, "raw": ANSWER}
    own = {"openinference.span.kind": "LLM", "llm.model_name": "gpt-4", "output.value": json.dumps(framed)}
    found = OpenInference().read_call(span(own), context())
    assert (found.request_model, found.response_model, found.system_fingerprint) == ("gpt-4", "gpt-4-0314", "fp_1")
    assert found.response_id == "resp-1"


@given(answer=VALUES)
def test_no_answer_raises(answer: Any) -> None:
    assert isinstance(metadata_of_answer(answer), ResponseMetadata)
    assert isinstance(metadata_of_attributes({"output.value": answer}), ResponseMetadata)
