"""How large a reply may be: bytes of the answers that one call reads, and characters of what it says."""

import zlib
from collections.abc import Iterator

from replay.targets.failure import ErrorClass, failed
from replay.targets.settings import TargetSettings
from replay.types import Reply

PIECE_BYTES = 65536
MAX_MEMBERS = 16  # of a gzip body; servers send one
_GZIP_WBITS = 16 + zlib.MAX_WBITS
_MB = 2**20


class Allowance:
    """The bytes that one call may still read, over all the requests it makes.

    Bytes on the wire and decompressed bytes are counted apart, each against the whole limit.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._received = 0
        self._expanded = 0

    def receive(self, size: int) -> None:
        """Count bytes as they came over the wire or out of a program. CallError beyond the limit."""
        self._received += size
        self._check(self._received)

    def expand(self, size: int) -> None:
        """Count bytes after decompression. CallError beyond the limit."""
        self._expanded += size
        self._check(self._expanded)

    def _check(self, size: int) -> None:
        if size > self._max_bytes:
            raise failed(
                ErrorClass.REPLY_TOO_LARGE,
                f"reply exceeds {self._max_bytes / _MB:g} MiB (max_reply_mb of the target); raise the limit or ask for"
                " shorter answers",
            )


def check_length(reply: Reply, settings: TargetSettings) -> Reply:
    """Return the reply. CallError when its text and its tool calls have too many characters together."""
    called = sum(len(call.arguments) + len(call.result or "") for call in reply.tool_calls)
    if len(reply.text) + called > settings.max_reply_chars:
        raise failed(
            ErrorClass.REPLY_TOO_LARGE,
            f"reply exceeds {settings.max_reply_chars} characters (max_reply_chars of the target); raise the limit or"
            " ask for shorter answers",
        )
    return reply


class Inflater:
    """Decompresses a body piece by piece, so that no piece of the result is larger than 64 KiB.

    CallError for an encoding that was not asked for and for a body that is not in its encoding.
    """

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding.strip().lower() or "identity"
        if self._encoding not in {"identity", "gzip", "x-gzip", "deflate"}:
            raise failed(ErrorClass.MALFORMED_REPLY, "the answer has a Content-Encoding that was not asked for")
        self._open = self._encoding != "identity"
        self._stream = None if not self._open or self._encoding == "deflate" else zlib.decompressobj(_GZIP_WBITS)
        self._members = 1

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what these bytes decompress to."""
        if not self._open:
            yield data
            return
        try:
            yield from self._inflated(data)
        except zlib.error:
            raise failed(ErrorClass.MALFORMED_REPLY, "the answer cannot be decompressed") from None

    def close(self) -> None:
        """The body is over. CallError when its compressed form is not."""
        if self._open and self._stream is not None and not self._stream.eof:
            raise failed(ErrorClass.MALFORMED_REPLY, "the compressed answer is cut off")

    def _inflated(self, data: bytes) -> Iterator[bytes]:
        while data:
            stream = self._stream = self._stream_for(data)
            piece = stream.decompress(data, PIECE_BYTES)
            if piece:
                yield piece
            data = stream.unused_data if stream.eof else stream.unconsumed_tail

    def _stream_for(self, data: bytes) -> "zlib._Decompress":
        if self._stream is None:  # deflate: with the header that RFC 9110 demands, or without, as some servers send it
            return zlib.decompressobj(zlib.MAX_WBITS if data[0] & 0xF == zlib.DEFLATED else -zlib.MAX_WBITS)
        if not self._stream.eof:
            return self._stream
        self._members += 1
        if self._encoding == "deflate" or self._members > MAX_MEMBERS:
            raise failed(ErrorClass.MALFORMED_REPLY, "the compressed answer has more than one part")
        return zlib.decompressobj(_GZIP_WBITS)
