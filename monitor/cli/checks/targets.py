"""Checks targets: a request without cost, and a request for one token with --call-targets."""

import asyncio
import secrets

from monitor import parts
from monitor.cli.checks.line import Line, fail, ok, warn
from monitor.config.application_targets import CommandTarget, HttpTarget
from monitor.config.tree import TargetConfig
from replay.errors import CallError, ReplayError
from replay.targets.base import CallContext, Listing, Target
from replay.targets.failure import ErrorClass
from replay.types import Case, Message

PATIENCE_S = 10.0  # a check must be short, even if answers are slow
MOST_LISTED = 5
QUESTION = Case(id="driftd-check", input=(Message(role="user", content="Reply with OK."),))
# The model responded. Only a replay judges the answer.
ANSWERED = {ErrorClass.UNKNOWN_CASE, ErrorClass.EMPTY_REPLY, ErrorClass.CONTENT_FILTER}
HINTS = {
    ErrorClass.AUTH: "correct api_key or api_key_file",
    ErrorClass.CONNECTION: "check {key} and whether the server runs",
    ErrorClass.TIMEOUT: "check {key} and whether the server runs",
    ErrorClass.NOT_FOUND: "check {key} and the name of the model",
    ErrorClass.QUOTA: "the account has no credit left",
}


def check_target(name: str, section: TargetConfig, *, ask: bool) -> Line:
    """Check one target. Only `ask` sends a request that costs a token."""
    check = f"target {name}"
    try:
        return asyncio.run(_call(check, section, ask=ask))
    except CallError as error:
        hint = HINTS.get(ErrorClass(error.error_class), "see the log of the server")
        hint = "check command" if section.kind == "command" else hint.format(key=_address(section))
        return fail(check, f"{section.where} cannot be used: {error}; {hint}")
    except ReplayError as error:
        return fail(check, str(error))


def _address(section: TargetConfig) -> str:
    return "url" if section.kind == "http" else "base_url"


async def _call(check: str, section: TargetConfig, *, ask: bool) -> Line:
    short = {"timeout_s": min(PATIENCE_S, section.timeout_s), "max_tokens": 1, "system_prompt": None, "template": None}
    known = {key: value for key, value in short.items() if key in type(section).model_fields}
    target = parts.target(section.model_copy(update=known))
    try:
        if ask:
            return await _call_target(check, section, target)
        if isinstance(target, Listing):
            return _listed(check, section, await target.check())
        return warn(check, f"a target of kind {section.kind} is tested only with --call-targets")
    finally:
        await target.aclose()


def _listed(check: str, section: TargetConfig, models: frozenset[str] | None) -> Line:
    if isinstance(section, HttpTarget | CommandTarget):
        return ok(check, f"{section.where} is reachable; --call-targets tests its answers")
    if models is None:
        return warn(check, f"{section.where} is reachable and has no list of models; --call-targets requests one token")
    if section.model in models:
        return ok(check, f"{section.where} lists {section.model}")
    names = sorted(models)
    listed = ", ".join(names[:MOST_LISTED]) + (
        f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    )
    return warn(
        check,
        f"{section.where} does not list {section.model}, but {listed or 'nothing'}; --call-targets tests its answers",
    )


async def _call_target(check: str, section: TargetConfig, target: Target) -> Line:
    context = CallContext(run_id="driftd-check", trace_id=secrets.token_hex(16), span_id=secrets.token_hex(8))
    try:
        reply = await target.call(QUESTION, 0, context)
    except CallError as error:
        if ErrorClass(error.error_class) not in ANSWERED:
            raise
        return ok(check, f"{section.where} answers{_for(section.model)} ({error})")
    served = reply.model or section.model
    return ok(check, f"{section.where} answers{_for(served, 'as')} in {reply.latency_ms:.0f} ms")


def _for(model: str, word: str = "for") -> str:
    return f" {word} {model}" if model else ""
