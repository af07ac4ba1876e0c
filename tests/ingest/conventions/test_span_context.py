"""Sessions, users, prompts and documents of spans that are not calls."""

import json
from typing import Any

import pytest

from monitor.domain.interaction import Document
from monitor.ingest.conventions.span_context import (
    MAX_CHARS,
    MAX_DOCUMENTS,
    documents_of,
    has_span_context,
    span_context_of,
)
from tests.ingest.build import NOW, span

FOUND = Document(id="kb-12", content="30 days", score=0.9)
ITEM = {"id": "kb-12", "content": "30 days", "score": 0.9}


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.retrieval.documents": json.dumps([ITEM])},
        {"gen_ai.retrieval.documents": [ITEM]},
        {
            "openinference.span.kind": "RETRIEVER",
            "retrieval.documents.0.document.content": "30 days",
            "retrieval.documents.0.document.score": 0.9,
            "retrieval.documents.0.document.metadata": '{"id": "kb-12"}',
        },
        {"langfuse.observation.type": "retriever", "langfuse.observation.output": json.dumps([ITEM])},
        {
            "mlflow.spanType": '"RETRIEVER"',
            "mlflow.spanOutputs": '[{"page_content": "30 days", "metadata": {"score": 0.9}, "id": "kb-12"}]',
        },
    ],
)
def test_documents_are_read_the_same_from_every_convention(attributes: dict[str, Any]) -> None:
    assert has_span_context(attributes)
    assert documents_of(attributes) == (FOUND,)


@pytest.mark.parametrize("value", ['[{"id":', "<hidden>", 7, [None, 3], {"documents": "no"}, ""])
def test_documents_that_cannot_be_read_are_left_out(value: Any) -> None:
    assert all(d.content == "" for d in documents_of({"gen_ai.retrieval.documents": value}))


def test_documents_are_bounded_in_number_and_length() -> None:
    found = documents_of({"gen_ai.retrieval.documents": ["x" * (MAX_CHARS + 1)] * (MAX_DOCUMENTS + 1)})
    assert len(found) == MAX_DOCUMENTS
    assert found[0].content == "x" * MAX_CHARS + "…"


def test_span_context_has_session_user_and_prompt_with_their_attributes() -> None:
    result = span({"langfuse.user.id": "u", "session.id": "s", "driftd.prompt.id": "p", "driftd.prompt.version": 3})
    found = span_context_of(result, "support", NOW)
    assert found is not None
    assert (found.conversation_id, found.conversation_source) == ("s", "session.id")
    assert (found.user_id, found.user_source) == ("u", "langfuse.user.id")
    assert (found.prompt_id, found.prompt_version) == ("p", "3")


def test_a_span_without_span_context_has_none() -> None:
    assert not has_span_context({"http.route": "/chat"})
    assert span_context_of(span({"openinference.span.kind": "CHAIN"}), "support", NOW) is None
