"""A receiver that sends alerts to every peer of an Alertmanager cluster."""

import logging
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Any, TextIO

from monitor.alerting.notify.alertmanager_alerts import Posted, due, posted_of, standing
from monitor.alerting.notify.base import FailingPeer, ReceiverRefused, ReceiverUnavailable
from monitor.alerting.notify.http import Poster, json_bytes
from monitor.alerting.render import Templates, render
from monitor.alerting.sample import checked_templates
from monitor.domain.alert import DeliveryState, Notification

log = logging.getLogger(__name__)
_PATH = "/api/v2/alerts"
_Problem = ReceiverUnavailable | ReceiverRefused


class Alertmanager:
    """Posts each alert of a notification to every peer. A notification is delivered when one peer accepted it.

    Alertmanager forgets an alert that is not sent again: `repeat` sends what it got to all peers, at each
    interval. So a peer that was down has every alert after one interval.
    """

    def __init__(
        self,
        peers: Mapping[str, Poster],
        *,
        name: str,
        repeat_s: float,
        hold_s: float,
        headers: Mapping[str, str],
        labels: Mapping[str, str],
        templates: Templates | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`peers` are by address. `hold_s` is the time until Alertmanager resolves an alert by itself. `labels` are
        added to each alert, and `headers` to each request.
        """
        self.name, self.repeat_s = name, repeat_s
        self._peers, self._headers, self._labels = peers, headers, labels
        self._templates, self._now = templates, now
        self._hold = timedelta(seconds=hold_s)
        self._known: list[Posted] = []
        self._read: dict[str, list[Posted]] = {}  # by notification, because rendering takes time
        self._lock = Lock()  # protects _failing: loops and API requests send at the same time
        self._failing: dict[str, FailingPeer] = {}

    def reach(self) -> None:
        """Connect to every peer. Raise ReceiverUnavailable with the reason of each peer that fails."""
        problems: list[str] = []
        for poster in self._peers.values():
            try:
                poster.reach()
            except ReceiverUnavailable as error:
                problems.append(str(error))
        if problems:
            raise ReceiverUnavailable("; ".join(problems))

    def send(self, notification: Notification) -> None:
        now = self._now()
        self._post(self._posted_of(notification, now), now)

    def learn(self, delivered: Sequence[Notification]) -> None:
        """Keep what Alertmanager knows: these notifications, in the order of their delivery."""
        known = self._read
        self._read = {one.id: known.get(one.id) or self._posted_of(one, one.planned_at) for one in delivered}
        self._known = standing([self._read[one.id] for one in delivered])

    def repeat(self, now: datetime) -> int:
        """Send every alert that fires or resolved within five minutes to all peers. Return their number."""
        current = due(self._known, now)
        self._post(current, now)
        return len(current)

    def failing_peers(self) -> Sequence[FailingPeer]:
        """Return the peers whose last request failed."""
        with self._lock:
            return list(self._failing.values())

    def close(self) -> None:
        for poster in self._peers.values():
            poster.close()

    def _posted_of(self, notification: Notification, now: datetime) -> list[Posted]:
        payload = notification.payload
        sent_at = notification.sent_at if notification.state is DeliveryState.SENT else None
        return posted_of(payload, render(payload, self._templates), self._labels, sent_at or now)

    def _post(self, posted: Sequence[Posted], now: datetime) -> None:
        """Post to all peers at once.

        Raises:
            ReceiverUnavailable: No peer accepted the alerts, and at least one can accept them later.
            ReceiverRefused: Every peer rejected the alerts.
        """
        if not posted:
            return
        body = json_bytes([one.to_json(now, self._hold) for one in posted])
        with ThreadPoolExecutor(len(self._peers)) as pool:
            problems = list(pool.map(lambda poster: self._attempt(poster, body), self._peers.values()))
        self._note(dict(zip(self._peers, problems, strict=True)))
        failed = [problem for problem in problems if problem is not None]
        if len(failed) < len(problems):
            return
        text = "; ".join(str(problem) for problem in failed)
        later = [problem for problem in failed if isinstance(problem, ReceiverUnavailable)]
        if later:
            raise ReceiverUnavailable(text, retry_after_s=min(problem.retry_after_s for problem in later))
        raise ReceiverRefused(text)

    def _attempt(self, poster: Poster, body: bytes) -> _Problem | None:
        try:
            poster.post(body, self._headers, path=_PATH)
        except (ReceiverUnavailable, ReceiverRefused) as error:
            return error
        return None

    def _note(self, problems: Mapping[str, _Problem | None]) -> None:
        """Keep which peers fail and since when. Log each change once."""
        with self._lock:
            for peer, problem in problems.items():
                known = self._failing.get(peer)
                if problem is None:
                    if self._failing.pop(peer, None) is not None:
                        log.info("receiver %s: peer %s takes alerts again", self.name, peer)
                    continue
                if known is None:
                    log.warning("%s; its alerts are sent again every %.0f s", problem, self.repeat_s)
                since = self._now() if known is None else known.since
                self._failing[peer] = FailingPeer(peer=peer, since=since, error=str(problem))


def build(name: str, options: Mapping[str, Any], output: TextIO) -> Alertmanager:  # noqa: ARG001  the signature of a kind
    """Return an Alertmanager receiver.

    `options` has `urls`, `repeat_s`, `hold_s` and `timeout_s`; optional are `labels`, `login` (name and password),
    `bearer_token`, `ca_file` and `templates`.
    """
    posters = [Poster(name, url, options["timeout_s"], ca_file=options.get("ca_file")) for url in options["urls"]]
    return Alertmanager(
        {poster.host: poster for poster in posters},
        name=name,
        repeat_s=options["repeat_s"],
        hold_s=options["hold_s"],
        headers=_authorization(options.get("login"), options.get("bearer_token")),
        labels=options.get("labels", {}),
        templates=checked_templates(name, options.get("templates", {})),
    )


def _authorization(login: tuple[str, str] | None, token: str | None) -> dict[str, str]:
    if token is not None:
        return {"Authorization": f"Bearer {token}"}
    if login is None:
        return {}
    return {"Authorization": f"Basic {b64encode(':'.join(login).encode()).decode('ascii')}"}
