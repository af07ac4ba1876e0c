"""Ports of 127.0.0.1 that nothing listens on."""

import socket
from contextlib import ExitStack
from random import Random

BELOW_EPHEMERAL = range(12_000, 30_000)  # a client that looks for a dead daemon cannot meet itself here


def free_port() -> int:
    """Return a port that the system selects."""
    [port] = free_ports(1)
    return port


def free_ports(count: int) -> list[int]:
    """Return different ports that the system selects."""
    with ExitStack() as held:
        probes = [held.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


def reserved_ports(count: int, rng: Random) -> list[int]:
    """Return different ports that stay free while a daemon is down: the system does not assign them automatically."""
    with ExitStack() as held:
        found: list[int] = []
        while len(found) < count:
            probe = held.enter_context(socket.socket())
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            port = rng.choice(BELOW_EPHEMERAL)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            found.append(port)
        return found
