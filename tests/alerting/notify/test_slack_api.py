"""The Slack Web API: one message with a thread for each group of alerts."""

import io
import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from monitor.alerting.notify.base import ReceiverRefused, ReceiverUnavailable
from monitor.alerting.notify.memory import GroupMemory, ProcessMemory
from monitor.alerting.notify.slack_api import main_message
from monitor.alerting.notify.table import build_receiver
from monitor.alerting.render import Rendered
from monitor.alerting.trial import trial
from monitor.domain.alert import Notification
from monitor.parts import receivers
from monitor.store.engine.database import Store
from monitor.store.findings.receiver_state import StoredMemory
from tests.alerting.build import T0, a_notification
from tests.alerting.notify.fakes.slack_api import CHANNEL, TOKEN, Channel, check, slack_api
from tests.alerting.notify.fakes.vendor import Answer, Vendor
from tests.config.builders import config
from tests.store.build import HandClock

LINKS = {
    "dashboard": "https://driftd.example.org/alerts?id=a1",
    "runbook": "https://driftd.example.org/runbook",
    "silence": "https://driftd.example.org/silence",
    "acknowledge": "https://driftd.example.org/ack",
}


def about(reason: str, group: str = "g1", *, state: str = "firing", by: str | None = None) -> Notification:
    """A notification of a group with one alert."""
    first = a_notification(id=f"{group}-{reason}")
    alert = dict(first.payload["alert"]) | {"state": state, "acknowledged_by": by}
    known = {"group": {"id": group, "key": "k", "state": state}, "alerts": [alert], "links": LINKS}
    return replace(first, payload=dict(first.payload) | known | {"reason": reason, "alert": alert})


class Bench:
    """The fake service, and receivers that share one memory."""

    def __init__(self, fake: Vendor, channel: Channel) -> None:
        self.fake, self.channel = fake, channel
        self.memory: GroupMemory = ProcessMemory()

    def send(self, *notifications: Notification, **options: Any) -> None:
        """Send with a new receiver, as after a restart."""
        known = {"url": self.fake.url, "token": TOKEN, "channel": CHANNEL, "timeout_s": 5.0, "memory": self.memory}
        receiver = build_receiver("slack_api", "chat", known | options, io.StringIO())
        try:
            for each in notifications:
                receiver.send(each)
        finally:
            receiver.close()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(tmp_path / "driftd.duckdb", clock=HandClock())
    yield opened
    opened.close()


@pytest.fixture
def bench() -> Iterator[Bench]:
    channel = Channel()
    with slack_api(channel) as fake:
        yield Bench(fake, channel)
        assert fake.rejected == [] or fake.rejected == ["the authorization is wrong"]


def buttons_of(message: dict[str, Any]) -> list[str]:
    elements = [each for block in message["blocks"] if block["type"] == "actions" for each in block["elements"]]
    return [each["text"]["text"] for each in elements]


def shown(message: dict[str, Any]) -> str:
    return json.dumps(message["blocks"])


def test_later_notifications_of_a_group_are_replies_in_its_thread(bench: Bench) -> None:
    bench.send(about("first"), about("update"), about("repeat"))
    [main] = bench.channel.main
    assert "gpt-4-0613" in shown(main)
    assert [each["thread_ts"] for each in bench.channel.replies] == [next(iter(bench.channel.messages))] * 2
    assert not any("reply_broadcast" in each for each in bench.channel.replies)


def test_each_group_has_a_message_of_its_own(bench: Bench) -> None:
    bench.send(about("first"), about("first", "g2"), about("repeat", "g2"))
    assert len(bench.channel.main) == 2
    [reply] = bench.channel.replies
    assert reply["thread_ts"] == list(bench.channel.messages)[1]


@pytest.mark.parametrize("reason", ["worse", "escalation"])
def test_a_worse_alert_and_an_escalation_are_shown_in_the_channel_too(bench: Bench, reason: str) -> None:
    bench.send(about("first"), about(reason))
    assert [each["reply_broadcast"] for each in bench.channel.replies] == [True]


