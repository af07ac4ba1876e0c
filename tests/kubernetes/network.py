"""A network namespace of the tests, connected to this machine by one pair of interfaces."""

import secrets
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Network:
    """`outside` is the address of this machine in it, `inside` that of the namespace: both of TEST-NET-1 (RFC 5737)."""

    name: str
    outside: str
    inside: str

    def command(self, *command: Any) -> list[str]:
        """Return the command inside of the namespace. `ip netns exec` would hide the cgroups."""
        return ["nsenter", f"--net=/var/run/netns/{self.name}", *map(str, command)]


@contextmanager
def network() -> Iterator[Network]:
    """Make a namespace, and remove it with everything in it."""
    tag = secrets.token_hex(3)
    number = 4 * secrets.randbelow(60)
    made = Network(name=f"driftd-{tag}", outside=f"192.0.2.{number + 1}", inside=f"192.0.2.{number + 2}")
    there, here = f"drt{tag}i", f"drt{tag}o"
    _run("ip", "netns", "add", made.name)
    try:
        _run("ip", "link", "add", here, "type", "veth", "peer", "name", there, "netns", made.name)
        _run("ip", "address", "add", f"{made.outside}/30", "dev", here)
        _run("ip", "link", "set", here, "up")
        _run(*made.command("ip", "address", "add", f"{made.inside}/30", "dev", there))
        _run(*made.command("ip", "link", "set", there, "up"))
        _run(*made.command("ip", "link", "set", "lo", "up"))
        _run(*made.command("ip", "route", "add", "default", "via", made.outside))  # kubelet asks for one
        yield made
    finally:
        _run("ip", "netns", "delete", made.name)


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
