"""The documented rules of the chat services. A check raises AssertionError for a message that breaks them."""

import json
from collections.abc import Callable, Mapping
from typing import Any


def fields(where: str, value: Any, required: Mapping[str, type], optional: Mapping[str, type] | None = None) -> None:
    """Require an object with exactly these fields."""
    known = {**required, **(optional or {})}
    assert isinstance(value, dict), f"{where} must be an object"
    assert required.keys() <= value.keys(), f"{where} lacks {required.keys() - value.keys()}"
    assert value.keys() <= known.keys(), f"{where} has unknown fields {value.keys() - known.keys()}"
    for name, each in value.items():
        assert isinstance(each, known[name]), f"{where}.{name} must be {known[name].__name__}"


def text(where: str, value: str, most: int) -> None:
    """Require 1 to `most` UTF-16 code units."""
    size = len(value.encode("utf-16-le")) // 2
    assert 1 <= size <= most, f"{where} has {size} characters; allowed: 1 to {most}"


def slack(message: Any) -> None:
    """Blocks of https://docs.slack.dev/reference/block-kit/blocks; the limit of all characters is that of RECEIVERS."""
    fields("message", message, {"text": str}, {"blocks": list})
    text("text", message["text"], 4000)
    assert len(message.get("blocks", [])) <= 50, "too many blocks"
    for block in message.get("blocks", []):
        fields("block", block, {"type": str, "text": dict}, {"block_id": str})
        kinds = {"header": ("plain_text", 150), "section": ("mrkdwn", 3000)}
        kind, most = kinds[block["type"]]
        fields("text", block["text"], {"type": str, "text": str})
        assert block["text"]["type"] == kind
        text(block["type"], block["text"]["text"], most)
    assert len(json.dumps(message, ensure_ascii=False)) < 13_200, "msg_blocks_too_long"


def teams(message: Any) -> None:
    """An Adaptive Card 1.4 in a message of at most 28 kB."""
    assert len(json.dumps(message).encode()) <= 28 * 1024, "the message is too large"
    fields("message", message, {"type": str, "attachments": list})
    assert message["type"] == "message"
    [attachment] = message["attachments"]
    fields("attachment", attachment, {"contentType": str, "contentUrl": type(None), "content": dict})
    assert attachment["contentType"] == "application/vnd.microsoft.card.adaptive"
    card = attachment["content"]
    required = {"$schema": str, "type": str, "version": str, "body": list}
    fields("card", card, required, {"actions": list, "fallbackText": str, "msteams": dict})
    assert (card["type"], card["version"]) == ("AdaptiveCard", "1.4")
    for block in card["body"]:
        fields("block", block, {"type": str, "inlines": list}, {"spacing": str})
        assert block["type"] == "RichTextBlock"
        assert block.get("spacing") in {None, "None", "Small", "Default", "Medium", "Large"}
        for run in block["inlines"]:
            fields("run", run, {"type": str, "text": str}, {"weight": str, "size": str, "fontType": str})
            assert run["type"] == "TextRun"
            assert run.get("weight") in {None, "Default", "Lighter", "Bolder"}
            assert run.get("size") in {None, "Default", "Small", "Medium", "Large", "ExtraLarge"}
            assert run.get("fontType") in {None, "Default", "Monospace"}
    for action in card.get("actions", []):
        fields("action", action, {"type": str, "title": str, "url": str})
        assert action["type"] == "Action.OpenUrl"


def discord(message: Any) -> None:
    """https://docs.discord.com/developers/resources/webhook#execute-webhook and the limits of an embed."""
    optional = {"content": str, "embeds": list, "allowed_mentions": dict, "username": str}
    fields("message", message, {}, optional)
    if "content" in message:
        text("content", message["content"], 2000)
    fields("allowed_mentions", message["allowed_mentions"], {"parse": list})
    assert set(message["allowed_mentions"]["parse"]) <= {"roles", "users", "everyone"}
    total = 0
    assert len(message.get("embeds", [])) <= 10
    for embed in message.get("embeds", []):
        fields("embed", embed, {}, {"title": str, "description": str, "color": int, "fields": list, "url": str})
        assert len(embed.get("fields", [])) <= 25
        assert 0 <= embed.get("color", 0) <= 0xFFFFFF
        texts = [("title", embed.get("title"), 256), ("description", embed.get("description"), 4096)]
        for each in embed.get("fields", []):
            fields("field", each, {"name": str, "value": str}, {"inline": bool})
            texts += [("name", each["name"], 256), ("value", each["value"], 1024)]
        for where, value, most in texts:
            if value is not None:
                text(where, value, most)
                total += len(value.encode("utf-16-le")) // 2
    assert total <= 6000, f"embeds have {total} characters"


RULES: Mapping[str, Callable[[Any], None]] = {"slack": slack, "teams": teams, "discord": discord}
