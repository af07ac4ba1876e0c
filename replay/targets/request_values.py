"""The values of a case for the templates of requests and the input of a command."""

from typing import Any

from replay.evalsets.message_codec import message_to_json
from replay.evalsets.tool_codec import results_to_json, tools_to_json
from replay.targets.base import CallContext
from replay.types import Case


def request_values(case: Case, system: str | None, sample: int, context: CallContext) -> dict[str, Any]:
    """Return plain JSON values.

    `question` is the last message of the user, `messages` the whole conversation (content is a text, or a list of texts
    and images), `system` the rendered prompt, None without one.
    """
    return {
        "case_id": case.id,
        "sample": sample,
        "run_id": context.run_id,
        "question": case.last_user_text,
        "messages": [message_to_json(message) for message in case.input],
        "system": system,
        "variables": dict(case.variables),
        "tools": tools_to_json(case.tools),
        "tool_results": results_to_json(case.tool_results),
    }
