"""A receiver that keeps one Slack message with a thread for each group of alerts, through the Slack Web API."""

import json
from collections.abc import Mapping
from typing import Any, TextIO

from monitor.alerting.notify.base import ReceiverRefused, ReceiverUnavailable
from monitor.alerting.notify.chat import links_of
from monitor.alerting.notify.http import Poster, Reply
from monitor.alerting.notify.memory import GroupMemory, ProcessMemory
from monitor.alerting.notify.slack import fallback, message_of, text_blocks
from monitor.alerting.render import Rendered, Templates, render
from monitor.alerting.sample import checked_templates
from monitor.domain.alert import Notification, NotifyReason

# https://docs.slack.dev/reference/block-kit/block-elements/button-element: 3000 characters of a URL. All blocks of a
# message together have about 13,200, so links are shorter here.
_MOST_URLS = 1500
_BUSY = frozenset(
    {
        "ratelimited",
        "rate_limited",
        "internal_error",
        "fatal_error",
        "service_unavailable",
        "request_timeout",
        "team_added_to_org",
    }
)
_LOST = frozenset({"message_not_found", "thread_not_found"})  # a person deleted the message
_FIXED = frozenset({"cant_update_message", "edit_window_closed"})  # rules of the workspace forbid the edit
_BROADCAST = {NotifyReason.WORSE.value, NotifyReason.ESCALATION.value}
_EDITS = {NotifyReason.ACKNOWLEDGED.value, NotifyReason.RESOLVED.value}
_HINTS = {
    "not_in_channel": "invite the app to the channel",
    "channel_not_found": "use the id of the channel, and invite the app to a private channel",
    "missing_scope": "the app needs the scope chat:write",
    "invalid_auth": "the token is not valid in this workspace",
}


class _Failed(Exception):
    """Slack responded with `ok: false` and this error."""

    def __init__(self, error: str, retry_after_s: float) -> None:
        super().__init__(error)
        self.error, self.retry_after_s = error, retry_after_s


