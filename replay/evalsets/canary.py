"""The canary: a unique string of a set. A text that contains it comes from a leak of the set."""

import hashlib
import secrets
import uuid
from collections.abc import Callable


def new_canary(set_name: str, random_bytes: Callable[[int], bytes] = secrets.token_bytes) -> str:
    """Return `driftd-canary-` and a UUID. The UUID contains no information about the set; two sets have different
    canaries even with equal random bytes.
    """
    digest = hashlib.sha256(set_name.encode() + b"\0" + random_bytes(16)).digest()
    return f"driftd-canary-{uuid.UUID(bytes=digest[:16], version=4)}"
