"""The check of the content type of every request with a body.

A browser sends `text/plain`, forms and bodies without a type across origins without asking the server first. So each
listener takes a body only under a type that a page cannot send that way.
"""

from collections.abc import Collection

from monitor.errors import Permanent

JSON = "application/json"


def media_type_of(content_type: str) -> str:
    """Return the type without its parameters, in lower case.

    >>> media_type_of("Application/JSON; charset=utf-8")
    'application/json'
    """
    return content_type.partition(";")[0].strip().lower()


def demand_media_type(content_type: str, known: Collection[str], refusal: type[Permanent]) -> str:
    """Return the media type of a Content-Type header, or raise `refusal` when it is not one of `known`."""
    found = media_type_of(content_type)
    if found not in known:
        named = f"{found[:80]!r} is not supported" if found else "is missing"
        raise refusal(f"the content type {named}; send the body as {' or '.join(known)}")
    return found
