"""Signs requests to an object store: AWS Signature Version 4."""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final
from urllib.parse import quote, urlsplit

from monitor.domain.object_store import ObjectKeys

ALGORITHM: Final = "AWS4-HMAC-SHA256"
SERVICE: Final = "s3"


def signed_headers(
    method: str,
    url: str,
    query: Mapping[str, str],
    body: bytes,
    *,
    keys: ObjectKeys,
    region: str,
    now: datetime,
    headers: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, str]:
    """Return the headers of a request with its signature, which covers `headers`. `url` has no query, and its path is
    quoted already.
    """
    parts, at = urlsplit(url), now.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    digest = hashlib.sha256(body).hexdigest()
    own = {**headers, "host": parts.netloc, "x-amz-content-sha256": digest, "x-amz-date": at}
    if keys.token is not None:
        own["x-amz-security-token"] = keys.token
    names = ";".join(sorted(own))
    lines = "".join(f"{name}:{own[name]}\n" for name in sorted(own))
    request = "\n".join((method, parts.path or "/", query_text(query), lines, names, digest))
    scope = f"{at[:8]}/{region}/{SERVICE}/aws4_request"
    signed = "\n".join((ALGORITHM, at, scope, hashlib.sha256(request.encode()).hexdigest()))
    key = f"AWS4{keys.secret}".encode()
    for part in (at[:8], region, SERVICE, "aws4_request"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, signed.encode(), "sha256").hex()
    own["authorization"] = f"{ALGORITHM} Credential={keys.id}/{scope}, SignedHeaders={names}, Signature={signature}"
    return own


def query_text(query: Mapping[str, str]) -> str:
    """Return the query of a URL in the form that is signed.

    >>> query_text({"versioning": "", "list-type": "2", "prefix": "a/b"})
    'list-type=2&prefix=a%2Fb&versioning='
    """
    return "&".join(f"{quote(name, safe='')}={quote(query[name], safe='')}" for name in sorted(query))
