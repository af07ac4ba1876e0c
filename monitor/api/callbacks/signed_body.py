"""The body of a callback. The signature is checked before anything in the body is parsed.

A callback has no bearer token: the signature over the raw bytes proves the sender. Without a configured secret of the
receiver, the path does not exist.
"""

import logging
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from fastapi import Depends, Path, Request

from monitor.api import audit
from monitor.api.body import bounded
from monitor.api.context import Context
from monitor.domain.audit import AuditKind
from monitor.errors import NotFound, Permanent

logger = logging.getLogger(__name__)
MAX_BODY = 1024 * 1024  # bytes; a callback has a few kB
Check = Callable[[str, Mapping[str, str], bytes, datetime], bool]
"""Returns whether the signature is valid, from secret, headers (names in lower case), raw body and current time."""


class InvalidSignature(Permanent):
    """The callback has no valid signature."""

    status = 401
    code = "invalid_signature"


@dataclass(frozen=True, slots=True, kw_only=True)
class Callback:
    """A callback with a valid signature. `receiver` is the name of the receiver that it is about."""

    receiver: str
    body: bytes


def signed_body(kind: str, check: Check) -> Any:
    """Return the dependency that reads the callback of a receiver of this kind. The path has the parameter `name`.

    It raises NotFound without a secret, BodyTooLarge, and InvalidSignature.
    """

    async def read(
        request: Request, context: Context, name: Annotated[str, Path(min_length=1, max_length=64)]
    ) -> AsyncIterator[Callback]:
        secret = context.callback_secrets.get((kind, name))
        if secret is None:
            raise NotFound(f"{kind} receiver {name!r} takes no callbacks: it does not exist, or it has no secret")
        async with context.room.place() as place:
            body = await bounded(place.receive(request.stream()), MAX_BODY, "a callback is smaller")
            if not check(secret.get_secret_value(), request.headers, body, context.clock.now()):
                audit.failed_signature(request, context)
                # The name is that of a configured receiver. The body and the headers are not trusted.
                logger.warning("a callback of %s receiver %s is refused: its signature does not match", kind, name)
                raise InvalidSignature(
                    f"the signature does not match the body; configure the secret of the service at receiver {name!r}"
                )
            audit.begin(request, context, f"{kind} {name}", AuditKind.WRITE, how="signature")
            yield Callback(receiver=name, body=body)

    return Depends(read)
