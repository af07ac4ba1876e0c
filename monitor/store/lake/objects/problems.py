"""What an error of an object store means, and what to do about it."""

import re
from collections.abc import Mapping
from typing import Final

import duckdb

_KEYS: Final = "store.object_store.access_key_id and secret_access_key"
MEANINGS: Final[Mapping[str, str]] = {
    "InvalidAccessKeyId": f"it does not know the key id; correct {_KEYS}",
    "SignatureDoesNotMatch": f"the secret does not belong to the key id; correct {_KEYS}",
    "ExpiredToken": "the temporary keys have expired; give new ones and restart driftd, or leave out access_key_id",
    "InvalidToken": "the session token is wrong; correct store.object_store.session_token",
    "AccessDenied": "the key lacks a right; give it the rights of docs/scale.md",
    "NoSuchBucket": "the bucket does not exist; create it, or correct store.data",
    "PermanentRedirect": "the bucket is in another region; correct store.object_store.region",
    "AuthorizationHeaderMalformed": "the bucket is in another region; correct store.object_store.region",
    "RequestTimeTooSkewed": "the clock of this machine is wrong; set it",
}
"""The codes of errors that a later repetition does not solve."""

_CODE: Final = re.compile(r"\b(" + "|".join(MEANINGS) + r")\b")
_REFUSED: Final = re.compile(r"HTTP (?:code )?403")
_NO_CREDENTIALS: Final = "while trying to refresh secret"
_OF_OBJECTS: Final = re.compile(rf"HTTP Error:|error for HTTP (?:GET|PUT|POST|HEAD|DELETE) to|{_NO_CREDENTIALS}")


def is_of_objects(error: duckdb.Error) -> bool:
    """Return whether DuckDB reports an error of the object store."""
    return bool(_OF_OBJECTS.search(str(error)))


def lasting_problem(error: duckdb.Error) -> str | None:
    """Return what a person must correct, when DuckDB reports such an error of the object store."""
    text = str(error)
    if not is_of_objects(error):
        return None
    if _NO_CREDENTIALS in text:
        return "the machine gives no credentials of the object store any more; look at its role or profile"
    if found := _CODE.search(text):
        return f"the object store answers {found[1]}: {MEANINGS[found[1]]}"
    if _REFUSED.search(text):
        return f"the object store answers 403: {MEANINGS['AccessDenied']}"
    return None


def described(error: duckdb.Error) -> str:
    """Return an error of DuckDB for people: one sentence for one of the object store, else the text of DuckDB."""
    if not is_of_objects(error):
        return str(error)
    return lasting_problem(error) or f"the object store fails: {' '.join(str(error).splitlines()[0].split())}"
