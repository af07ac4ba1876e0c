"""Checks across keys: names that must exist, addresses that must differ, listeners that need tokens."""

import ipaddress
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import combinations
from typing import TYPE_CHECKING

from monitor.config.judge_references import judge_problems
from monitor.config.receivers.alertmanager import AlertmanagerReceiver
from monitor.domain.calendar.windows import first_free
from monitor.domain.evalset import SetKind
from monitor.errors import unknown

if TYPE_CHECKING:
    from monitor.config.tree import Config

_ANY_TIME = datetime(2026, 1, 1, tzinfo=UTC)  # windows repeat every week


def problems_of(config: "Config") -> list[str]:
    """Return one sentence for each contradiction between keys."""
    return [
        *_unknown_names(config),
        *_repeated_names(config),
        *_closed_schedules(config),
        *_shared_dynamic_sets(config),
        *judge_problems(config),
        *_unprotected_listeners(config),
        *_duplicate_topics(config),
        *_slow_watchdog(config),
    ]


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach `host`. Names other than localhost count as reachable."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _unknown_names(config: "Config") -> Iterator[str]:
    for name, deployment in config.deployments.items():
        where = f"deployment {name!r}"
        yield from _missing(where, "target", [deployment.target], config.targets)
        yield from _missing(where, "eval set", deployment.sets, config.sets)
        target = config.targets.get(deployment.target)
        for key in ("budget", "daily_budget", "monthly_budget"):
            limited = getattr(deployment.replay, key).usd is not None
            if limited and target is not None and target.price is None:
                yield (
                    f"{where}: replay.{key}.usd needs targets.{deployment.target}.price: without a price the "
                    "cost is unknown; set the price, or limit tokens or requests instead"
                )
    for name, schedule in config.schedules.items():
        yield from _missing(f"schedule {name!r}", "deployment", schedule.deployments, config.deployments)
        yield from _missing(f"schedule {name!r}", "window", schedule.blackouts, config.windows)
    for where, receivers in _named_receivers(config):
        yield from _missing(where, "receiver", receivers, config.receivers)
    yield from _missing("retention.deployments", "deployment", list(config.retention.deployments), config.deployments)
    if config.ingest.default_deployment is not None:
        yield from _missing(
            "ingest.default_deployment", "deployment", [config.ingest.default_deployment], config.deployments
        )


def _closed_schedules(config: "Config") -> Iterator[str]:
    """Yield the schedules whose blackouts leave no time free, so that a postponed replay would never run."""
    for name, schedule in config.schedules.items():
        windows = [config.windows[each].window(each) for each in schedule.blackouts if each in config.windows]
        if windows and first_free(windows, _ANY_TIME) is None:
            named = ", ".join(schedule.blackouts)
            yield f"schedule {name!r}: the windows {named} leave no time of the week free; shorten one of them"


def _named_receivers(config: "Config") -> Iterator[tuple[str, Sequence[str]]]:
    """Yield each key that names receivers, with the names."""
    yield "alerts.receivers", config.alerts.receivers
    yield "alerts.escalation.receivers", config.alerts.escalation.receivers
    yield "alerts.watchdog.receivers", config.alerts.watchdog.receivers
    for name, rule in config.alerts.rules.items():
        yield f"alerts.rules.{name}.receivers", rule.receivers


def _slow_watchdog(config: "Config") -> Iterator[str]:
    """Yield the receivers of the Watchdog that would resolve it between two of its signals."""
    every_s = config.alerts.watchdog.every_s
    for name in config.alerts.watchdog.receivers:
        receiver = config.receivers.get(name)
        if isinstance(receiver, AlertmanagerReceiver) and every_s >= receiver.hold_s:
            yield (
                f"alerts.watchdog.every_s is {every_s:.0f}: receiver {name!r} keeps an alert for"
                f" {receiver.hold_s:.0f} s (four times receivers.{name}.resend_s); choose a shorter interval"
            )


def _duplicate_topics(config: "Config") -> Iterator[str]:
    """Return the topics that two sources read: both would store every record. The broker names identify a cluster."""
    seen: dict[tuple[str, str], str] = {}
    for name, source in config.ingest.kafka.items():
        for server in source.bootstrap_servers:
            for topic in source.topics:
                other = seen.setdefault((server, topic), name)
                if other != name:
                    yield f"ingest.kafka.{name}: topic {topic!r} of {server} is read by ingest.kafka.{other} already"


def _missing(where: str, kind: str, names: Sequence[str], known: Iterable[str]) -> Iterator[str]:
    known = list(known)
    for name in names:
        if name not in known:
            yield f"{where}: {unknown(kind, name, known)}"


def _repeated_names(config: "Config") -> Iterator[str]:
    for name, deployment in config.deployments.items():
        yield from _repeated(f"deployment {name!r}: eval set", deployment.sets)
        yield from _repeated(f"deployment {name!r}: identity field", deployment.identity)
    services = [service for deployment in config.deployments.values() for service in deployment.service_names]
    yield from _repeated("deployments: service name", services)
    for name, schedule in config.schedules.items():
        yield from _repeated(f"schedule {name!r}: deployment", schedule.deployments)
        yield from _repeated(f"schedule {name!r}: window", schedule.blackouts)
    for where, receivers in _named_receivers(config):
        yield from _repeated(f"{where}: receiver", receivers)
    yield from _repeated("api.tokens: token name", [token.name for token in config.api.tokens])


def _repeated(what: str, names: Sequence[str]) -> Iterator[str]:
    for name, count in Counter(names).items():
        if count > 1:
            yield f"{what} {name!r} is given {count} times; keep one"


def _shared_dynamic_sets(config: "Config") -> Iterator[str]:
    for name, settings in config.sets.items():
        users = [d for d, deployment in config.deployments.items() if name in deployment.sets]
        if settings.kind is SetKind.DYNAMIC and len(users) > 1:
            named = ", ".join(users)
            yield f"set {name!r}: it grows from one deployment's corrections, but {named} name it; give each its own"


def _unprotected_listeners(config: "Config") -> Iterator[str]:
    binds = {
        "api": (config.api.host, config.api.port),
        "ingest.otlp": (config.ingest.otlp.host, config.ingest.otlp.port),
        "ingest.otlp_grpc": (config.ingest.otlp_grpc.host, config.ingest.otlp_grpc.port),
    }
    for key, (host, _) in binds.items():
        if not is_loopback(host) and not config.api.tokens and config.api.oidc is None:
            yield f"{key}.host: {host} is reachable from other machines; set api.tokens or listen on 127.0.0.1"
    for (key, bind), (other, taken) in combinations(binds.items(), 2):
        if bind == taken and bind[1]:
            yield f"{key}.port: {bind[1]} is also {other}.port; give each its own"
