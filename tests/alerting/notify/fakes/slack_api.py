"""The documented rules of the Slack Web API: chat.postMessage and chat.update. An error is HTTP 200 with `ok: false`.

https://docs.slack.dev/reference/methods/chat.postMessage, https://docs.slack.dev/reference/methods/chat.update and
https://docs.slack.dev/reference/block-kit/blocks/actions-block
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.alerting.notify.fakes import rules
from tests.alerting.notify.fakes.vendor import Rules, Vendor, vendor

TOKEN = "xoxb-0123456789-s3cret"
CHANNEL = "C024BE91L"
_MESSAGE = {"channel": str, "text": str, "blocks": list}
_POST = {"thread_ts": str, "reply_broadcast": bool}


@dataclass(kw_only=True)
class Channel:
    """The messages of the channel by `ts`: their text and blocks as last edited, and the `ts` of their thread."""

    messages: dict[str, dict[str, Any]] = field(default_factory=dict)
    locked: bool = False  # the workspace forbids edits

    @property
    def main(self) -> list[dict[str, Any]]:
        """The messages that are not replies."""
        return [each for each in self.messages.values() if "thread_ts" not in each]

    @property
    def replies(self) -> list[dict[str, Any]]:
        return [each for each in self.messages.values() if "thread_ts" in each]

    def respond(self, path: str, body: Any) -> str:
        if body["channel"] != CHANNEL:
            return _error("channel_not_found")
        if path.endswith("chat.update"):
            if body["ts"] not in self.messages:
                return _error("message_not_found")
            if self.locked:
                return _error("edit_window_closed")
            self.messages[body["ts"]] |= body
            return json.dumps({"ok": True, "channel": CHANNEL, "ts": body["ts"], "text": body["text"]})
        if body.get("thread_ts", next(iter(self.messages), None)) not in {*self.messages, None}:
            return _error("thread_not_found")
        ts = f"17900000{len(self.messages):02}.000200"
        self.messages[ts] = dict(body)
        return json.dumps({"ok": True, "channel": CHANNEL, "ts": ts, "message": {"type": "message", **body}})


def check(path: str, body: Any) -> None:
    """Require a known method with its arguments, and blocks within the limits."""
    if path == "/api/chat.update":
        rules.fields("arguments", body, {**_MESSAGE, "ts": str})
    else:
        assert path == "/api/chat.postMessage", f"unknown method {path}"
        rules.fields("arguments", body, _MESSAGE, _POST)
        assert "thread_ts" in body or "reply_broadcast" not in body
    plain = [block for block in body["blocks"] if block["type"] != "actions"]
    rules.slack({"text": body["text"], "blocks": plain})
    for block in body["blocks"]:
        if block["type"] == "actions":
            _actions(block)
    assert len(body["blocks"]) <= 50
    assert len(json.dumps(body["blocks"], ensure_ascii=False)) < 13_200, "msg_blocks_too_long"


def _actions(block: Any) -> None:
    rules.fields("actions", block, {"type": str, "elements": list}, {"block_id": str})
    assert 1 <= len(block["elements"]) <= 25
    ids = [each["action_id"] for each in block["elements"]]
    assert len(set(ids)) == len(ids), "an action_id is there twice"
    for each in block["elements"]:
        optional = {"url": str, "value": str, "style": str}
        rules.fields("button", each, {"type": str, "text": dict, "action_id": str}, optional)
        assert each["type"] == "button"
        rules.fields("text", each["text"], {"type": str, "text": str}, {"emoji": bool})
        assert each["text"]["type"] == "plain_text"
        rules.text("button", each["text"]["text"], 75)
        rules.text("action_id", each["action_id"], 255)
        assert each.get("style") in {None, "primary", "danger"}
        if "value" in each:
            rules.text("value", each["value"], 2000)
        if "url" in each:
            rules.text("url", each["url"], 3000)
            assert each["url"].startswith(("http://", "https://"))


def _error(error: str) -> str:
    return json.dumps({"ok": False, "error": error})


@contextmanager
def slack_api(channel: Channel | None = None) -> Iterator[Vendor]:
    """Serve the Web API; `url` is its base."""
    service = Rules(
        check=check,
        accepted=(200, ""),
        respond=(channel or Channel()).respond,
        rejected=_error("invalid_blocks"),
        rejected_status=200,
        authorization=f"Bearer {TOKEN}",
        unauthorized=(200, _error("invalid_auth")),
    )
    with vendor("slack_api", service) as fake:
        fake.url = f"http://127.0.0.1:{fake.port}/api"
        yield fake
