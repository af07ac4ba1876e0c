"""The contract of every kind of receiver."""

import io
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

import pytest

from monitor.alerting.notify.base import Receiver, ReceiverUnavailable
from monitor.alerting.notify.table import RECEIVERS, build_receiver
from monitor.config.tree import ReceiverConfig
from monitor.errors import ConfigError, Retryable
from tests.alerting.build import a_notification
from tests.alerting.notify.fakes.alertmanager import alertmanager
from tests.alerting.notify.fakes.mail import HERE, mail_server, write_certificate
from tests.alerting.notify.fakes.on_call import API_KEY, grafana_irm, opsgenie
from tests.alerting.notify.fakes.pagerduty import ROUTING_KEY, pagerduty
from tests.alerting.notify.fakes.slack_api import CHANNEL, TOKEN, slack_api
from tests.alerting.notify.fakes.vendor import Answer, Vendor, vendor
from tests.alerting.notify.hook import listening


@dataclass(frozen=True, kw_only=True)
class Station:
    """A receiver, the notifications that arrived, and a function that makes the other side unavailable."""

    receiver: Receiver
    arrived: Callable[[], list[str]]
    take_down: Callable[[], object]


@contextmanager
def console() -> Iterator[Station]:
    stream = io.StringIO()
    yield Station(
        receiver=build_receiver("console", "pager", {}, stream),
        arrived=lambda: [part for part in stream.getvalue().split("\n\n") if part.strip()],
        take_down=stream.close,
    )


@contextmanager
def webhook() -> Iterator[Station]:
    with listening() as hook:
        receiver = build_receiver("webhook", "pager", {"url": hook.url, "timeout_s": 5.0}, io.StringIO())

        def take_down() -> None:
            hook.status = 503

        yield Station(receiver=receiver, arrived=lambda: [str(body) for body in hook.bodies], take_down=take_down)
        receiver.close()


@contextmanager
def email() -> Iterator[Station]:
    with TemporaryDirectory() as folder:
        certificate = write_certificate(Path(folder))
        with mail_server(certificate) as mailbox:
            server = {
                "host": HERE,
                "port": mailbox.port,
                "tls": "starttls",
                "timeout_s": 5.0,
                "ca_file": certificate,
            }
            options = {"server": server, "sender": "driftd@example.org", "recipients": ["anne@example.org"]}

            def take_down() -> None:
                mailbox.data_response = "451 try later"

            yield Station(
                receiver=build_receiver("email", "pager", options, io.StringIO()),
                arrived=lambda: [str(message.get_body(("plain",))) for _, message in mailbox.arrived],
                take_down=take_down,
            )


@contextmanager
def chat(kind: str) -> Iterator[Station]:
    with vendor(kind) as fake:
        receiver = build_receiver(kind, "pager", {"url": fake.url, "timeout_s": 5.0}, io.StringIO())

        def take_down() -> None:
            fake.answers = [Answer(503)]

        yield Station(
            receiver=receiver, arrived=lambda: [json.dumps(body) for body in fake.accepted], take_down=take_down
        )
        receiver.close()


@contextmanager
def station_of(
    kind: str, service: Callable[[], AbstractContextManager[Vendor]], options: dict[str, object]
) -> Iterator[Station]:
    with service() as fake:
        receiver = build_receiver(kind, "pager", {"url": fake.url, "timeout_s": 5.0, **options}, io.StringIO())

        def take_down() -> None:
            fake.answers = [Answer(503)]

        yield Station(
            receiver=receiver, arrived=lambda: [json.dumps(body) for body in fake.accepted], take_down=take_down
        )
        receiver.close()


@contextmanager
def one_alertmanager() -> Iterator[Station]:
    with alertmanager() as fake:
        options = {"urls": [fake.url], "timeout_s": 5.0, "repeat_s": 60.0, "hold_s": 240.0}
        receiver = build_receiver("alertmanager", "pager", options, io.StringIO())

        def take_down() -> None:
            fake.answers = [Answer(503)]

        yield Station(
            receiver=receiver, arrived=lambda: [json.dumps(body) for body in fake.accepted], take_down=take_down
        )
        receiver.close()


@contextmanager
def apprise() -> Iterator[Station]:
    with listening() as hook:
        url = f"json://127.0.0.1:{hook.port}/s3cret"
        receiver = build_receiver("apprise", "pager", {"service_urls": url, "timeout_s": 10.0}, io.StringIO())

        def take_down() -> None:
            hook.status = 503

        yield Station(receiver=receiver, arrived=lambda: [str(body) for body in hook.bodies], take_down=take_down)


STATIONS: dict[str, Callable[[], AbstractContextManager[Station]]] = {
    "alertmanager": one_alertmanager,
    "apprise": apprise,
    "console": console,
    "email": email,
    "pagerduty": partial(station_of, "pagerduty", pagerduty, {"routing_key": ROUTING_KEY}),
    "grafana_irm": partial(station_of, "grafana_irm", grafana_irm, {}),
    "opsgenie": partial(station_of, "opsgenie", opsgenie, {"api_key": API_KEY}),
    "slack_api": partial(station_of, "slack_api", slack_api, {"token": TOKEN, "channel": CHANNEL}),
    "webhook": webhook,
    **{kind: partial(chat, kind) for kind in ("discord", "slack", "teams")},
}


@pytest.fixture(params=sorted(RECEIVERS))
def station(request: pytest.FixtureRequest) -> Iterator[Station]:
    with STATIONS[request.param]() as one:
        yield one


def test_every_kind_of_the_table_has_a_section_of_the_configuration() -> None:
    sections = get_args(get_args(ReceiverConfig)[0])
    kinds = {get_args(section.model_fields["kind"].annotation)[0] for section in sections}
    assert kinds == set(RECEIVERS)


def test_an_unknown_kind_lists_the_known_kinds() -> None:
    known = ", ".join(sorted(RECEIVERS))
    with pytest.raises(ConfigError, match=f"receiver 'pager': kind 'pigeon' is unknown; known: {known}$"):
        build_receiver("pigeon", "pager", {}, io.StringIO())


def test_its_name_is_the_name_of_the_configuration(station: Station) -> None:
    assert station.receiver.name == "pager"


def test_a_notification_has_arrived_when_send_returns(station: Station) -> None:
    station.receiver.send(a_notification())
    [arrived] = station.arrived()
    assert "prime-0000" in arrived
    assert "gpt-4-0613" in arrived


def test_reach_sends_nothing(station: Station) -> None:
    station.receiver.reach()
    assert station.arrived() == []


def test_two_notifications_arrive_apart_and_in_order(station: Station) -> None:
    first, second = a_notification(id="n1"), a_notification(id="n2")
    station.receiver.send(first)
    station.receiver.send(second)
    assert len(station.arrived()) == 2


def test_a_side_that_is_down_raises_a_retryable_error_with_the_receivers_name(station: Station) -> None:
    station.take_down()
    with pytest.raises(ReceiverUnavailable, match="receiver 'pager'") as raised:
        station.receiver.send(a_notification())
    assert isinstance(raised.value, Retryable)
    assert raised.value.retry_after_s == 0.0
