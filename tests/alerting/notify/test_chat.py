"""The receivers of chat services against strict fakes."""

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from monitor.alerting.notify import discord, slack, teams
from monitor.alerting.notify.base import Receiver, ReceiverRefused, ReceiverUnavailable
from monitor.alerting.notify.table import build_receiver
from monitor.alerting.render import Rendered
from tests.alerting.build import a_notification
from tests.alerting.notify.fakes.rules import RULES
from tests.alerting.notify.fakes.vendor import Answer, Vendor, vendor

MESSAGES = {"slack": slack.message_of, "teams": teams.message_of, "discord": discord.message_of}
LINKS = {
    "dashboard": "https://driftd.example.org/alerts?id=a1&tab=<b>|x",
    "runbook": "https://driftd.example.org/runbook",
    "silence": "javascript:alert(1)",
    "acknowledge": None,
}


@pytest.fixture(params=sorted(RULES))
def service(request: pytest.FixtureRequest) -> Iterator[tuple[Vendor, Receiver]]:
    with vendor(request.param) as fake:
        receiver = build_receiver(request.param, "chat", {"url": fake.url, "timeout_s": 5.0}, io.StringIO())
        yield fake, receiver
        receiver.close()


def rendered(text: str, title: str = "FIRING", summary: str = "it fell") -> Rendered:
    return Rendered(title=title, summary=summary, text=text, html="")


@pytest.mark.parametrize("state", ["firing", "resolved"])
def test_the_service_accepts_the_message(service: tuple[Vendor, Receiver], state: str) -> None:
    fake, receiver = service
    notification = a_notification()
    alert = dict(notification.payload["alert"]) | {"state": state}
    receiver.send(replace(notification, payload=dict(notification.payload) | {"links": LINKS, "alert": alert}))
    assert fake.rejected == []
    [body] = fake.accepted
    shown = json.dumps(body)
    assert "gpt-4-0613" in shown
    assert "https://driftd.example.org/runbook" in shown
    assert '"javascript:' not in shown, "the text may contain it, a link must not"
    assert "<javascript:" not in shown


@pytest.mark.parametrize("kind", sorted(RULES))
@pytest.mark.parametrize("character", ["x", "&", "`", "*", "\U0001f6a8", "x\n", "ä b\n"])
def test_a_text_of_any_size_and_alphabet_is_within_the_limits(kind: str, character: str) -> None:
    for size in (0, 1, 150, 3000, 8000, 40_000):
        long = character * size
        line = long.replace("\n", " ")
        message = MESSAGES[kind]({"links": LINKS}, rendered(long, line[:250], line[:1000]))
        RULES[kind](message)


@pytest.mark.parametrize("kind", sorted(RULES))
def test_links_of_any_length_are_within_the_limits(kind: str) -> None:
    links = dict.fromkeys(LINKS, "https://driftd.example.org/" + "a&" * 700)
    RULES[kind](MESSAGES[kind]({"links": links}, rendered("x\n" * 9000)))


def test_slack_gets_its_control_characters_escaped() -> None:
    message = slack.message_of({"links": LINKS}, rendered("<!channel> & ```x```", "<!here> & co", "<@U1> fell"))
    shown = [message["text"], *(block["text"]["text"] for block in message["blocks"])]
    assert shown[:3] == ["&lt;@U1&gt; fell", "&lt;!here&gt; &amp; co", "```\n&lt;!channel&gt; &amp; '''x'''\n```"]
    dashboard = "<https://driftd.example.org/alerts?id=a1&amp;tab=%3Cb%3E%7Cx|Dashboard>"
    assert shown[3] == f"{dashboard} · <https://driftd.example.org/runbook|Runbook>"


def test_slack_gets_the_whole_text_in_parts_of_whole_lines() -> None:
    lines = [f"line {number} " + "x" * 80 for number in range(70)]
    blocks = slack.message_of({}, rendered("\n".join(lines)))["blocks"]
    parts = [block["text"]["text"].removeprefix("```\n").removesuffix("\n```") for block in blocks[1:]]
    assert len(parts) == 3
    assert "\n".join(parts).splitlines() == lines