def test_an_acknowledgement_edits_the_message_and_takes_its_button_away(bench: Bench) -> None:
    bench.send(about("first"), buttons=True)
    assert buttons_of(bench.channel.main[0]) == ["Acknowledge", "Dashboard", "Runbook", "Silence"]
    bench.send(about("acknowledged", by="Slack: anne"), buttons=True)
    [main] = bench.channel.main
    assert buttons_of(main) == ["Dashboard", "Runbook", "Silence"]
    assert "Slack: anne" in shown(main)
    assert len(bench.channel.replies) == 1


def test_a_resolution_edits_the_message(bench: Bench) -> None:
    bench.send(about("first"), about("resolved", state="resolved"), buttons=True)
    [main] = bench.channel.main
    assert "RESOLVED" in main["blocks"][0]["text"]["text"].upper()
    assert buttons_of(main) == ["Dashboard", "Runbook", "Silence"]
    assert bench.fake.paths == ["/api/chat.postMessage", "/api/chat.update", "/api/chat.postMessage"]


def test_the_button_carries_the_id_of_the_group() -> None:
    payload = about("first").payload
    rendered = Rendered(title="t", summary="s", text="x", html="")
    button = main_message("g1", payload, rendered, buttons=True)["blocks"][-1]["elements"][0]
    assert (button["action_id"], button["value"]) == ("acknowledge", "g1")


def test_without_a_signing_secret_the_button_is_a_link(bench: Bench) -> None:
    bench.send(about("first"))
    [actions] = [block for block in bench.channel.main[0]["blocks"] if block["type"] == "actions"]
    acknowledge = next(each for each in actions["elements"] if each["text"]["text"] == "Acknowledge")
    assert acknowledge["url"] == LINKS["acknowledge"]
    assert "value" not in acknowledge


def test_a_message_without_links_has_no_buttons() -> None:
    payload = dict(about("first").payload) | {"links": {}}
    rendered = Rendered(title="t", summary="s", text="x", html="")
    message = main_message("g1", payload, rendered)
    assert "actions" not in [block["type"] for block in message["blocks"]]


@pytest.mark.parametrize("character", ["x", "&", "\U0001f6a8", "x\n"])
def test_a_text_of_any_size_with_long_links_is_within_the_limits(character: str) -> None:
    links = {
        key: "https://driftd.example.org/" + "a" * size for key, size in zip(LINKS, (700, 1400, 700, 1), strict=True)
    }
    payload = dict(about("first").payload) | {"links": links}
    for size in (0, 1, 150, 3000, 40_000):
        long = character * size
        rendered = Rendered(title=long.replace("\n", " "), summary=long.replace("\n", " "), text=long, html="")
        for buttons in (False, True):
            message = main_message("g" * 100, payload, rendered, buttons=buttons)
            check("/api/chat.postMessage", {"channel": CHANNEL, **message})


def test_a_test_notification_opens_no_thread(bench: Bench) -> None:
    bench.send(trial("chat", id="test-1", now=T0), trial("chat", id="test-2", now=T0))
    assert len(bench.channel.main) == 2
    assert bench.memory.get("test-1") is None


def test_the_thread_survives_a_restart(bench: Bench, store: Store) -> None:
    clock = HandClock()
    bench.memory = StoredMemory(store, clock, "chat")
    bench.send(about("first"))
    bench.memory = StoredMemory(store, clock, "chat")
    bench.send(about("resolved", state="resolved"))
    assert (len(bench.channel.main), len(bench.channel.replies)) == (1, 1)
    assert StoredMemory(store, clock, "other").get("g1") is None


def test_the_daemon_gives_the_receiver_a_memory_in_its_store(bench: Bench, store: Store) -> None:
    section = {"kind": "slack_api", "api_url": bench.fake.url, "token": TOKEN, "channel": CHANNEL}
    for reason in ("first", "repeat"):  # each with a new receiver, as after a restart
        with ExitStack() as teardown:
            built = receivers(config(receivers__chat=section), io.StringIO(), teardown, store, HandClock())
            built["chat"].send(about(reason))
    assert (len(bench.channel.main), len(bench.channel.replies)) == (1, 1)


