"""Read the body of a request, limited before and after decompression, whatever its headers claim."""

import zlib
from collections.abc import AsyncIterator, Mapping

import pyarrow as pa

from monitor.errors import MalformedRecord, Permanent

GZIP = 16 + zlib.MAX_WBITS
ENCODINGS = ("gzip", "deflate", "zstd")
MAX_RECORDS = 50_000  # of one request: an empty record is two bytes in the body and a kilobyte in memory
ON_THE_WIRE = "before decompression (ingest.limits.wire_mb)"
MAX_MEMBERS = 1000  # each one copies the rest: half a million empty members would block a thread for an hour


class TooLarge(Permanent):
    """A request or body above a limit. Split the batch, or raise the limit in the message."""

    status = 413
    code = "too_large"


class UnsupportedMedia(Permanent):
    status = 415
    code = "unsupported_media"


async def read_body(headers: Mapping[str, str], chunks: AsyncIterator[bytes], max_bytes: int) -> bytes:
    """Return the body, still compressed. Raise TooLarge as soon as it has too many bytes."""
    declared = headers.get("content-length", "")
    if declared.isdigit() and int(declared[:20]) > max_bytes:
        raise _too_large(max_bytes, ON_THE_WIRE)
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > max_bytes:
            raise _too_large(max_bytes, ON_THE_WIRE)
    return bytes(body)


def decompress(body: bytes, encoding: str | None, max_bytes: int) -> bytes:
    """Return the decompressed body. Decompression stops after `max_bytes`, so a bomb is never inflated completely.

    Without an `encoding` the first bytes decide: no OTLP message in protobuf begins like gzip or zlib.
    """
    match _detected_encoding(body) if encoding is None else encoding.strip().lower():
        case "" | "identity":
            if len(body) > max_bytes:
                raise _too_large(max_bytes)
            return body
        case "gzip" | "x-gzip":
            return _inflate(body, GZIP, max_bytes)
        case "deflate" | "zlib":  # the Collector's exporter sends zlib for the encoding that RFC 9110 calls deflate
            return _inflate(body, zlib.MAX_WBITS if _has_zlib_header(body) else -zlib.MAX_WBITS, max_bytes)
        case "zstd":
            return _unpack_zstd(body, max_bytes)
        case other:
            raise UnsupportedMedia(f"content encoding {other[:40]!r} is unknown; known: {', '.join(ENCODINGS)}")


def _inflate(body: bytes, wbits: int, max_bytes: int) -> bytes:
    """Return the content of gzip or zlib. Gzip may have several members in sequence."""
    plain = bytearray()
    rest, members = body, 0
    while rest:
        if (members := members + 1) > MAX_MEMBERS:
            raise MalformedRecord(f"the body cannot be decompressed: it has more than {MAX_MEMBERS} members")
        member = zlib.decompressobj(wbits)
        try:
            plain += member.decompress(rest, max_bytes + 1 - len(plain))
        except zlib.error as error:
            raise MalformedRecord(f"the body cannot be decompressed: {error}") from error
        if len(plain) > max_bytes:
            raise _too_large(max_bytes)
        if not member.eof:
            raise MalformedRecord("the body cannot be decompressed: it ends early")
        rest = member.unused_data
    return bytes(plain)


def _unpack_zstd(body: bytes, max_bytes: int) -> bytes:
    """Return the content of zstd, decompressed with Arrow. The window that a frame claims takes no memory before data
    fills it.
    """
    if not body:
        return body
    try:
        with pa.CompressedInputStream(pa.BufferReader(body), "zstd") as stream:
            plain: bytes = stream.read(max_bytes + 1)
            if len(plain) > max_bytes:
                raise _too_large(max_bytes)
            return plain
    except (OSError, pa.ArrowException) as error:
        raise MalformedRecord(f"the body cannot be decompressed: {str(error)[:200]}") from error


def _detected_encoding(body: bytes) -> str:
    if body[:2] == b"\x1f\x8b":
        return "gzip"
    return "deflate" if _has_zlib_header(body) else ""


def _has_zlib_header(body: bytes) -> bool:
    """Return whether the body has a zlib header. RFC 9110 means zlib by `deflate`; some senders omit the header."""
    return len(body) >= 2 and body[0] & 0x0F == 8 and int.from_bytes(body[:2]) % 31 == 0


def too_many_records() -> TooLarge:
    return TooLarge(f"the request has more than {MAX_RECORDS} records (ingest.limits.records); send smaller batches")


def _too_large(max_bytes: int, which: str = "after decompression (ingest.max_body_mb)") -> TooLarge:
    return TooLarge(f"the body is larger than {max_bytes} bytes {which}; send smaller batches")
