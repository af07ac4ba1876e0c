"""The role of a span in its trace, by the span kinds of all conventions."""

from enum import Enum
from typing import Any


class Role(Enum):
    """A call below a `STEP` may be the same request as a call above it. A call below a `TOOL` is a separate request."""

    CALL = "call"
    STEP = "step"  # a chain, an agent, a workflow, a prompt template, a parser
    TOOL = "tool"  # a tool, a retrieval, an embedding, a guardrail, an evaluation


CALL, STEP, TOOL = Role.CALL, Role.STEP, Role.TOOL  # attribute access on an enum is slow

_STEPS = frozenset(
    ["chain", "agent", "workflow", "task", "prompt", "parser", "memory", "create_agent", "invoke_agent",
     "invoke_workflow"]
)  # fmt: skip
_TOOLS = frozenset(
    ["tool", "execute_tool", "retriever", "retrieval", "reranker", "rerank", "embedding", "embeddings", "guardrail",
     "evaluator", "evaluation", "event", "moderation", "image_generation", "transcription", "speech"]
)  # fmt: skip


def role_of_kind(kind: Any, calls: frozenset[str]) -> Role | None:
    """Return the role that a span kind names; None for an unknown kind and for a value that is not text.

    >>> [role_of_kind(kind, frozenset(["LLM"])) for kind in ("LLM", "RETRIEVER", "span")]
    [<Role.CALL: 'call'>, <Role.TOOL: 'tool'>, None]
    """
    if not isinstance(kind, str):
        return None
    if kind in calls:
        return CALL
    word = kind.lower()
    return STEP if word in _STEPS else TOOL if word in _TOOLS else None
