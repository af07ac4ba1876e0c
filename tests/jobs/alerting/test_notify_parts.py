"""The loops of the daemon for its receivers."""

from io import StringIO
from pathlib import Path
from typing import Any

from monitor import notify_parts, parts
from monitor.clock import SystemClock
from monitor.config.policy import to_policy
from monitor.store.engine.database import Store
from monitor.telemetry import NO_TELEMETRY
from tests.config.builders import config

PEERS = {"kind": "alertmanager", "urls": ["http://am-0:9093", "http://am-1:9093"]}


def names(folder: Path, **paths: Any) -> list[str]:
    settings = config(folder, receivers={"am": PEERS, "pager": {"kind": "console"}}, **paths)
    built = {name: parts.receiver(name, each, StringIO()) for name, each in settings.receivers.items()}
    clock = SystemClock()
    store = Store.open(folder / "driftd.duckdb", clock=clock)
    try:
        loops = notify_parts.loops(
            settings,
            store=store,
            policy=to_policy(settings),
            clock=clock,
            receivers=built,
            unstored=lambda _: (),
            telemetry=NO_TELEMETRY,
        )
        return [loop.name for loop in loops]
    finally:
        assert list(notify_parts.failing_peers(built)) == ["am"]
        store.close()
        for each in built.values():
            each.close()


def test_alertmanager_has_a_loop_that_repeats_its_alerts(tmp_path: Path) -> None:
    found = names(tmp_path, alerts={"receivers": ["am", "pager"]})
    assert found == ["notify-am", "resend-am", "notify-pager"]


def test_an_alertmanager_that_gets_no_alerts_has_no_repetitions(tmp_path: Path) -> None:
    assert names(tmp_path, alerts={"receivers": ["pager"]}) == ["notify-am", "notify-pager"]
