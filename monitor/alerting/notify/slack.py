"""A receiver that posts alerts to a Slack incoming webhook."""

from collections.abc import Iterator, Mapping
from typing import Any, TextIO
from urllib.parse import quote

from monitor.alerting.notify.chat import Chat, build_chat, cut, links_of, utf16_units
from monitor.alerting.render import Rendered

# Slack allows 150 characters in a header, 3000 in a section, and about 13,200 in all blocks of a message.
_MOST_HEADER = 150
_MOST_SECTION = 2900
_MOST_TEXT = 7000
_MOST_LINKS = 1500
_MOST_FALLBACK = 500
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def message_of(payload: Mapping[str, Any], rendered: Rendered) -> dict[str, Any]:
    """Return the message for Slack, with fewer than 10,000 characters.

    `text` is what a notification shows. The title is a header, the text is preformatted, and the links are one section.
    """
    blocks = text_blocks(rendered)
    links = _links(payload)
    if links:
        blocks.append(_section(links))
    return {"text": fallback(rendered), "blocks": blocks}


def text_blocks(rendered: Rendered) -> list[dict[str, Any]]:
    """Return the title and the text as blocks: one header and up to four sections."""
    title = {"type": "plain_text", "text": _escaped(rendered.title or "driftd", _MOST_HEADER)}
    return [
        {"type": "header", "text": title},
        *(_section(f"```\n{part}\n```") for part in _parts(rendered.text)),
    ]


def fallback(rendered: Rendered) -> str:
    """Return the text of a phone notification."""
    return _escaped(rendered.summary or rendered.title or "driftd", _MOST_FALLBACK)


def _section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def _parts(text: str) -> Iterator[str]:
    """Yield the text in parts of whole lines, each within the limit of a section."""
    safe = cut(text.replace("```", "'''"), _MOST_TEXT, _size)
    part: list[str] = []
    for line in safe.splitlines():
        escaped = _escaped(line, _MOST_SECTION)
        if part and sum(map(utf16_units, "\n".join([*part, escaped]))) > _MOST_SECTION:
            yield "\n".join(part)
            part = []
        part.append(escaped)
    if part:
        yield "\n".join(part)


def _links(payload: Mapping[str, Any]) -> str:
    """Return the links in Slack's form. A link that exceeds the limit is left out."""
    text = ""
    for label, address in links_of(payload):
        link = f"<{_escaped(quote(address, safe=':/?#[]@!$&()*+,;=%~'), 3000)}|{label}>"
        if len(text) + len(link) + 3 <= _MOST_LINKS:
            text = f"{text} · {link}" if text else link
    return text


def _escaped(text: str, most: int) -> str:
    """Return the text with Slack's control characters escaped, with at most `most` characters."""
    return "".join(_ESCAPES.get(each, each) for each in cut(text, most, _size))


def _size(character: str) -> int:
    return len(_ESCAPES[character]) if character in _ESCAPES else utf16_units(character)


def build(name: str, options: Mapping[str, Any], output: TextIO) -> Chat:  # noqa: ARG001  the signature of a kind
    """Return a Slack receiver. `options` has `url`, `timeout_s` and `templates`."""
    return build_chat(name, options, message_of)
