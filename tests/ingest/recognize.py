"""Helpers that read a span with the table of conventions."""

from monitor.domain.interaction import Interaction
from monitor.ingest.conventions.roles import Role
from monitor.ingest.conventions.table import (
    CONVENTIONS,
    Candidates,
    Recognized,
    candidate_finder,
    read_call,
    recognized,
)
from monitor.ingest.spans import OtlpSpan
from tests.ingest.build import context


def candidates(span: OtlpSpan) -> Candidates:
    return candidate_finder(tuple(CONVENTIONS))(span.attributes)


def recognize(span: OtlpSpan) -> Recognized:
    return recognized(span, candidates(span))


def is_call(span: OtlpSpan) -> bool:
    return recognize(span).role is Role.CALL


def convention_of(span: OtlpSpan) -> str | None:
    by = recognize(span).by
    return by.name if by else None


def call_of(span: OtlpSpan) -> Interaction:
    role, by = recognize(span)
    assert role is Role.CALL
    assert by is not None
    return read_call(span, context(), by, candidates(span))
