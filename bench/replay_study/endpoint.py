"""An OpenAI-compatible endpoint of fixed latency: `python -m bench.replay_study.endpoint` prints its address.

It is HTTP/1.1 by hand and reads a request with one pattern, so that it costs a small part of what any client costs; it
tells its own CPU time and how late its answers were. Times are of the system-wide monotonic clock.

POST /v1/chat/completions answers, POST /_begin?latency_ms=50 sets the counts to 0, GET /_counts returns them. With
`reply_characters` of /_begin, each answer ends with that many characters of prose, which differ from answer to answer.
"""

import asyncio
import json
import re
import sys
import time
from dataclasses import asdict, dataclass
from functools import cache
from random import Random
from urllib.parse import parse_qs, urlsplit

from bench.ingest_study.words import prose
from bench.replay_study.questions import given_answer

MODEL = "mock-model"
PROSE_CHARACTERS = 1_000_003  # a prime, so that the beginnings of the replies repeat late
_LENGTH = re.compile(rb"(?i)\r\ncontent-length:[ \t]*(\d+)")
_QUESTION = re.compile(rb"How much is (\d+) plus \d+\?")
_COMPLETION = (
    '{"id":"chatcmpl-%d","object":"chat.completion","created":1750000000,"model":"' + MODEL + '",'
    '"choices":[{"index":0,"message":{"role":"assistant","content":"%s"},"logprobs":null,"finish_reason":"stop"}],'
    '"usage":{"prompt_tokens":12,"completion_tokens":3,"total_tokens":15},"system_fingerprint":"fp_mock"}'
)


@dataclass(slots=True)
class EndpointCounts:
    """What the endpoint saw since it last began to count."""

    requests: int = 0
    answers: int = 0
    not_understood: int = 0
    most_in_flight: int = 0
    connections: int = 0
    first_request_at: float = 0.0
    last_answer_at: float = 0.0
    late_s: float = 0.0  # all answers together, beyond the fixed latency
    most_late_s: float = 0.0
    cpu_s: float = 0.0


class Endpoint:
    """The counts, and what is answered."""

    def __init__(self) -> None:
        self.latency_s = 0.0
        self.reply_characters = 0
        self.begin(0.0)

    def begin(self, latency_s: float, reply_characters: int = 0) -> None:
        self.latency_s, self.reply_characters = latency_s, reply_characters
        if reply_characters:
            _long_prose()  # before anyone waits for an answer
        self._counted = EndpointCounts()
        self._cpu_before_s = time.process_time()

    def counts(self) -> EndpointCounts:
        self._counted.cpu_s = time.process_time() - self._cpu_before_s
        return self._counted

    def connected(self) -> None:
        self._counted.connections += 1

    def asked(self, now: float) -> None:
        counts = self._counted
        counts.requests += 1
        counts.first_request_at = counts.first_request_at or now
        counts.most_in_flight = max(counts.most_in_flight, counts.requests - counts.answers)

    def answered(self, due: float, now: float) -> None:
        counts = self._counted
        counts.answers += 1
        counts.last_answer_at = now
        counts.late_s += now - due
        counts.most_late_s = max(counts.most_late_s, now - due)

    def completion(self, body: bytes) -> bytes | None:
        """The answer to the last question in the body; None when there is none."""
        found = _QUESTION.findall(body)
        if not found:
            self._counted.not_understood += 1
            return None
        number = int(found[-1])
        return (_COMPLETION % (number, given_answer(number) + self._more())).encode()

    def _more(self) -> str:
        if not self.reply_characters:
            return ""
        start = 7919 * self._counted.requests % (PROSE_CHARACTERS - self.reply_characters)
        return " " + _long_prose()[start : start + self.reply_characters]


class Connection(asyncio.Protocol):
    """One connection of a client; its requests are answered in their order."""

    def __init__(self, endpoint: Endpoint, loop: asyncio.AbstractEventLoop) -> None:
        self._endpoint = endpoint
        self._loop = loop
        self._transport: asyncio.Transport | None = None
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._endpoint.connected()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 (the Protocol's signature)
        self._transport = None

    def data_received(self, data: bytes) -> None:
        self._received += data
        while (end := self._received.find(b"\r\n\r\n")) >= 0:
            head = self._received[:end]
            length = _LENGTH.search(head)
            stop = end + 4 + (int(length[1]) if length else 0)
            if len(self._received) < stop:
                return
            body, self._received = self._received[end + 4 : stop], self._received[stop:]
            self._take(head, body)

    def _take(self, head: bytes, body: bytes) -> None:
        method, target, _ = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ", 2)
        if method == "POST" and target == "/v1/chat/completions":
            now = self._loop.time()
            self._endpoint.asked(now)
            due = now + self._endpoint.latency_s
            self._loop.call_at(due, self._answer, body, due)
        else:
            self._send(*self._aside(method, target))

    def _answer(self, body: bytes, due: float) -> None:
        completion = self._endpoint.completion(body)
        if completion is None:
            self._send(400, b'{"error":{"message":"no question of this study","code":"invalid_request"}}')
        else:
            self._send(200, completion)
        self._endpoint.answered(due, self._loop.time())

    def _aside(self, method: str, target: str) -> tuple[int, bytes]:
        """What is not asked by the questions."""
        parts = urlsplit(target)
        if method == "POST" and parts.path == "/_begin":
            asked = parse_qs(parts.query)
            characters = int(asked.get("reply_characters", ["0"])[0])
            self._endpoint.begin(float(asked["latency_ms"][0]) / 1000, characters)
        elif parts.path == "/v1/models":
            return 200, json.dumps({"object": "list", "data": [{"id": MODEL, "object": "model"}]}).encode()
        elif parts.path != "/_counts":
            return 404, b'{"error":{"message":"no such path","code":"not_found"}}'
        return 200, json.dumps(asdict(self._endpoint.counts())).encode()

    def _send(self, status: int, body: bytes) -> None:
        if self._transport is not None:
            head = b"HTTP/1.1 %d -\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
            self._transport.write(head % (status, len(body)) + body)


@cache
def _long_prose() -> str:
    return prose(Random(7), PROSE_CHARACTERS)


async def serve() -> None:
    """Until standard input ends: so an endpoint never outlives who started it."""
    endpoint, loop = Endpoint(), asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(endpoint, loop), "127.0.0.1", 0, backlog=4096)
    host, port = server.sockets[0].getsockname()[:2]
    sys.stdout.write(f"http://{host}:{port}\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(serve())
