"""The targets: a dry call to each, and one token's worth of an answer when asked for."""

import asyncio
import secrets

from monitor import parts
from monitor.cli.checks.line import Line, fail, ok, warn
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
    ErrorClass.CONNECTION: "is base_url right, and is the server up?",
    ErrorClass.TIMEOUT: "is base_url right, and is the server up?",
    ErrorClass.NOT_FOUND: "is base_url right, and the name of the model?",
    ErrorClass.QUOTA: "the account has nothing left to spend",
}


def check_target(name: str, section: TargetConfig, *, ask: bool) -> Line:
    """`ask` spends a token; without it nothing is spent."""
    check = f"target {name}"
    try:
        return asyncio.run(_call(check, section, ask=ask))
    except CallError as error:
        hint = HINTS.get(ErrorClass(error.error_class), "look at the server's own log")
        return fail(check, f"{section.base_url} cannot serve: {error}; {hint}")
    except ReplayError as error:
        return fail(check, str(error))


async def _call(check: str, section: TargetConfig, *, ask: bool) -> Line:
    short = {"timeout_s": min(PATIENCE_S, section.timeout_s), "max_tokens": 1, "system_prompt": None}
    target = parts.target(section.model_copy(update=short))
    try:
        if ask:
            return await _ask(check, section, target)
        if isinstance(target, Listing):
            return _listed(check, section, await target.check())
        return warn(check, f"a target of kind {section.kind} has no dry call; --ask asks it for one token")
    finally:
        await target.aclose()


def _listed(check: str, section: TargetConfig, models: frozenset[str] | None) -> Line:
    if models is None:
        return warn(check, f"{section.base_url} is there and has no list of models; --ask asks it for one token")
    if section.model in models:
        return ok(check, f"{section.base_url} lists {section.model}")
    names = sorted(models)
    listed = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
    return warn(
        check, f"{section.base_url} does not list {section.model}, but {listed or 'nothing'}; --ask tells if it answers"
    )


async def _ask(check: str, section: TargetConfig, target: Target) -> Line:
    context = CallContext(run_id="driftd-check", trace_id=secrets.token_hex(16), span_id=secrets.token_hex(8))
    try:
        reply = await target.call(QUESTION, 0, context)
    except CallError as error:
        if ErrorClass(error.error_class) not in ANSWERED:
            raise
        return ok(check, f"{section.base_url} answers for {section.model} ({error})")
    return ok(check, f"{section.base_url} answers as {reply.model or section.model} in {reply.latency_ms:.0f} ms")
