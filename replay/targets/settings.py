"""What every kind of target is told."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

PromptSource = Literal["config", "announced", "observed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetSettings:
    """The deployed prompt, the price of tokens, and how hard the target may be pressed.

    The system message that goes before every case is `system_prompt` as it stands, or `template`, a Jinja template that
    `variables` fill; those of a case come on top. `prompt_from` says where the text was taken from. A cost is counted
    when both prices are there. `timeout_s` bounds one answer with all the calls that it takes, `max_reply_bytes` what
    those calls receive and what it decompresses to, `max_reply_chars` the text and the tool calls of the answer.
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
