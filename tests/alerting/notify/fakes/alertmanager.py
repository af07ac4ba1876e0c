"""The rules of Alertmanager's API v2. A check raises AssertionError for a request that breaks them.

https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml: postableAlerts. tests/alerting/notify/real has
the same tests with a real Alertmanager.
"""

import re
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from tests.alerting.notify.fakes.rules import fields
from tests.alerting.notify.fakes.vendor import Rules, Vendor, vendor

_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")


def postable_alerts(path: str, body: Any) -> None:
    assert path == "/api/v2/alerts"
    assert isinstance(body, list)
    for alert in body:
        optional = {"annotations": dict, "startsAt": str, "endsAt": str, "generatorURL": str}
        fields("alert", alert, {"labels": dict}, optional)
        assert alert["labels"], "at least one label is required"
        for name, value in [*alert["labels"].items(), *alert.get("annotations", {}).items()]:
            assert _NAME.fullmatch(name), f"invalid name {name!r}"
            assert isinstance(value, str)
        assert all(alert["labels"].values()), "an empty label is dropped"
        times = {key: datetime.fromisoformat(alert[key]) for key in ("startsAt", "endsAt") if key in alert}
        assert all(at.tzinfo is not None for at in times.values())
        if len(times) == 2:
            assert times["startsAt"] <= times["endsAt"], "start time must be before end time"
        assert alert.get("generatorURL", "http://").startswith(("http://", "https://"))
    identities = [frozenset(alert["labels"].items()) for alert in body]
    assert len(set(identities)) == len(identities), "the order of two alerts with the same labels is lost"


@contextmanager
def alertmanager(authorization: str | None = None, tls: ssl.SSLContext | None = None) -> Iterator[Vendor]:
    """Serve the API; `url` is its base."""
    rules = Rules(check=postable_alerts, accepted=(200, ""), rejected='"bad request"', authorization=authorization)
    with vendor("alertmanager", rules, tls=tls) as fake:
        fake.url = f"{'http' if tls is None else 'https'}://127.0.0.1:{fake.port}"
        yield fake
