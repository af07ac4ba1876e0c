"""Langfuse's drop-in replacement of OpenAI's client."""

import os

import contract

os.environ |= {
    "LANGFUSE_PUBLIC_KEY": "pk",
    "LANGFUSE_SECRET_KEY": contract.TOKEN,
    "LANGFUSE_BASE_URL": contract.OTLP,
}

import openai_calls
from langfuse import get_client, observe, propagate_attributes
from langfuse.openai import openai

langfuse = get_client()


def client() -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{contract.PROVIDER}/v1", api_key="none")


@observe()
def turns() -> None:
    with propagate_attributes(session_id=contract.CONVERSATION):
        openai_calls.turns(client())


@observe()
def feedback() -> None:
    openai_calls.plain(client())
    langfuse.score_current_trace(name="user_feedback", value=0, data_type="BOOLEAN", comment="wrong")


contract.run({**openai_calls.scenarios(client), "turns": turns, "feedback": feedback})
langfuse.shutdown()
