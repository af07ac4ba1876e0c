"""LangChain with Langfuse's callback."""

import os

import contract

os.environ |= {
    "LANGFUSE_PUBLIC_KEY": "pk",
    "LANGFUSE_SECRET_KEY": contract.TOKEN,
    "LANGFUSE_BASE_URL": contract.OTLP,
}

import langchain_calls
from langfuse import get_client
from langfuse.langchain import CallbackHandler

handler = CallbackHandler()


def turns() -> None:
    session = {"langfuse_session_id": contract.CONVERSATION}
    langchain_calls.turns({"callbacks": [handler], "metadata": session})


contract.run({**langchain_calls.scenarios([handler]), "turns": turns})
get_client().shutdown()