def test_discord_mentions_no_one_and_escapes_markdown() -> None:
    message = discord.message_of({}, rendered("@everyone ```", "[x](https://evil.example)", "@everyone *fell*"))
    assert message["allowed_mentions"] == {"parse": []}
    assert message["content"] == r"\@everyone \*fell\*"
    [embed] = message["embeds"]
    assert embed["title"] == r"\[x\]\(https\://evil.example\)"
    assert embed["description"] == "```\n@everyone '''\n```"


@pytest.mark.parametrize(
    ("alert", "color"),
    [
        ({"state": "firing", "severity": "critical"}, 0xC62828),
        ({"state": "firing", "severity": "warning"}, 0xF9A825),
        ({"state": "resolved", "severity": "critical"}, 0x2E7D32),
    ],
)
def test_the_color_in_discord_is_that_of_the_severity_or_green(alert: dict[str, Any], color: int) -> None:
    assert discord.message_of({"alert": alert}, rendered("x"))["embeds"][0]["color"] == color


def test_teams_gets_no_markdown() -> None:
    [attachment] = teams.message_of({}, rendered("[x](https://evil.example)\n\n**b**"))["attachments"]
    blocks = attachment["content"]["body"]
    assert {block["type"] for block in blocks} == {"RichTextBlock"}
    assert [block["inlines"][0]["text"] for block in blocks] == ["FIRING", "[x](https://evil.example)", " ", "**b**"]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_a_client_error_is_a_refusal(service: tuple[Vendor, Receiver], status: int) -> None:
    fake, receiver = service
    fake.answers = [Answer(status)]
    with pytest.raises(ReceiverRefused, match=f"receiver 'chat' at 127.0.0.1:{fake.port} responded {status}$"):
        receiver.send(a_notification())


def test_the_error_word_of_slack_is_in_the_error_and_a_longer_text_is_not(service: tuple[Vendor, Receiver]) -> None:
    fake, receiver = service
    fake.answers = [Answer(410, text="channel_is_archived"), Answer(404, text=f"no hook at {fake.url}")]
    with pytest.raises(ReceiverRefused, match=r"responded 410 \(channel_is_archived\)$"):
        receiver.send(a_notification())
    with pytest.raises(ReceiverRefused, match=r"responded 404$"):
        receiver.send(a_notification())


def test_a_busy_service_gets_its_pause(service: tuple[Vendor, Receiver]) -> None:
    fake, receiver = service
    fake.answers = [Answer(429, headers={"Retry-After": "30"})]
    with pytest.raises(ReceiverUnavailable, match=r"responded 429$") as raised:
        receiver.send(a_notification())
    assert raised.value.retry_after_s == 30.0


def test_after_an_error_of_the_server_and_a_reset_the_next_attempt_arrives(service: tuple[Vendor, Receiver]) -> None:
    fake, receiver = service
    fake.answers = [Answer(500), Answer(reset=True)]
    for problem in ("responded 500", "the connection broke"):
        with pytest.raises(ReceiverUnavailable, match=problem) as raised:
            receiver.send(a_notification())
        assert "s3cret" not in repr(raised.value)
    fake.answers.clear()
    receiver.send(a_notification())
    assert len(fake.accepted) == 1


@pytest.mark.parametrize("kind", sorted(RULES))
def test_a_silent_service_is_unavailable(kind: str) -> None:
    with vendor(kind) as fake:
        fake.answers = [Answer(silent=True)]
        receiver = build_receiver(kind, "chat", {"url": fake.url, "timeout_s": 0.05}, io.StringIO())
        with pytest.raises(ReceiverUnavailable, match="no response in time"):
            receiver.send(a_notification())
        fake.stopped.set()
        receiver.close()
