"""The table of conventions, in order: the first one that recognizes a span reads it.

A convention that extends another one comes before it. To add a convention, add a file and a line in `CONVENTIONS`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec.structs import replace

from monitor.domain.filling import differences, gaps
from monitor.domain.interaction import Interaction
from monitor.errors import MalformedRecord
from monitor.ingest.conventions.attribute_cache import cached_by_names, may_be_cached
from monitor.ingest.conventions.base import CallContext, CompiledReader, Convention
from monitor.ingest.conventions.genai.compiled import compiled_reader as genai_reader
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

DIFFERS = (
    "driftd.differs."  # prefix of an attribute with a value that was not used; the convention and the field follow
)


class Candidates(NamedTuple):
    """The conventions that may recognize a span, in order, and those that may fill gaps of its call.

    `compiled`: the reader of calls with these attribute names, when one convention reads them alone.
    """

    recognizers: tuple[Convention, ...]
    fillers: tuple[Convention, ...]
    compiled: CompiledReader | None = None


class Recognized(NamedTuple):
    """The role of a span and the convention that recognized it."""

    role: Role | None
    by: Convention | None


CandidateFinder = Callable[[Mapping[str, Any]], Candidates]  # attributes -> candidates, by attribute name
UNKNOWN = Recognized(None, None)


@lru_cache(8)
def candidate_finder(conventions: tuple[Convention, ...]) -> CandidateFinder:
    """Return a function from attributes to candidates. Most spans match one convention or none, so few are tried."""

    def candidates(names: tuple[str, ...]) -> Candidates:
        recognizers = tuple(c for c in conventions if not c.markers.isdisjoint(names))
        fillers = tuple(c for c in conventions if c in recognizers or _names_texts(c, names))
        if len(recognizers) == 1 and fillers == recognizers and may_be_cached(names):
            return Candidates(recognizers, (), _compiled(recognizers[0], names))
        return Candidates(recognizers, () if fillers == recognizers[:1] else fillers)

    return cached_by_names(candidates)


def _compiled(convention: Convention, names: tuple[str, ...]) -> CompiledReader | None:
    compiler = COMPILERS.get(type(convention))
    return None if compiler is None else compiler(names)


def recognized(span: OtlpSpan, candidates: Candidates) -> Recognized:
    """Return the role of a span from the first candidate that recognizes it."""
    for convention in candidates.recognizers:
        if (role := convention.role_of(span)) is not None:
            return Recognized(role, convention)
    return UNKNOWN


def read_call(span: OtlpSpan, context: CallContext, by: Convention, candidates: Candidates) -> Interaction:
    """Return the call as the convention that recognized it reads it, with gaps filled from the other candidates.

    Raise MalformedRecord when `by` cannot read the call. A filler that cannot read it is skipped.
    """
    call = by.read_call(span, context)
    for other in candidates.fillers:
        if other is not by and _can_fill(other, span):
            call = _completed(call, by, other, span, context)
    return call


def _can_fill(other: Convention, span: OtlpSpan) -> bool:
    role = other.role_of(span)
    return role is CALL or (role is None and _names_texts(other, span.attributes))


def _names_texts(convention: Convention, names: Iterable[str]) -> bool:
    beginnings = convention.fill_prefixes
    return bool(beginnings) and any(name.startswith(beginnings) for name in names)


def _completed(
    call: Interaction, by: Convention, other: Convention, span: OtlpSpan, context: CallContext
) -> Interaction:
    """Return the call with its gaps filled from what `other` reads, and with the values that differ as attributes."""
    try:
        second = other.read_call(span, context)
    except MalformedRecord:
        return call  # the call is complete without this filler
    differing = differences(call, second, by.authoritative_fields)
    new = gaps(call, second, by.authoritative_fields)
    if differing:
        kept = {f"{DIFFERS}{other.name}.{name}": value for name, value in differing.items()}
        new["attributes"] = {**call.attributes, **kept}
    return replace(call, **new) if new else call


COMPILERS: Mapping[type[Any], Callable[[tuple[str, ...]], CompiledReader | None]] = {GenAI: genai_reader}
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
