"""JSONPath (RFC 9535): the position of a value in a JSON answer."""

from typing import Any

import jsonpath

from replay.errors import TargetError


class JsonPath:
    """A path. `what` names it in errors. Raise TargetError for an invalid path.

    >>> JsonPath("$.choices[0].text", "answer").find({"choices": [{"text": "yes"}]})
    'yes'
    """

    def __init__(self, source: str, what: str) -> None:
        self.source = source
        if not source.startswith("$"):
            raise TargetError(f"{what} {source!r} is not a valid JSONPath: it must begin with $, like $.answer")
        try:
            self._path = jsonpath.compile(source)
        except jsonpath.JSONPathError as error:
            raise TargetError(f"{what} {source!r} is not a valid JSONPath: {str(error).splitlines()[0]}") from None

    def find(self, document: dict[str, Any] | list[Any]) -> Any:
        """Return the first value that is not null; None without one."""
        try:
            return next((match.obj for match in self._path.finditer(document) if match.obj is not None), None)
        except jsonpath.JSONPathError:
            return None  # a filter that does not match the type of the answer
