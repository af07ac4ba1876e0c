"""Map an exception name, a provider's error code or an HTTP status to the error class that replays use.

The classes are those of replay/targets/failure.py that a production call can have, and `other`.
"""

import re
from functools import lru_cache
from typing import Final

from replay.targets.failure import ErrorClass

OTHER = "other"
STATUS_IN_MESSAGE = re.compile(r"(?:^|(?:\bcode|\bstatus|\bHTTP)\W{1,3})([45]\d\d)\b", re.IGNORECASE)
EXCEPTION = re.compile(r"\b\w+(?:Error|Exception)\b")
CLASS = re.compile(r"<class '([\w.<>]+)'>")  # how Python prints a class
NOT_LETTERS = re.compile(r"[\d\W]+")
STATUS = re.compile(r"\b[1-5]\d\d\b")
MAX_CHARS = 200  # of the error type; class names are shorter, longer values are messages
_KNOWN = frozenset(str(known) for known in ErrorClass)
_BY_STATUS = {
    "401": ErrorClass.AUTH,
    "402": ErrorClass.QUOTA,
    "403": ErrorClass.AUTH,
    "404": ErrorClass.NOT_FOUND,
    "408": ErrorClass.TIMEOUT,
    "429": ErrorClass.RATE_LIMIT,
}
# Only the letters of the name are compared. The first match decides, so specific fragments come before general ones.
_BY_FRAGMENT = (
    ("quota", ErrorClass.QUOTA),
    ("billing", ErrorClass.QUOTA),
    ("ratelimit", ErrorClass.RATE_LIMIT),
    ("toomanyrequests", ErrorClass.RATE_LIMIT),
    ("throttl", ErrorClass.RATE_LIMIT),
    ("resourceexhausted", ErrorClass.RATE_LIMIT),
    ("contentfilter", ErrorClass.CONTENT_FILTER),
    ("contentpolicy", ErrorClass.CONTENT_FILTER),
    ("guardrail", ErrorClass.CONTENT_FILTER),
    ("moderation", ErrorClass.CONTENT_FILTER),
    ("timeout", ErrorClass.TIMEOUT),
    ("timedout", ErrorClass.TIMEOUT),
    ("deadlineexceeded", ErrorClass.TIMEOUT),
    ("overloaded", ErrorClass.SERVER_ERROR),
    ("internalserver", ErrorClass.SERVER_ERROR),
    ("servererror", ErrorClass.SERVER_ERROR),
    ("serviceunavailable", ErrorClass.SERVER_ERROR),
    ("badgateway", ErrorClass.SERVER_ERROR),
    ("connect", ErrorClass.CONNECTION),
    ("remoteprotocol", ErrorClass.CONNECTION),
    ("readerror", ErrorClass.CONNECTION),
    ("incompleteread", ErrorClass.CONNECTION),
    ("protocolerror", ErrorClass.CONNECTION),
    ("network", ErrorClass.CONNECTION),
    ("socket", ErrorClass.CONNECTION),
    ("authentication", ErrorClass.AUTH),
    ("unauthorized", ErrorClass.AUTH),
    ("permission", ErrorClass.AUTH),
    ("forbidden", ErrorClass.AUTH),
    ("notfound", ErrorClass.NOT_FOUND),
    ("badrequest", ErrorClass.BAD_REQUEST),
    ("invalidargument", ErrorClass.BAD_REQUEST),
    ("validationexception", ErrorClass.BAD_REQUEST),
    ("invalidrequest", ErrorClass.BAD_REQUEST),
    ("unprocessable", ErrorClass.BAD_REQUEST),
    ("contextwindow", ErrorClass.BAD_REQUEST),
    ("jsondecode", ErrorClass.MALFORMED_REPLY),
    ("responsevalidation", ErrorClass.MALFORMED_REPLY),
)


def error_class(error_type: str | None) -> str | None:
    """Return the error class of the sender's error type; None without an error type.

    >>> error_class("openai.RateLimitError"), error_class("529"), error_class("TypeError")
    ('rate_limit', 'server_error', 'other')
    """
    return _cached_class(error_type[:MAX_CHARS]) if error_type else None


def _class_of(error_type: str) -> str:
    if error_type in _KNOWN:
        return error_type
    if status := STATUS.search(error_type):
        return _class_of_status(status.group())
    letters = "".join(c for c in error_type.lower() if c.isalpha())
    return next((str(known) for fragment, known in _BY_FRAGMENT if fragment in letters), OTHER)


def error_class_of_message(message: str) -> str:
    """Return the error class of an exception message: by a status, an exception name or else the text.

    >>> error_class_of_message("400 INVALID_ARGUMENT")
    'bad_request'
    >>> error_class_of_message("<class 'my.Connector'>: RateLimitError()")
    'rate_limit'
    """
    beginning = message[:MAX_CHARS]
    if (status := STATUS_IN_MESSAGE.search(beginning)) is not None:
        return _class_of_status(status[1])
    classes = (_cached_class(name) for name in EXCEPTION.findall(beginning))
    specific = next((found for found in classes if found != OTHER), None)
    return specific or _cached_class(NOT_LETTERS.sub(" ", CLASS.sub(" ", beginning)).strip())


_cached_class: Final = lru_cache(1024)(_class_of)


def _class_of_status(status: str) -> str:
    if status >= "500":
        return str(ErrorClass.SERVER_ERROR)
    return str(_BY_STATUS.get(status, ErrorClass.BAD_REQUEST if status >= "400" else OTHER))
