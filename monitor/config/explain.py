"""Validation errors as sentences: file, path of the key, problem and given value. Secrets are never included."""

import difflib
import types
import typing
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from monitor.config.substitute import KeyPath, dotted
from monitor.config.value_messages import in_words

_SECRET_KEYS = frozenset({"key", "api_key", "url", "sha256", "system_prompt", "template", "headers", "env"})
_OWN_TYPES = frozenset({"value_error", "driftd_key"})  # messages of this package, which never need the given value


def explain(error: ValidationError, *, root: type[BaseModel], data: Any, secret: Collection[KeyPath]) -> Iterator[str]:
    """Return one sentence for each problem, in the order of the sections of the file."""
    errors = error.errors(include_url=False)
    for details in errors:
        if details["type"] == "driftd_references":
            yield from details["ctx"]["problems"]
        elif not _is_consequence(details, errors):
            yield _sentence(details, root=root, data=data, secret=secret)


def _is_consequence(details: ErrorDetails, errors: list[ErrorDetails]) -> bool:
    """Return whether a list is too short only because items with errors of their own were removed from it."""
    loc = details["loc"]
    return details["type"] == "too_short" and any(e["loc"][: len(loc)] == loc and e["loc"] != loc for e in errors)


def _sentence(details: ErrorDetails, *, root: type[BaseModel], data: Any, secret: Collection[KeyPath]) -> str:
    key = (details.get("ctx") or {}).get("key")
    kind = details["type"]
    ends_in_key = bool(key) or kind == "missing"
    path = _path_in_file((*details["loc"], key) if key else details["loc"], data, ends_in_key=ends_in_key)
    prefix = f"{dotted(path)}: " if path else ""
    if kind == "extra_forbidden":
        return f"{prefix}the key is unknown; {_known_keys(path, root, data)}"
    if kind == "missing":
        return f"{prefix}the key is required"
    if kind in ("union_tag_not_found", "union_tag_invalid"):
        return prefix + _tag_sentence(details["ctx"])
    if kind in _OWN_TYPES:
        return prefix + details["msg"].removeprefix("Value error, ")
    return prefix + in_words(kind, details.get("ctx")) + (_got(details["input"]) if _is_printable(path, secret) else "")


def _tag_sentence(context: dict[str, Any]) -> str:
    key = str(context["discriminator"]).strip("'")
    if "tag" not in context:
        return f"the key {key} is required"
    return f"{key} {context['tag']!r} is unknown; known: {context['expected_tags'].replace(chr(39), '')}"


def _path_in_file(loc: KeyPath, data: Any, *, ends_in_key: bool) -> KeyPath:
    """Return `loc` without the parts that pydantic adds: the tag of a union and `[key]` of a dict.

    The tag is the kind of the section, which can also be the name of a key in it. `ends_in_key`: the last part is a
    key, present or missing.
    """
    path: list[str | int] = []
    may_be_tag = True
    for index, part in enumerate(loc):
        is_tag = may_be_tag and isinstance(data, Mapping) and part == data.get("kind")
        may_be_tag = may_be_tag and not is_tag
        if part == "[key]" or is_tag:
            continue
        there = part in data if isinstance(data, Mapping) else isinstance(data, list) and isinstance(part, int)
        if there:
            data, may_be_tag = data[part], True
        elif index < len(loc) - 1 or not (ends_in_key or _is_from_file(part, data)):
            continue
        path.append(part)
    return tuple(path)


def _is_from_file(key: str | int, section: Any) -> bool:
    """Return whether the file of another key gave the value."""
    return isinstance(section, Mapping) and f"{key}_file" in section


def _is_printable(path: KeyPath, secret: Collection[KeyPath]) -> bool:
    return path not in secret and not _SECRET_KEYS & {str(part) for part in path[-2:]}


def _got(value: Any) -> str:
    return f" (got {value})" if isinstance(value, str | int | float) and len(str(value)) <= 80 else ""


def _known_keys(path: KeyPath, root: type[BaseModel], data: Any) -> str:
    """Return the keys allowed at the last part of `path`. A key with a similar spelling comes first."""
    section = _model_at(path[:-1], root, data)
    known = sorted(section.model_fields) if section else []
    near = difflib.get_close_matches(str(path[-1]), known, n=1)
    return f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"


def _model_at(path: KeyPath, root: type[BaseModel], data: Any) -> type[BaseModel] | None:
    """Return the section at `path`. If there are several kinds, return the one that `data` selects, else the first."""
    here: Any = root
    kind = None
    for part in path:
        if typing.get_origin(here) in (dict, tuple):  # the part is a name or an index of the section
            here = typing.get_args(here)[typing.get_origin(here) is dict]
        else:
            section = _model_in(here, kind)
            field = section.model_fields.get(str(part)) if section else None
            here = field.annotation if field else None
        data = data.get(part) if isinstance(data, Mapping) else _item(data, part)
        kind = data.get("kind") if isinstance(data, Mapping) else None
    return _model_in(here, kind)


def _item(data: Any, part: str | int) -> Any:
    return data[part] if isinstance(data, list) and isinstance(part, int) else None


def _model_in(annotation: Any, kind: Any = None) -> type[BaseModel] | None:
    """Return the section class of that kind, or the first one, inside `annotation`: X, X | Y, dict[Name, X],
    Annotated[X, ...].
    """
    found = list(_models_in(annotation))
    return next((model for model in found if _is_of(model, kind)), found[0] if found else None)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and not isinstance(annotation, types.GenericAlias):
        if issubclass(annotation, BaseModel):
            yield annotation
        return
    for argument in typing.get_args(annotation):
        yield from _models_in(argument)


def _is_of(model: type[BaseModel], kind: Any) -> bool:
    field = model.model_fields.get("kind")
    return field is not None and kind in typing.get_args(field.annotation)
