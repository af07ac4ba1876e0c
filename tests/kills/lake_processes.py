"""Processes of `driftd serve` that share one lake, and are killed and frozen."""

import signal
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.ingest.kafka.broker import Broker
from tests.kills.process import Daemon
from tests.store.lake.lakes import Lakes

STANDBY = "standby"


def is_leading(status: Mapping[str, Any]) -> bool:
    """Return whether the process with this status leads."""
    return not str(status["loops"]["schedule"]).startswith((STANDBY, "not started", "retrying"))


@contextmanager
def processes(
    folder: Path, lakes: Lakes, lake: str, roles: list[str], *, model_url: str = "http://127.0.0.1:9/v1", **more: Any
) -> Iterator[list[Daemon]]:
    """Yield a daemon for each role, none of them started. `more` are sections of the configuration."""
    with ExitStack() as stack:
        made = []
        for number, _ in enumerate(roles):
            home = folder / f"process-{number}"
            store = lakes.section(lake) | {"work_folder": str(home / "work")}
            made.append(stack.enter_context(Daemon(folder=home, model_url=model_url, more={**more, "store": store})))
        yield made


def kafka_section(broker: Broker, topic: str, **settings: Any) -> dict[str, Any]:
    """Return a source of all processes."""
    return {
        "bootstrap_servers": [broker.bootstrap],
        "topics": {topic: {}},
        "group": topic,
        "refresh_s": 0.5,
        "poll_max_records": 500,
    } | settings


def freeze(daemon: Daemon) -> None:
    daemon.send_signal(signal.SIGSTOP)


def thaw(daemon: Daemon) -> None:
    daemon.send_signal(signal.SIGCONT)
