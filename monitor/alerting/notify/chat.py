"""A receiver that posts each message to the incoming webhook of a chat service."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from monitor.alerting.notify.http import Poster
from monitor.alerting.render import Rendered, Templates, render
from monitor.alerting.sample import checked_templates
from monitor.domain.alert import Notification

Message = Callable[[Mapping[str, Any], Rendered], dict[str, Any]]
_LINKS = (
    ("dashboard", "Dashboard"),
    ("runbook", "Runbook"),
    ("silence", "Silence"),
    ("acknowledge", "Acknowledge"),
)


class Chat:
    """Posts the message of each notification. `message` makes the JSON of the service from payload and texts."""

    def __init__(self, poster: Poster, message: Message, templates: Templates | None = None) -> None:
        self._poster, self._message, self._templates = poster, message, templates

    @property
    def name(self) -> str:
        return self._poster.name

    def reach(self) -> None:
        self._poster.reach()

    def send(self, notification: Notification) -> None:
        payload = notification.payload
        self._poster.post(self._message(payload, render(payload, self._templates)))

    def close(self) -> None:
        self._poster.close()


def build_chat(name: str, options: Mapping[str, Any], message: Message) -> Chat:
    """Return a receiver of a chat service. `options` has `url`, `timeout_s` and `templates`."""
    templates = checked_templates(name, options.get("templates", {}))
    return Chat(Poster(name, options["url"], options["timeout_s"]), message, templates)


def links_of(payload: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield label and address of each link of the payload that is an http address."""
    links = payload.get("links") or {}
    for key, label in _LINKS:
        address = links.get(key)
        if isinstance(address, str) and address.startswith(("http://", "https://")):
            yield label, address


def cut(text: str, most: int, size: Callable[[str], int] = len) -> str:
    """Return the text, or its longest start that has at most `most` units with `…` at its end.

    `size` is the number of units of a character.

    >>> cut("driftd", 4)
    'dri…'
    """
    if sum(map(size, text)) <= most:
        return text
    left = most - size("…")
    for index, character in enumerate(text):
        left -= size(character)
        if left < 0:
            return f"{text[:index]}…"
    return text


def utf16_units(character: str) -> int:
    """Return the number of UTF-16 code units of a character: 1 or 2."""
    return 1 if ord(character) < 0x10000 else 2
