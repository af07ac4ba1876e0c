"""What the table of conventions makes of a span."""

from monitor.domain.interaction import Interaction
from monitor.ingest.conventions.roles import Role
from monitor.ingest.conventions.table import CONVENTIONS, Candidates, Recognised, claimants, read_call, recognised
from monitor.ingest.spans import OtlpSpan
from tests.ingest.build import context


def candidates(span: OtlpSpan) -> Candidates:
    return claimants(tuple(CONVENTIONS))(span.attributes)


def recognise(span: OtlpSpan) -> Recognised:
    return recognised(span, candidates(span))


def is_call(span: OtlpSpan) -> bool:
    return recognise(span).role is Role.CALL


def convention_of(span: OtlpSpan) -> str | None:
    by = recognise(span).by
    return by.name if by else None


def call_of(span: OtlpSpan) -> Interaction:
    role, by = recognise(span)
    assert role is Role.CALL
    assert by is not None
    return read_call(span, context(), by, candidates(span))
