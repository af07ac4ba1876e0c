"""A receiver that posts alerts to a Discord webhook."""

import re
from collections.abc import Mapping
from typing import Any, TextIO

from monitor.alerting.notify.chat import Chat, build_chat, cut, links_of, utf16_units
from monitor.alerting.render import Rendered

# Discord allows 2000 characters of content, 256 of a title, 4096 of a description, 1024 of a field, and 6000 in all
# embeds. It counts UTF-16 code units.
_MOST_CONTENT = 900  # before Markdown is escaped, which doubles the length at most
_MOST_TITLE = 120
_MOST_TEXT = 3800
_MOST_LINK = 450
_MARKDOWN = re.compile(r"([\\*_~`|>\[\]()#<@:-])")
_COLORS = {"critical": 0xC62828, "warning": 0xF9A825, "info": 0x1565C0}
_RESOLVED = 0x2E7D32


def message_of(payload: Mapping[str, Any], rendered: Rendered) -> dict[str, Any]:
    """Return the message for Discord. It mentions no one: names from outside cannot notify people."""
    text = cut(rendered.text.replace("```", "'''"), _MOST_TEXT, utf16_units)
    embed: dict[str, Any] = {
        "title": _escaped(rendered.title or "driftd", _MOST_TITLE),
        "description": f"```\n{text}\n```",
        "color": _color(payload),
    }
    fields = [
        {"name": label, "value": address, "inline": False}
        for label, address in links_of(payload)
        if sum(map(utf16_units, address)) <= _MOST_LINK
    ]
    if fields:
        embed["fields"] = fields
    return {
        "content": _escaped(rendered.summary or rendered.title or "driftd", _MOST_CONTENT),
        "allowed_mentions": {"parse": []},
        "embeds": [embed],
    }


def _escaped(text: str, most: int) -> str:
    return _MARKDOWN.sub(r"\\\1", cut(text, most, utf16_units))


def _color(payload: Mapping[str, Any]) -> int:
    alert = payload.get("alert") or {}
    if alert.get("state") == "resolved":
        return _RESOLVED
    return _COLORS.get(str(alert.get("severity")), _COLORS["info"])


def build(name: str, options: Mapping[str, Any], output: TextIO) -> Chat:  # noqa: ARG001  the signature of a kind
    """Return a Discord receiver. `options` has `url`, `timeout_s` and `templates`."""
    return build_chat(name, options, message_of)
