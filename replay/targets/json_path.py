"""Where in a JSON answer something stands: JSONPath (RFC 9535)."""

from typing import Any

import jsonpath

from replay.errors import TargetError


class JsonPath:
    """`what` names it in errors. TargetError when it is no path.

    >>> JsonPath("$.choices[0].text", "answer").find({"choices": [{"text": "yes"}]})
    'yes'
    """

    def __init__(self, source: str, what: str) -> None:
        self.source = source
        if not source.startswith("$"):
            raise TargetError(f"{what} {source!r} is no JSONPath: it begins with $, like $.answer")
        try:
            self._path = jsonpath.compile(source)
        except jsonpath.JSONPathError as error:
            raise TargetError(f"{what} {source!r} is no JSONPath: {str(error).splitlines()[0]}") from None

    def find(self, document: dict[str, Any] | list[Any]) -> Any:
        """The first value there that is not null; None when there is none."""
        try:
            return next((match.obj for match in self._path.finditer(document) if match.obj is not None), None)
        except jsonpath.JSONPathError:
            return None  # a filter that does not fit what was answered finds nothing
