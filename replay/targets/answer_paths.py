"""JSONPaths of the values in the answer of an application."""

import json
from collections.abc import Mapping
from typing import Any

from replay.errors import TargetError
from replay.targets.answer_fields import Json, count, date_of, document_of, instant, marks, number
from replay.targets.failure import ErrorClass, failed, failure_in_stream, one_line
from replay.targets.json_path import JsonPath
from replay.types import Reply

PATHS = (
    "model", "system_fingerprint", "reported_at", "response_id", "finish_reason", "input_tokens", "output_tokens",
    "cost_usd",
)  # fmt: skip
_WHOLE = "$"


class AnswerPaths:
    """The paths by the names of PATHS. Raise TargetError for an invalid path."""

    def __init__(self, answer: str, paths: Mapping[str, str]) -> None:
        unknown = sorted(set(paths) - set(PATHS))
        if unknown:
            raise TargetError(f"an answer has no field {unknown[0]!r}; known: {', '.join(PATHS)}")
        self.answer = JsonPath(answer, "answer")
        self._paths = {name: JsonPath(path, name) for name, path in paths.items()}

    def document(self, body: bytes, content_type: str) -> Json:
        """Return the answer as an object. A text that is not JSON is valid if the path of the answer is `$`."""
        if self.answer.source == _WHOLE and "json" not in content_type:
            return {"text": body.decode("utf-8", "replace")}
        return document_of(body)

    def check(self, document: Json) -> None:
        """Raise CallError if the document reports an error."""
        if document.get("error"):
            raise failure_in_stream(document["error"])

    def read(self, document: Json, headers: Mapping[str, str], latency_ms: float) -> Reply:
        """Return the reply. Raise CallError if there is no answer, or an empty one."""
        text = self._text(document)
        values = {name: path.find(document) for name, path in self._paths.items()}
        at = instant(values.get("reported_at"))
        return Reply(
            text=text,
            latency_ms=latency_ms,
            finish_reason=_as_text(values.get("finish_reason")),
            model=_as_text(values.get("model")),
            reported_at=date_of(headers) if at is None else at,
            system_fingerprint=_as_text(values.get("system_fingerprint")),
            response_id=_as_text(values.get("response_id")),
            input_tokens=count(values.get("input_tokens")),
            output_tokens=count(values.get("output_tokens")),
            cost_usd=number(values.get("cost_usd")),
            reported=marks(headers),
        )

    def _text(self, document: Json) -> str:
        found = document.get("text") if self._is_text(document) else self.answer.find(document)
        if found is None:
            self.check(document)
            keys = ", ".join(sorted(document))
            why = f"there is no value at {self.answer.source} of the answer, which has: {keys}"
            raise failed(ErrorClass.MALFORMED_REPLY, one_line(why))
        text = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
        if not text.strip():
            raise failed(ErrorClass.EMPTY_REPLY, "the answer has no text")
        return text

    def _is_text(self, document: Json) -> bool:
        return self.answer.source == _WHOLE and set(document) == {"text"}


def _as_text(value: Any) -> str | None:
    """Return the value as text. A number, for example, can name a version."""
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) and value != "" else None
