"""A forwarder in front of a port of the daemon. It passes the data of a client on unchanged and keeps a copy.

A field that a family declares as not sent is searched in the copy: a value in the copy and in no row is an error of
driftd.
"""

import socket
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

GZIP: Final = b"\x1f\x8b\x08"
PIECE: Final = 1 << 16


class Tap:
    """Listens on a free port and connects each client to the daemon."""

    def __init__(self, url: str) -> None:
        self._port = int(url.rsplit(":", 1)[1])
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._sent: list[bytearray] = []  # one for each connection, in order
        self._ends: list[socket.socket] = []  # of every connection, closed when the tap stops
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def was_sent(self, text: str) -> bool:
        """Return whether the text was sent, plain or in a gzip body."""
        wanted = text.encode()
        return any(wanted in plain for response in self._sent for plain in _plain(bytes(response)))

    def stop(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(timeout=5)
        for end in self._ends:
            end.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            kept = bytearray()
            self._sent.append(kept)
            daemon = socket.create_connection(("127.0.0.1", self._port))
            self._ends += [client, daemon]
            for source, sink, copy in ((client, daemon, kept), (daemon, client, None)):
                thread = threading.Thread(target=_forward, args=(source, sink, copy), daemon=True)
                self._threads.append(thread)
                thread.start()


def _forward(source: socket.socket, sink: socket.socket, copy: bytearray | None) -> None:
    """Forward until one side closes, then close the other."""
    with suppress(OSError):
        while piece := source.recv(PIECE):
            if copy is not None:
                copy += piece
            sink.sendall(piece)
    for end in (source, sink):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


def _plain(response: bytes) -> Iterator[bytes]:
    """Yield the bytes unchanged, and each gzip body in them decompressed."""
    yield response
    start = response.find(GZIP)
    while start >= 0:
        with suppress(zlib.error):
            yield zlib.decompressobj(wbits=31).decompress(response[start:])
        start = response.find(GZIP, start + 1)


@contextmanager
def tapped(url: str) -> Iterator[Tap]:
    tap = Tap(url)
    try:
        yield tap
    finally:
        tap.stop()
