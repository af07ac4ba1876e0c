"""The targets: a dry call to each, and one token's worth of an answer when asked for."""

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

PATIENCE_S = 10.0  # a dry call is short, whatever an answer may take
SHOWN = 5
QUESTION = Case(id="driftd-check", input=(Message(role="user", content="Reply with OK."),))
# The model was reached and had its say: to judge it is a replay's work.
ANSWERED = {ErrorClass.UNKNOWN_CASE, ErrorClass.EMPTY_REPLY, ErrorClass.CONTENT_FILTER}
HINTS = {
    ErrorClass.AUTH: "give the right api_key or api_key_file",
    ErrorClass.CONNECTION: "is {key} right, and is the server up?",
    ErrorClass.TIMEOUT: "is {key} right, and is the server up?",
    ErrorClass.NOT_FOUND: "is {key} right, and the name of the model?",
    ErrorClass.QUOTA: "the account has nothing left to spend",
}


def check_target(name: str, section: TargetConfig, *, ask: bool) -> Line:
    """`ask` spends a token; without it nothing is spent."""
    check = f"target {name}"
    try:
        return asyncio.run(_call(check, section, ask=ask))
    except CallError as error:
        hint = HINTS.get(ErrorClass(error.error_class), "look at the server's own log")
        hint = "is command right?" if section.kind == "command" else hint.format(key=_address(section))
        return fail(check, f"{section.where} cannot serve: {error}; {hint}")
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
            return await _ask(check, section, target)
        if isinstance(target, Listing):
            return _listed(check, section, await target.check())
        return warn(check, f"a target of kind {section.kind} has no dry call; --call-targets asks it for an answer")
    finally:
        await target.aclose()


def _listed(check: str, section: TargetConfig, models: frozenset[str] | None) -> Line:
    if isinstance(section, HttpTarget | CommandTarget):
        return ok(check, f"{section.where} is there; --call-targets tells if it answers")
    if models is None:
        return warn(check, f"{section.where} is there and has no list of models; --call-targets asks it for one token")
    if section.model in models:
        return ok(check, f"{section.where} lists {section.model}")
    names = sorted(models)
    listed = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
    return warn(
        check,
        f"{section.where} does not list {section.model}, but {listed or 'nothing'}; --call-targets tells if it answers",
    )


async def _ask(check: str, section: TargetConfig, target: Target) -> Line:
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
