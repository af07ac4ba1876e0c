"""The differences between two versions that a person compares: model, parameters and prompt."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from typing import Any, Literal

What = Literal["model", "prompt", "parameters"]
MOST_LINES = 12  # of the diff of a prompt in one message
_DIGEST = 12  # hex digits of a digest that people read
_LINE_DIGEST = 8

_NAMES: Mapping[str, tuple[What, str]] = {
    "response_model": ("model", "served model"),
    "request_model": ("model", "requested model"),
    "prompt": ("prompt", "prompt"),
}
_PARAMETERS = ("temperature", "top_p", "max_tokens", "seed", "settings_hash")


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One value that differs. A prompt without a name is identified by its digest. None means that it is not set.

    `lines` are the changed lines of a prompt whose two texts are known, each as a digest.
    """

    what: What
    name: str
    before: str | None
    after: str | None
    lines: tuple[str, ...] = ()


def identity_differences(before: Mapping[str, str], after: Mapping[str, str]) -> list[Difference]:
    """Return the fields of two identities that differ, in the order of `after`.

    >>> identity_differences({"response_model": "gpt-4-0314"}, {"response_model": "gpt-4-0613"})
    [Difference(what='model', name='served model', before='gpt-4-0314', after='gpt-4-0613', lines=())]
    """
    return [
        Difference(what=_NAMES[name][0], name=_NAMES[name][1], before=_value(before, name), after=_value(after, name))
        for name in (*after, *(name for name in before if name not in after))
        if name in _NAMES and before.get(name) != after.get(name)
    ]


def parameter_differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """Return the parameters that differ between the target sections of two manifests.

    >>> parameter_differences({"temperature": 0.0}, {"temperature": 0.7})
    [Difference(what='parameters', name='temperature', before='0.0', after='0.7', lines=())]
    """
    return [
        Difference(what="parameters", name=name.replace("_", " "), before=_text(before, name), after=_text(after, name))
        for name in _PARAMETERS
        if before.get(name) != after.get(name)
    ]


def prompt_lines(before: str, after: str, shown: Callable[[str], str] = str) -> list[str]:
    r"""Return the changed lines of a prompt: `- old` and `+ new`, at most MOST_LINES. `shown` is applied to each line.

    >>> prompt_lines("Be brief.\nAnswer in French.", "Be brief.\nAnswer in English.")
    ['- Answer in French.', '+ Answer in English.']
    >>> prompt_lines("Be brief.\nAnswer in French.", "Be brief.", digest_of)
    ['- sha256 59c30e71']
    """
    lines = unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    next(lines, None), next(lines, None)  # the two lines that name the files
    changed = [f"{line[0]} {shown(line[1:])}" for line in lines if line[:1] in "+-"]
    return limited(changed, MOST_LINES)


def digest_of(line: str) -> str:
    """Return a line of a prompt as the begin of its SHA-256, for receivers that may not read the prompt."""
    return f"sha256 {hashlib.sha256(line.encode()).hexdigest()[:_LINE_DIGEST]}"


def limited(lines: Sequence[str], most: int) -> list[str]:
    """Return the first lines. The last one counts those that are left out.

    >>> limited(["a", "b", "c", "d"], 3)
    ['a', 'b', '… 2 more']
    """
    return list(lines) if len(lines) <= most else [*lines[: most - 1], f"… {len(lines) - most + 1} more"]


def _value(identity: Mapping[str, str], name: str) -> str | None:
    value = identity.get(name)
    if name == "prompt" and value and len(value) == 64 and set(value) <= set("0123456789abcdef"):
        return f"sha256 {value[:_DIGEST]}"
    return value or None


def _text(values: Mapping[str, Any], name: str) -> str | None:
    value = values.get(name)
    return None if value is None else str(value)
