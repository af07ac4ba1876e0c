"""Read the span context of a span that is not a call: session, user, prompt, and the documents that it retrieved."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from monitor.domain.interaction import Document, InheritedAttributes
from monitor.ingest.conventions.span_call import EPOCH, NO_TEXT, first_named
from monitor.ingest.conventions.texts.json_list import read_list
from monitor.ingest.json_text import storable_text
from monitor.ingest.spans import OtlpSpan

CONVERSATION = (
    "gen_ai.conversation.id", "session.id", "langfuse.session.id", "langsmith.trace.session_id", "mlflow.trace.session",
    "traceloop.association.properties.session_id", "ai.telemetry.metadata.sessionId",
    "ai.settings.context.conversationId", "ai.settings.context.sessionId", "ai.settings.context.chatId",
    "ai.settings.context.threadId",
)  # fmt: skip
USER = (
    "user.id", "enduser.id", "langfuse.user.id", "mlflow.trace.user", "traceloop.association.properties.user_id",
    "ai.telemetry.metadata.userId", "ai.settings.context.userId",
)  # fmt: skip
PROMPT = ("driftd.prompt.id", "gen_ai.prompt.name")
VERSION = ("driftd.prompt.version", "gen_ai.prompt.version")
GENAI_DOCUMENTS = "gen_ai.retrieval.documents"
NUMBERED = "retrieval.documents."
RETRIEVERS = (  # attribute, its value on a retrieval, and the attribute with the documents
    ("langfuse.observation.type", "retriever", "langfuse.observation.output"),
    ("mlflow.spanType", "RETRIEVER", "mlflow.spanOutputs"),
    ("traceloop.span.kind", "retriever", "traceloop.entity.output"),
    ("langsmith.span.kind", "retriever", "gen_ai.completion"),
)
KIND = "openinference.span.kind"
MARKERS = frozenset([*CONVERSATION, *USER, *PROMPT, *VERSION, GENAI_DOCUMENTS, KIND, *(r[0] for r in RETRIEVERS)])
CONTENT = ("content", "page_content", "text")
MAX_DOCUMENTS = 50
MAX_CHARS = 8000  # of one document
NO_ATTRIBUTES: Mapping[str, Any] = {}


def has_span_context(own: Mapping[str, Any]) -> bool:
    """Return whether these attributes may have span context. Most spans have none, so this check is quick."""
    return not MARKERS.isdisjoint(own)


def span_context_of(span: OtlpSpan, deployment: str, received_at: datetime) -> InheritedAttributes | None:
    """Return the span context of a span; None when it has none."""
    own = span.attributes
    documents = documents_of(own)
    conversation = first_named(own, NO_ATTRIBUTES, CONVERSATION)
    user = first_named(own, NO_ATTRIBUTES, USER)
    prompt = first_named(own, NO_ATTRIBUTES, PROMPT)
    if not documents and (conversation, user, prompt) == (NO_TEXT, NO_TEXT, NO_TEXT):
        return None
    return InheritedAttributes(
        deployment=deployment,
        trace_id=span.trace_id,
        span_id=span.span_id,
        parent_span_id=span.parent_span_id,
        received_at=received_at,
        ended_at=_ended_at(span),
        conversation_id=conversation.value,
        conversation_source=conversation.source,
        user_id=user.value,
        user_source=user.source,
        prompt_id=prompt.value,
        prompt_version=first_named(own, NO_ATTRIBUTES, VERSION).value,
        documents=documents,
    )


def _ended_at(span: OtlpSpan) -> datetime | None:
    try:
        return EPOCH + timedelta(microseconds=span.end_ns // 1000)
    except OverflowError:
        return None


def documents_of(own: Mapping[str, Any]) -> tuple[Document, ...]:
    """Return the documents of a retrieval, in order: at most 50, each cut at 8,000 characters.

    Unreadable documents are left out.
    """
    if (found := own.get(GENAI_DOCUMENTS)) is not None:
        return _listed(found)
    if own.get(KIND) == "RETRIEVER":
        return tuple(_numbered(own))[:MAX_DOCUMENTS]
    for name, kind, where in RETRIEVERS:
        if (value := own.get(name)) is not None and str(value).strip('"') == kind:  # MLflow writes JSON
            return _listed(own.get(where))
    return ()


def _listed(found: Any) -> tuple[Document, ...]:
    """Return the documents of a list, as JSON or structured; LangChain wraps the list in an object."""
    items = read_list(found).items
    if len(items) == 1 and isinstance(items[0], dict) and isinstance(items[0].get("documents"), list):
        items = tuple(items[0]["documents"])
    return tuple(document for item in items[:MAX_DOCUMENTS] if (document := _document(item)) is not None)


def _document(item: Any) -> Document | None:
    if isinstance(item, str):
        return Document(content=_content(item))
    if not isinstance(item, Mapping):
        return None
    content = next((item[key] for key in CONTENT if isinstance(item.get(key), str)), "")
    metadata = item.get("metadata")
    return _document_of(
        item.get("id") or (metadata.get("id") if isinstance(metadata, Mapping) else None), content, item
    )


def _document_of(id_: Any, content: str, item: Mapping[str, Any]) -> Document:
    metadata = item.get("metadata")
    score = item.get("score", metadata.get("score") if isinstance(metadata, Mapping) else None)
    known = isinstance(score, int | float) and not isinstance(score, bool)
    return Document(
        id=storable_text(str(id_)) if id_ is not None else None,
        content=_content(content),
        score=float(score) if known and score is not None else None,
    )


def _numbered(own: Mapping[str, Any]) -> Iterator[Document]:
    """Yield documents from `retrieval.documents.0.document.content`, `.id`, `.score` and `.metadata`.

    `.metadata` is a JSON object that has the id.
    """
    found: dict[int, dict[str, Any]] = {}
    for name, value in own.items():
        if name.startswith(NUMBERED):
            number, _, field = name[len(NUMBERED) :].partition(".document.")
            if field and number.isdecimal() and len(number) < 6:
                found.setdefault(int(number), {})[field] = value
    for _, fields in sorted(found.items()):
        content = fields.get("content")
        yield _document_of(_id(fields), content if isinstance(content, str) else "", fields)


def _id(fields: Mapping[str, Any]) -> Any:
    if fields.get("id") is not None:
        return fields["id"]
    metadata = read_list(fields.get("metadata")).items
    return metadata[0].get("id") if metadata and isinstance(metadata[0], dict) else None


def _content(text: str) -> str:
    return storable_text(text if len(text) <= MAX_CHARS else text[:MAX_CHARS] + "…")
