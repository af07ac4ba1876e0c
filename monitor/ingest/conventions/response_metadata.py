"""Read the response metadata of an answer: which model produced it, its fingerprint, its id and its status.

Without the response model a silent change of the model is invisible. Providers return the model in their answer.
Frameworks keep the whole answer inside their own objects, or copy its metadata to the metadata of a message. driftd
searches all these places, the outermost first. It does not search message contents and tool arguments.
"""

import re
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from monitor.errors import MalformedRecord
from monitor.ingest.conventions.attribute_cache import cached_by_names
from monitor.ingest.json_text import read_json

MODELS: Final = ("modelVersion", "model_version", "model_name", "model")  # Gemini's version is the most exact
FINGERPRINTS: Final = ("system_fingerprint", "systemFingerprint")
IDS: Final = ("id", "response_id", "responseId")
PLACEHOLDER_ID: Final = re.compile(r"__\w*__")  # a framework's placeholder for an unknown id
METADATA_KEYS: Final = (  # keys under which frameworks store an answer or its metadata
    "raw", "raw_response", "rawResponse", "raw_representation", "response", "response_metadata", "responseMetadata",
    "generation_info", "additional_kwargs", "meta", "metadata", "provider_details", "provider_data", "llm_output",
)  # fmt: skip
WRAPPER_KEYS: Final = (
    "generations",
    "message",
    "kwargs",
    "replies",
    "result",
    "output",
    "data",
)  # objects that contain one of METADATA_KEYS
PROVIDER_KEYS: Final = frozenset(  # an object with one of these keys is an answer, so its `model` is the response model
    ["choices", "candidates", "usage", "usageMetadata", "usage_metadata", "stop_reason", "finish_reason", "object",
     "created", "created_at", "done", "system_fingerprint"]
)  # fmt: skip
STATUSES: Final = ("completed", "incomplete", "failed", "in_progress", "cancelled")
MAX_OBJECTS: Final = 64
ANSWERS: Final = re.compile(
    r"(?:^|[._])(?:(?:raw_?|llm_)?response|response[._](?:data|body|metadata)|output\.value|outputs?|completion)$|Outputs$"
)
LANGCHAIN_RUN_ID: Final = re.compile(r"(?:lc_)?run-")  # LangChain's id of its own run, when the provider gave no id
NAMES_MODEL: Final = re.compile(r'"(?:model(?:_name|_version|Version)?|system_?[fF]ingerprint)"')


class ResponseMetadata(NamedTuple):
    """The metadata of an answer. `status` is that of OpenAI's Responses API, for example completed or failed."""

    model: str | None = None
    fingerprint: str | None = None
    id: str | None = None
    status: str | None = None


NO_METADATA: Final = ResponseMetadata()


def metadata_of_answer(answer: Any) -> ResponseMetadata:
    """Return the metadata of a decoded JSON answer.

    >>> metadata_of_answer({"text": "Yes.", "raw": {"id": "r-1", "model": "gpt-4-0314", "system_fingerprint": "fp_1"}})
    ResponseMetadata(model='gpt-4-0314', fingerprint='fp_1', id='r-1', status=None)
    """
    model = fingerprint = id_ = status = None
    for candidate in _objects(answer):
        named = _text(candidate, MODELS)
        if id_ is None and (named or not PROVIDER_KEYS.isdisjoint(candidate)):
            id_ = next(
                (
                    text
                    for text in _texts(candidate, IDS)
                    if not (LANGCHAIN_RUN_ID.match(text) or PLACEHOLDER_ID.fullmatch(text))
                ),
                None,
            )
        if status is None and candidate.get("status") in STATUSES:
            status = candidate["status"]
        model, fingerprint = model or named, fingerprint or _text(candidate, FINGERPRINTS)
        if model and fingerprint and id_:
            break
    return ResponseMetadata(model, fingerprint, id_, status)


def metadata_of_attributes(own: Mapping[str, Any]) -> ResponseMetadata:
    """Return the metadata of the answers in span attributes, which are found by attribute name."""
    found = NO_METADATA
    for name in _answers_in(own):
        value = own[name]
        if isinstance(value, str):
            value = _read(value, name)
        metadata = metadata_of_answer(value)
        found = found._replace(
            model=found.model or metadata.model, fingerprint=found.fingerprint or metadata.fingerprint
        )
    return found


_answers_in = cached_by_names(lambda names: tuple(name for name in names if ANSWERS.search(name)))


def has_answers(attributes: Mapping[str, Any]) -> bool:
    """Return whether attributes of these names may have the answer of a provider."""
    return bool(_answers_in(attributes))


def _read(text: str, name: str) -> Any:
    """Return the decoded JSON of an answer that may name a model. Most answers name none and are not parsed."""
    if text[:1] not in ("{", "[") or NAMES_MODEL.search(text) is None:
        return None
    try:
        return read_json(text, name)
    except MalformedRecord:
        return None


def _objects(answer: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the objects that may have metadata, the outermost first, at most 64."""
    waiting: deque[tuple[Any, bool]] = deque([(answer, False)])
    for _ in range(MAX_OBJECTS):
        if not waiting:
            return
        found, is_metadata = waiting.popleft()
        if isinstance(found, list):
            waiting.extend((item, is_metadata) for item in found[:MAX_OBJECTS])
        elif isinstance(found, dict):
            if is_metadata or not PROVIDER_KEYS.isdisjoint(found):
                yield found
            waiting.extend([(found[key], True) for key in METADATA_KEYS if key in found])
            waiting.extend([(found[key], False) for key in WRAPPER_KEYS if key in found])


def _text(found: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return next(_texts(found, names), None)


def _texts(found: Mapping[str, Any], names: tuple[str, ...]) -> Iterator[str]:
    for name in names:
        if isinstance(value := found.get(name), str) and value:
            yield value
