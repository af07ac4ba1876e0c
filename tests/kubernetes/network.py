"""A network namespace of the tests, connected to this machine by one pair of interfaces."""

import asyncio
import secrets
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

PODS: Final = "198.51.100.0/24"  # TEST-NET-2 (RFC 5737)


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
        # Pods with a route and this machine reach each other.
        _run(*made.command("sysctl", "--write", "net.ipv4.ip_forward=1"))
        _run("ip", "route", "replace", PODS, "via", made.inside, "dev", here)
        yield made
    finally:
        _run("ip", "netns", "delete", made.name)


@contextmanager
def published(address: str, *ports: int) -> Iterator[None]:
    """Make servers that listen on 127.0.0.1 reachable at the same ports of an address of this machine."""
    loop, ready, stop = asyncio.new_event_loop(), threading.Event(), asyncio.Event()

    async def serve() -> None:
        servers = [await asyncio.start_server(_to_loopback(port), address, port) for port in ports]
        ready.set()
        await stop.wait()
        for server in servers:
            server.close()

    thread = threading.Thread(target=loop.run_until_complete, args=[serve()], name="published")
    thread.start()
    try:
        assert ready.wait(10)
        yield
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)


def _to_loopback(port: int) -> Any:
    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(_copy(reader, back), _copy(there, writer))

    return connected


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):  # either side may have gone
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
