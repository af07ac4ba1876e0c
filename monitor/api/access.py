"""The role of each route: checked before the body is read, and documented in OpenAPI."""

import asyncio
from collections.abc import Callable
from typing import Annotated, Any, cast

from fastapi import Depends, Request

from monitor.api import audit
from monitor.api.auth import USER_HEADER, Principal, Role, claimed_user
from monitor.api.context import ApiContext
from monitor.api.problems import MEDIA_TYPE
from monitor.api.schema import Problem
from monitor.domain.deployment_limit import CURRENT as CURRENT_LIMIT
from monitor.domain.deployment_limit import limit_of
from monitor.guards.failed_logins import Caller

ROLE_KEY = "x-role"
LISTENER = "api"
PROBLEM_RESPONSES: dict[int | str, dict[str, Any]] = {
    "default": {
        "description": "A problem document (RFC 9457)",
        "content": {MEDIA_TYPE: {"schema": {"$ref": f"#/components/schemas/{Problem.__name__}"}}},
    }
}


def open_to_all(**extra: Any) -> dict[str, Any]:
    """Return the arguments of a route decorator for a route without a token; `extra` is added to the OpenAPI
    operation.
    """
    return {"responses": PROBLEM_RESPONSES, "openapi_extra": {"security": [], **extra}}


def needs(role: Role, **extra: Any) -> dict[str, Any]:
    """Return the arguments of a route decorator that requires `role`; `extra` is added to the OpenAPI operation."""
    return {
        "dependencies": [Depends(_demand(role))],
        "responses": PROBLEM_RESPONSES,
        "openapi_extra": {ROLE_KEY: role.value, "security": [{"bearer": []}], **extra},
    }


def _demand(role: Role) -> Callable[[Request], None]:
    # An async function: comparing hashes is too cheap for the thread pool.
    async def check(request: Request) -> None:
        context = cast("ApiContext", request.app.state.context)
        caller = Caller(address=request.client.host if request.client else "", listener=LISTENER)
        authorization = request.headers.get("authorization")
        if (keys := context.tokens.missing_keys(authorization)) is not None:
            await asyncio.wrap_future(keys)  # no thread of the pool waits for the identity provider
        principal = context.tokens.authenticate(authorization, caller)
        acting = principal.acting_for(claimed_user(request.headers.get(USER_HEADER)))
        audit.begin(request, context, acting.name, audit.kind_of(request.method, role), how=acting.kind.value)
        principal.demand(role)
        if role is not Role.INGEST:  # a full intake limits telemetry
            context.tokens.limit_rate(principal)
        request.state.principal = acting
        # From here on, the store, the intake and the context of the route have only what the sender may reach.
        CURRENT_LIMIT.set(limit_of(context.policy, acting.deployments))

    return cast("Callable[[Request], None]", check)


def _principal_of(request: Request) -> Principal:
    return cast("Principal", request.state.principal)


Sender = Annotated[Principal, Depends(_principal_of)]
