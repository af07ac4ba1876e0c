"""What a span is to the model calls around it, in the words that conventions use for the kinds of their spans."""

from enum import Enum
from typing import Any


class Role(Enum):
    """A call beneath a `STEP` may be the request of a call above it; beneath a `TOOL` it is a request of its own."""

    CALL = "call"
    STEP = "step"  # a chain, an agent, a workflow, a prompt template, a parser
    TOOL = "tool"  # a tool, a retrieval, an embedding, a guardrail, an evaluation


CALL, STEP, TOOL = Role.CALL, Role.STEP, Role.TOOL  # an enum takes long to find its members

_STEPS = frozenset(
    ["chain", "agent", "workflow", "task", "prompt", "parser", "memory", "create_agent", "invoke_agent",
     "invoke_workflow"]
)  # fmt: skip
_TOOLS = frozenset(
    ["tool", "execute_tool", "retriever", "retrieval", "reranker", "rerank", "embedding", "embeddings", "guardrail",
     "evaluator", "evaluation", "event", "moderation", "image_generation", "transcription", "speech"]
)  # fmt: skip


def role_of_kind(kind: Any, calls: frozenset[str]) -> Role | None:
    """The role that the kind of a span names; None for a word that is no known kind, and for what is no text.

    >>> [role_of_kind(kind, frozenset(["LLM"])) for kind in ("LLM", "RETRIEVER", "span")]
    [<Role.CALL: 'call'>, <Role.TOOL: 'tool'>, None]
    """
    if not isinstance(kind, str):
        return None
    if kind in calls:
        return CALL
    word = kind.lower()
    return STEP if word in _STEPS else TOOL if word in _TOOLS else None
