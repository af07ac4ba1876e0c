"""A real server on loopback whose answer comes byte by byte and never ends."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

HEAD = b"HTTP/1.1 200 OK\r\nX-Slow: " + b"." * 10_000


@contextmanager
def dripping(pause_s: float = 0.05) -> Iterator[str]:
    """The address of the server: it takes each request and answers one byte in every `pause_s`."""
    over = threading.Event()

    def answer(connection: socket.socket) -> None:
        with connection, suppress(OSError):  # the sender hangs up
            connection.recv(65536)
            for byte in HEAD:
                connection.sendall(bytes([byte]))
                if over.wait(pause_s):
                    return

    def serve(server: socket.socket) -> None:
        while True:
            connection, _ = server.accept()
            if over.is_set():
                connection.close()
                return
            thread = threading.Thread(target=answer, args=(connection,), name="drip")
            thread.start()
            threads.append(thread)

    threads: list[threading.Thread] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        serving = threading.Thread(target=serve, args=(server,), name="drips")
        serving.start()
        try:
            yield f"http://127.0.0.1:{port}/hooks/s3cret"
        finally:
            over.set()
            socket.create_connection(("127.0.0.1", port)).close()  # wakes accept
            serving.join()
            for thread in threads:
                thread.join()
