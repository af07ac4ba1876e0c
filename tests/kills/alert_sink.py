"""A local HTTP receiver that survives the kills of the daemon: it keeps every notification that it accepted."""

import json
import threading
from collections import defaultdict
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic
from typing import Any, Self

RECEIVERS = ("pager", "team")


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One accepted notification. `at` is an instant of `time.monotonic`."""

    at: float
    receiver: str
    id: str  # of the notification: its Idempotency-Key
    payload: dict[str, Any]

    @property
    def meaning(self) -> tuple[object, ...]:
        """Return what a person learns from it: two deliveries of one meaning are one too many."""
        alerts = self.payload["alerts"]
        states = frozenset((a["id"], a["state"], a["severity"], a["finding_id"], a["acknowledged_by"]) for a in alerts)
        return self.receiver, self.payload["group"]["id"], self.payload["reason"], states


class AlertSink:
    """Answers 204, or 503 while `away`. The path of a request is the name of its receiver."""

    def __init__(self) -> None:
        self.away = False
        self.turned_away = 0
        self.deliveries: list[Delivery] = []
        sink = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                self.send_response(sink.take(self.path.strip("/"), self.headers["Idempotency-Key"], body))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base class names it so
                """Write nothing to stderr."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._lock = threading.Lock()

    def take(self, receiver: str, notification: str, body: bytes) -> int:
        """Keep a notification. Return the status of the response."""
        with self._lock:
            if self.away:
                self.turned_away += 1
                return 503
            self.deliveries.append(
                Delivery(at=monotonic(), receiver=receiver, id=notification, payload=json.loads(body))
            )
            return 204

    def states(self, receiver: str) -> dict[str, list[str]]:
        """Return the states of each alert that the receiver knows, by id, the oldest first."""
        found: dict[str, list[str]] = defaultdict(list)
        with self._lock:
            accepted = [one for one in self.deliveries if one.receiver == receiver]
        for delivery in accepted:
            for alert in delivery.payload["alerts"]:
                found[alert["id"]].append(alert["state"])
        return found

    def firing(self) -> list[str]:
        """Return the ids of the alerts that fire for every receiver by its newest notification."""
        known = [self.states(receiver) for receiver in RECEIVERS]
        ids = set.intersection(*(set(states) for states in known))
        return sorted(id_ for id_ in ids if all(states[id_][-1] == "firing" for states in known))

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, name="alert-sink", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def settings(self) -> dict[str, Any]:
        """Return the sections of the configuration that connect a daemon with the sink.

        Updates follow at once and no alert is held as flapping: the incident takes minutes instead of days.
        """
        return {
            "receivers": {name: {"kind": "webhook", "url": f"{self.address}/{name}"} for name in RECEIVERS},
            "alerts": {
                "group_wait_s": 0,
                "group_interval_s": 0,
                "backoff_s": 0.2,
                "max_pause_s": 1,
                "max_per_minute": 600,
                "flapping": {"episodes": 1_000_000},
            },
        }