def test_a_message_that_a_person_deleted_is_posted_again(bench: Bench) -> None:
    bench.send(about("first"))
    bench.channel.messages.clear()
    bench.channel.messages["1.0"] = {"text": "of somebody else"}
    bench.send(about("resolved", state="resolved"), about("repeat"))
    assert len(bench.channel.main) == 2
    assert len(bench.channel.replies) == 1


def test_a_workspace_that_forbids_edits_gets_the_reply(bench: Bench) -> None:
    bench.channel.locked = True
    bench.send(about("first"), about("resolved", state="resolved"))
    assert len(bench.channel.replies) == 1


def test_an_edit_is_repeated_with_the_reply_that_failed(bench: Bench) -> None:
    bench.send(about("first"))
    done = '{"ok": true, "channel": "C024BE91L", "ts": "1790000000.000200"}'
    bench.fake.answers = [Answer(200, text=done), Answer(503)]
    with pytest.raises(ReceiverUnavailable):
        bench.send(about("resolved", state="resolved"))
    bench.fake.answers = []
    bench.send(about("resolved", state="resolved"))
    assert (len(bench.channel.main), len(bench.channel.replies)) == (1, 1)


@pytest.mark.parametrize(
    "error", ["ratelimited", "internal_error", "fatal_error", "service_unavailable", "request_timeout"]
)
def test_a_busy_slack_gets_the_message_later(bench: Bench, error: str) -> None:
    bench.fake.answers = [Answer(200, text=json.dumps({"ok": False, "error": error}), headers={"Retry-After": "30"})]
    with pytest.raises(ReceiverUnavailable, match=f"responded {error}$") as raised:
        bench.send(about("first"))
    assert raised.value.retry_after_s == 30.0
    assert bench.memory.get("g1") is None


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        ("invalid_auth", "responded invalid_auth; the token"),
        ("channel_not_found", "responded channel_not_found; use the id"),
        ("not_in_channel", "responded not_in_channel; invite the app"),
        ("missing_scope", "responded missing_scope; the app needs the scope chat:write"),
        ("is_archived", "responded is_archived$"),
        ("msg_blocks_too_long", "responded msg_blocks_too_long$"),
        (f"hello {TOKEN}", "responded an unknown error$"),
    ],
)
def test_an_error_of_the_configuration_is_a_refusal(bench: Bench, error: str, shown: str) -> None:
    bench.fake.answers = [Answer(200, text=json.dumps({"ok": False, "error": error}))]
    with pytest.raises(ReceiverRefused, match=f"receiver 'chat' at 127.0.0.1:{bench.fake.port} {shown}") as raised:
        bench.send(about("first"))
    assert TOKEN not in str(raised.value)


def test_a_wrong_token_is_a_refusal(bench: Bench) -> None:
    with pytest.raises(ReceiverRefused, match="invalid_auth"):
        bench.send(about("first"), token="xoxb-wrong")


def test_a_busy_status_has_its_pause(bench: Bench) -> None:
    bench.fake.answers = [Answer(429, headers={"Retry-After": "7"}, text='{"ok": false, "error": "ratelimited"}')]
    with pytest.raises(ReceiverUnavailable) as raised:
        bench.send(about("first"))
    assert raised.value.retry_after_s == 7.0


@pytest.mark.parametrize("text", ["", "ok", "[]", '{"ok": true}', '{"ok": true, "channel": 1, "ts": null}'])
def test_a_response_that_is_not_of_slack_is_no_delivery(bench: Bench, text: str) -> None:
    bench.fake.answers = [Answer(200, text=text)]
    with pytest.raises(ReceiverUnavailable):
        bench.send(about("first"))
    assert bench.memory.get("g1") is None


@pytest.mark.parametrize("answer", [Answer(reset=True), Answer(silent=True), Answer(502)])
def test_the_next_attempt_arrives_after_a_network_error(bench: Bench, answer: Answer) -> None:
    bench.fake.answers = [answer]
    with pytest.raises(ReceiverUnavailable):
        bench.send(about("first"), timeout_s=0.3)
    bench.fake.answers = []
    bench.send(about("first"))
    assert len(bench.channel.main) == 1
