"""The token of a sender, however its client writes it."""

import base64
import binascii


def bearer_of(authorization: str | None) -> str | None:
    """The same header as `Bearer TOKEN`. Langfuse's clients send `Basic`, with the token as their secret key.

    >>> bearer_of("Basic " + base64.b64encode(b"public:the-token").decode())
    'Bearer the-token'
    >>> bearer_of("Bearer the-token")
    'Bearer the-token'
    """
    scheme, _, sent = (authorization or "").partition(" ")
    if scheme.lower() != "basic":
        return authorization
    try:
        _, colon, token = base64.b64decode(sent.strip(), validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return authorization
    return f"Bearer {token}" if colon else authorization
