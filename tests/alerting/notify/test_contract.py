"""What every receiver must do, the same for each."""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from monitor.alerting.notify.base import Receiver, ReceiverUnavailable
from monitor.alerting.notify.console import Console
from monitor.alerting.notify.webhook import Webhook
from monitor.errors import Retryable
from tests.alerting.build import a_notification
from tests.alerting.notify.hook import listening


@dataclass(frozen=True, kw_only=True)
class Station:
    """A receiver, what has reached the other side, and how to take the other side away."""

    receiver: Receiver
    arrived: Callable[[], list[str]]
    take_down: Callable[[], object]


@pytest.fixture(params=["webhook", "console"])
def station(request: pytest.FixtureRequest) -> Iterator[Station]:
    if request.param == "console":
        stream = io.StringIO()
        yield Station(
            receiver=Console("pager", stream),
            arrived=lambda: [part for part in stream.getvalue().split("\n\n") if part.strip()],
            take_down=stream.close,
        )
        return
    with listening() as hook:
        receiver = Webhook("pager", hook.url, timeout_s=5.0)

        def take_down() -> None:
            hook.status = 503

        yield Station(receiver=receiver, arrived=lambda: [str(body) for body in hook.bodies], take_down=take_down)
        receiver.close()


def test_it_is_called_what_the_configuration_calls_it(station: Station) -> None:
    assert station.receiver.name == "pager"


def test_a_notification_has_arrived_when_send_returns(station: Station) -> None:
    station.receiver.send(a_notification())
    [arrived] = station.arrived()
    assert "prime-0000" in arrived
    assert "gpt-4-0613" in arrived


def test_reaching_for_it_sends_nothing(station: Station) -> None:
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
