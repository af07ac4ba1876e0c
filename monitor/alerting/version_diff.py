"""The differences between two versions that a person compares: model, parameters and prompt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from typing import Any, Literal

What = Literal["model", "prompt", "parameters"]
MOST_LINES = 12  # of the diff of a prompt in one message
_DIGEST = 12  # hex digits of a digest that people read

_NAMES: Mapping[str, tuple[What, str]] = {
    "response_model": ("model", "served model"),
    "request_model": ("model", "requested model"),
    "prompt": ("prompt", "prompt"),
}
_PARAMETERS = ("temperature", "top_p", "max_tokens", "seed", "settings_hash")


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One value that differs. A prompt without a name is identified by its digest. None means that it is not set."""

    what: What
    name: str
    before: str | None
    after: str | None


def identity_differences(before: Mapping[str, str], after: Mapping[str, str]) -> list[Difference]:
    """Return the fields of two identities that differ, in the order of `after`.

    >>> identity_differences({"response_model": "gpt-4-0314"}, {"response_model": "gpt-4-0613"})
    [Difference(what='model', name='served model', before='gpt-4-0314', after='gpt-4-0613')]
    """
    return [
        Difference(what=_NAMES[name][0], name=_NAMES[name][1], before=_value(before, name), after=_value(after, name))
        for name in (*after, *(name for name in before if name not in after))
        if name in _NAMES and before.get(name) != after.get(name)
    ]


def parameter_differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """Return the parameters that differ between the target sections of two manifests.

    >>> parameter_differences({"temperature": 0.0}, {"temperature": 0.7})
    [Difference(what='parameters', name='temperature', before='0.0', after='0.7')]
    """
    return [
        Difference(what="parameters", name=name.replace("_", " "), before=_text(before, name), after=_text(after, name))
        for name in _PARAMETERS
        if before.get(name) != after.get(name)
    ]


def prompt_lines(before: str, after: str) -> list[str]:
    r"""Return the changed lines of a prompt: `- old` and `+ new`, at most MOST_LINES.

    >>> prompt_lines("Be brief.\nAnswer in French.", "Be brief.\nAnswer in English.")
    ['- Answer in French.', '+ Answer in English.']
    """
    lines = unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    changed = [f"{line[0]} {line[1:]}" for line in lines if line[:1] in "+-" and line[:3] not in {"+++", "---"}]
    return limited(changed, MOST_LINES)


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
