"""Builds the OTLP receivers from the parts of the API. app.py connects them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from monitor.api.auth import Role, Tokens
from monitor.api.context import ApiContext
from monitor.domain.deployment_limit import CURRENT as CURRENT_LIMIT
from monitor.domain.deployment_limit import limit_of
from monitor.domain.policy import Policy
from monitor.guards.audit_counts import AuditCounts
from monitor.guards.failed_logins import Caller, source_of
from monitor.guards.local_callers import LocalCallersOnly
from monitor.ingest.http.credentials import bearer_of

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from monitor.ingest.otlp.grpc import OtlpServices
    from monitor.ingest.otlp.receiver import Authorize


def receivers_of(context: ApiContext) -> "tuple[ASGIApp, OtlpServices]":
    """Return the application for OTLP/HTTP and for compatible clients of other products, and the gRPC services."""
    # These modules import protobuf and gRPC, which a command does not need.
    from monitor.ingest.compat.endpoint import CompatEndpoint
    from monitor.ingest.compat.table import routes
    from monitor.ingest.http.memory_budget import BodyMemoryBudget
    from monitor.ingest.otlp.grpc import OtlpServices
    from monitor.ingest.otlp.http import build_app
    from monitor.ingest.otlp.receiver import Receiver

    otlp = Receiver(
        context.intake,
        context.normalizer,
        context.clock,
        authorize=may(context.tokens, Role.INGEST, context.policy, context.audit),
        limits=context.limits,
        body_memory=BodyMemoryBudget(context.room.max_bytes),  # of another event loop
        telemetry=context.telemetry,
    )
    compat = CompatEndpoint(
        otlp,
        context.intake,
        context.normalizer,
        context.clock,
        store=context.store,
        may_read=may(context.tokens, Role.READ, context.policy),
        telemetry=context.telemetry,
    )
    http: ASGIApp = build_app(otlp, routes=routes(compat), ports=context.ports)
    return http if context.tokens.required else LocalCallersOnly(http), OtlpServices(otlp)


def may(tokens: Tokens, role: Role, policy: Policy, counts: AuditCounts | None = None) -> "Authorize":
    """Return the check of a sender. The store and the intake limit the rest of the request to its deployments."""

    def demand(headers: Mapping[str, str], caller: Caller) -> None:
        CURRENT_LIMIT.set(None)
        principal = tokens.authenticate(bearer_of(headers), caller)
        principal.demand(role)
        CURRENT_LIMIT.set(limit_of(policy, principal.deployments))
        if counts is not None:
            counts.ingested(principal.name, caller.listener, source_of(caller.address))

    return demand
