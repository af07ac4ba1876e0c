"""The settings of every kind of target."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

PromptSource = Literal["config", "announced", "observed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetSettings:
    """The deployed prompt, the price of tokens, and the limits of the target.

    The system message before every case is `system_prompt` without changes, or `template`, a Jinja template filled from
    `variables`; the variables of a case have priority. `prompt_from` is the source of the text. A cost is computed if
    both prices are set. `timeout_s` limits one answer including all its calls, `max_reply_bytes` the bytes that these
    calls receive and their decompressed size, `max_reply_chars` the text and the tool calls of the answer.
    """

    system_prompt: str | None = field(default=None, repr=False)
    template: str | None = field(default=None, repr=False)
    variables: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)
    prompt_id: str | None = None
    prompt_version: str | None = None
    prompt_from: PromptSource = "config"
    input_usd_per_mtok: float | None = None
    output_usd_per_mtok: float | None = None
    timeout_s: float = 60.0
    concurrency: int = 16
    max_reply_bytes: int = 16 * 2**20
    max_reply_chars: int = 1_000_000
