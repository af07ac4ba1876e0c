"""Check the content type of every request with a body.

A browser sends `text/plain`, forms and bodies without a type to other origins without a preflight request. So each
listener accepts only content types that a page cannot send in this manner.
"""

from collections.abc import Collection

from monitor.errors import Permanent

JSON = "application/json"


def media_type_of(content_type: str) -> str:
    """Return the media type without its parameters, in lower case.

    >>> media_type_of("Application/JSON; charset=utf-8")
    'application/json'
    """
    return content_type.partition(";")[0].strip().lower()


def require_media_type(content_type: str, known: Collection[str], refusal: type[Permanent]) -> str:
    """Return the media type of a Content-Type header. Raise `refusal` when it is not one of `known`."""
    found = media_type_of(content_type)
    if found not in known:
        named = f"{found[:80]!r} is not supported" if found else "is missing"
        raise refusal(f"the content type {named}; send the body as {' or '.join(known)}")
    return found
