"""Signs requests as Standard Webhooks 1.0 describes (https://www.standardwebhooks.com)."""

import hmac
from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime


def signature_headers(secrets: Sequence[bytes], message_id: str, at: datetime, body: bytes) -> Mapping[str, str]:
    """Return the headers that sign `body`. Each secret gives one signature, so that receivers can change theirs.

    `message_id` is the same in every attempt of one message. `at` is the time of the attempt, with its offset.
    """
    timestamp = str(int(at.timestamp()))
    content = b".".join([message_id.encode(), timestamp.encode(), body])
    signatures = [b64encode(hmac.digest(secret, content, "sha256")).decode() for secret in secrets]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(f"v1,{each}" for each in signatures),
    }
