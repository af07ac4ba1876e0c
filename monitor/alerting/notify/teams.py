"""A receiver that posts alerts to a Microsoft Teams workflow as an Adaptive Card."""

import json
from collections.abc import Mapping
from typing import Any, TextIO

from monitor.alerting.notify.chat import Chat, build_chat, cut, links_of
from monitor.alerting.render import Rendered

_MOST_BYTES = 27_000  # Teams allows 28 kB
_MOST_LINE = 1000  # characters
_MOST_LINES = 300


def message_of(payload: Mapping[str, Any], rendered: Rendered) -> dict[str, Any]:
    """Return the message for Teams. Lines at the end of the text are left out if the message is too large.

    Each line is a RichTextBlock, which does not interpret Markdown: names from outside cannot make links.
    """
    lines = rendered.text.splitlines()[:_MOST_LINES]
    message = _message(payload, rendered, lines)
    while len(json.dumps(message)) > _MOST_BYTES and lines:
        lines = [*lines[: len(lines) * 9 // 10], "…"] if len(lines) > 2 else []
        message = _message(payload, rendered, lines)
    return message


def _message(payload: Mapping[str, Any], rendered: Rendered, lines: list[str]) -> dict[str, Any]:
    title = _line(rendered.title, weight="Bolder", size="Medium")
    card: dict[str, Any] = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "fallbackText": cut(rendered.summary or rendered.title, _MOST_LINE),
        "body": [title, *(_line(line, fontType="Monospace", size="Small") for line in lines)],
        "msteams": {"width": "Full"},
    }
    actions = [
        {"type": "Action.OpenUrl", "title": label, "url": address}
        for label, address in links_of(payload)
        if len(address) <= 2000
    ]
    if actions:
        card["actions"] = actions
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": card}
    return {"type": "message", "attachments": [attachment]}


def _line(text: str, **style: str) -> dict[str, Any]:
    run = {"type": "TextRun", "text": cut(text, _MOST_LINE) or " ", **style}
    return {"type": "RichTextBlock", "spacing": "None", "inlines": [run]}


def build(name: str, options: Mapping[str, Any], output: TextIO) -> Chat:  # noqa: ARG001  the signature of a kind
    """Return a Teams receiver. `options` has `url`, `timeout_s` and `templates`."""
    return build_chat(name, options, message_of)