class SlackApi:
    """Posts a message for a new group of alerts, and each later notification of the group as a reply in its thread.

    An acknowledgement and the resolution edit the message too. A reply about a worse alert or an escalation is also
    shown in the channel. `memory` has channel and timestamp of the message of each group. A kill between a post and
    its record posts the message a second time; the edit of a message can be repeated. If a person deleted the
    message, the next notification posts a new one.

    With `buttons` the message has a button Acknowledge that Slack reports to driftd.
    """

    def __init__(
        self,
        poster: Poster,
        token: str,
        channel: str,
        *,
        memory: GroupMemory,
        templates: Templates | None = None,
        buttons: bool = False,
    ) -> None:
        self._poster, self._channel, self._memory, self._templates = poster, channel, memory, templates
        self._headers = {"Authorization": f"Bearer {token}"}
        self._buttons = buttons

    @property
    def name(self) -> str:
        return self._poster.name

    def reach(self) -> None:
        self._poster.reach()

    def send(self, notification: Notification) -> None:
        try:
            self._deliver(notification)
        except _Failed as failed:
            raise self._error(failed) from None

    def close(self) -> None:
        self._poster.close()

    def _deliver(self, notification: Notification) -> None:
        payload = notification.payload
        rendered = render(payload, self._templates)
        if payload.get("reason") == "test":
            self._call("chat.postMessage", {"channel": self._channel, **message_of(payload, rendered)})
            return
        group_id = (payload.get("group") or {}).get("id") or notification.group_id or notification.alert_id
        message = main_message(group_id, payload, rendered, buttons=self._buttons)
        stored = self._memory.get(group_id)
        if stored is None or not self._follow_up(json.loads(stored), payload, message, rendered):
            reply = self._call("chat.postMessage", {"channel": self._channel, **message})
            self._memory.put(group_id, json.dumps({"channel": reply["channel"], "ts": reply["ts"]}))

    def _follow_up(
        self, place: Mapping[str, str], payload: Mapping[str, Any], message: Mapping[str, Any], rendered: Rendered
    ) -> bool:
        """Reply in the thread of the group's message. Return False if the message is gone.

        The edit comes first: if the reply fails, both are repeated, and a repeated edit changes nothing.
        """
        reason = payload.get("reason")
        try:
            if reason in _EDITS:
                self._edit({"channel": place["channel"], "ts": place["ts"], **message})
            shown = {"reply_broadcast": True} if reason in _BROADCAST else {}
            thread = {"channel": place["channel"], "thread_ts": place["ts"], **shown}
            self._call("chat.postMessage", {**thread, **message_of(payload, rendered)})
        except _Failed as failed:
            if failed.error in _LOST:
                return False
            raise
        return True

    def _edit(self, body: Mapping[str, Any]) -> None:
        try:
            self._call("chat.update", body)
        except _Failed as failed:
            if failed.error not in _FIXED:
                raise

    def _call(self, method: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the response of a method. Raise _Failed if it is an error."""
        reply = self._poster.ask(body, self._headers, path=f"/{method}")
        found = _parsed(reply)
        if found is None:
            raise ReceiverUnavailable(f"{self._poster.where} did not respond as the Slack Web API does")
        if found.get("ok") is not True:
            raise _Failed(_word(found.get("error")), reply.retry_after_s)
        if not all(isinstance(found.get(key), str) for key in ("channel", "ts")):
            raise ReceiverUnavailable(f"{self._poster.where} responded without channel and ts")
        return found

    def _error(self, failed: _Failed) -> ReceiverUnavailable | ReceiverRefused:
        message = f"{self._poster.where} responded {failed.error}"
        if failed.error in _BUSY:
            return ReceiverUnavailable(message, retry_after_s=failed.retry_after_s)
        hint = _HINTS.get(failed.error)
        return ReceiverRefused(f"{message}; {hint}" if hint else message)


def main_message(
    group_id: str, payload: Mapping[str, Any], rendered: Rendered, *, buttons: bool = False
) -> dict[str, Any]:
    """Return the message of a group: title, text and buttons.

    Acknowledge is there while a firing alert is not acknowledged. With `buttons` Slack reports it to driftd; else it is
    a link to the dashboard, if there is one.
    """
    blocks = text_blocks(rendered)
    open_alerts = _needs_acknowledgement(payload)
    elements: list[dict[str, Any]] = []
    if buttons and open_alerts:
        elements.append(_button("Acknowledge", "acknowledge") | {"value": group_id, "style": "primary"})
    left = _MOST_URLS
    for label, address in links_of(payload):
        if len(address) > left or (label == "Acknowledge" and (buttons or not open_alerts)):
            continue
        left -= len(address)
        elements.append(_button(label, f"open_{label.lower()}") | {"url": address})
    if elements:
        blocks.append({"type": "actions", "elements": elements})
    return {"text": fallback(rendered), "blocks": blocks}


def _needs_acknowledgement(payload: Mapping[str, Any]) -> bool:
    alerts = payload.get("alerts") or [payload.get("alert") or {}]
    return any(each.get("state") == "firing" and not each.get("acknowledged_by") for each in alerts)


def _button(label: str, action: str) -> dict[str, Any]:
    return {"type": "button", "text": {"type": "plain_text", "text": label}, "action_id": action}


def _parsed(reply: Reply) -> Mapping[str, Any] | None:
    try:
        found = json.loads(reply.body)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _word(error: object) -> str:
    """Return the error of Slack if it is one word: it cannot contain the token."""
    return error if isinstance(error, str) and error.isidentifier() and len(error) <= 60 else "an unknown error"


def build(name: str, options: Mapping[str, Any], output: TextIO) -> SlackApi:  # noqa: ARG001  the signature of a kind
    """Return a receiver of the Slack Web API.

    `options` has `url`, `token`, `channel`, `timeout_s`, `buttons`, `templates`, and `memory` in the daemon.
    """
    return SlackApi(
        Poster(name, options["url"], options["timeout_s"]),
        options["token"],
        options["channel"],
        memory=options.get("memory") or ProcessMemory(),
        templates=checked_templates(name, options.get("templates", {})),
        buttons=options.get("buttons", False),
    )
