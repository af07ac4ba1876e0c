"""A string that is found nowhere but in one set: where it turns up, the set has leaked."""

import hashlib
import secrets
import uuid
from collections.abc import Callable


def new_canary(set_name: str, random_bytes: Callable[[int], bytes] = secrets.token_bytes) -> str:
    """`driftd-canary-` and a UUID that tells nothing of the set; sets differ even under equal random bytes."""
    digest = hashlib.sha256(set_name.encode() + b"\0" + random_bytes(16)).digest()
    return f"driftd-canary-{uuid.UUID(bytes=digest[:16], version=4)}"
