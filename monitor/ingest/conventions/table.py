"""Every convention driftd reads, in the order they are asked: the first that recognizes a record reads it.

A convention that is a dialect of another stands before it. Adding one is a file beside `genai.py` and a line here.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from monitor.domain.filling import differences, gaps
from monitor.domain.interaction import Interaction
from monitor.errors import MalformedRecord
from monitor.ingest.conventions.attribute_cache import cached_by_names
from monitor.ingest.conventions.base import CallContext, Convention
from monitor.ingest.conventions.genai.convention import GenAI
from monitor.ingest.conventions.langfuse import Langfuse
from monitor.ingest.conventions.langsmith import LangSmith
from monitor.ingest.conventions.litellm import LiteLLM
from monitor.ingest.conventions.mlflow import MLflow
from monitor.ingest.conventions.openinference import OpenInference
from monitor.ingest.conventions.pydantic_ai import PydanticAI
from monitor.ingest.conventions.roles import CALL, Role
from monitor.ingest.conventions.traceloop import Traceloop
from monitor.ingest.conventions.vercel import Vercel
from monitor.ingest.spans import OtlpSpan

DIFFERS = "driftd.differs."  # begins the attribute of a value that was not taken: then the convention and the field


class Candidates(NamedTuple):
    """Who may recognize a span, in their order, and who may fill the gaps of its call."""

    recognizers: tuple[Convention, ...]
    fillers: tuple[Convention, ...]


class Recognized(NamedTuple):
    """What a span is, and by which convention."""

    role: Role | None
    by: Convention | None


CandidateFinder = Callable[[Mapping[str, Any]], Candidates]  # by the names of attributes
UNKNOWN = Recognized(None, None)


@lru_cache(8)
def candidate_finder(conventions: tuple[Convention, ...]) -> CandidateFinder:
    """Most spans have the names of one convention or of none, and no other is asked."""

    def candidates(names: tuple[str, ...]) -> Candidates:
        recognizers = tuple(c for c in conventions if not c.markers.isdisjoint(names))
        fillers = tuple(c for c in conventions if c in recognizers or _names_texts(c, names))
        return Candidates(recognizers, () if fillers == recognizers[:1] else fillers)

    return cached_by_names(candidates)


def recognized(span: OtlpSpan, candidates: Candidates) -> Recognized:
    for convention in candidates.recognizers:
        if (role := convention.role_of(span)) is not None:
            return Recognized(role, convention)
    return UNKNOWN


def read_call(span: OtlpSpan, context: CallContext, by: Convention, candidates: Candidates) -> Interaction:
    """The call as the convention that recognized it reads it, completed by the others.

    MalformedRecord when that convention cannot read it; what another cannot read fills nothing.
    """
    call = by.read_call(span, context)
    for other in candidates.fillers:
        if other is not by and _can_fill(other, span):
            _complete(call, by, other, span, context)
    return call


def _can_fill(other: Convention, span: OtlpSpan) -> bool:
    role = other.role_of(span)
    return role is CALL or (role is None and _names_texts(other, span.attributes))


def _names_texts(convention: Convention, names: Iterable[str]) -> bool:
    beginnings = convention.fill_prefixes
    return bool(beginnings) and any(name.startswith(beginnings) for name in names)


def _complete(call: Interaction, by: Convention, other: Convention, span: OtlpSpan, context: CallContext) -> None:
    """Nobody else holds the call yet: a copy costs as much as the decoding did."""
    try:
        second = other.read_call(span, context)
    except MalformedRecord:
        return  # it could only have filled gaps
    differing = differences(call, second, by.authoritative_fields)
    for name, value in gaps(call, second, by.authoritative_fields).items():
        object.__setattr__(call, name, value)
    if differing:
        kept = {f"{DIFFERS}{other.name}.{name}": value for name, value in differing.items()}
        object.__setattr__(call, "attributes", {**call.attributes, **kept})


CONVENTIONS: Sequence[Convention] = (
    OpenInference(),
    Langfuse(),
    Vercel(),
    MLflow(),
    LangSmith(),
    LiteLLM(),
    PydanticAI(),
    Traceloop(),
    GenAI(),
)
