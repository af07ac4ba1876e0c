"""Replies and cases for the tests of scorers."""

from replay.types import Case, Message, Reply


def reply(text: str) -> Reply:
    return Reply(text=text, latency_ms=1.0)


def case(*references: str) -> Case:
    return Case(id="c1", input=(Message(role="user", content="?"),), references=references)
