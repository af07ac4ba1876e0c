"""The token of a sender, however its client writes it."""

import base64
import binascii
from collections.abc import Mapping
from typing import Final

ENCODED: Final = "bearer%20"


def bearer_of(headers: Mapping[str, str]) -> str | None:
    """Return the token as `Bearer TOKEN`. Langfuse's clients send `Basic`, with the token as their secret key, and
    LangSmith's the header `x-api-key`. Some exporters do not decode what OTEL_EXPORTER_OTLP_HEADERS holds.

    >>> bearer_of({"authorization": "Basic " + base64.b64encode(b"public:the-token").decode()})
    'Bearer the-token'
    >>> bearer_of({"authorization": "Bearer the-token"}), bearer_of({"x-api-key": "the-token"})
    ('Bearer the-token', 'Bearer the-token')
    >>> bearer_of({"authorization": "Bearer%20the-token"})
    'Bearer the-token'
    """
    authorization = headers.get("authorization")
    if authorization is None:
        return f"Bearer {headers['x-api-key']}" if headers.get("x-api-key") else None
    if authorization[: len(ENCODED)].lower() == ENCODED:
        return f"Bearer {authorization[len(ENCODED) :]}"
    scheme, _, sent = authorization.partition(" ")
    if scheme.lower() != "basic":
        return authorization
    try:
        _, colon, token = base64.b64decode(sent.strip(), validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return authorization
    return f"Bearer {token}" if colon else authorization
