import gzip
import zlib
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.errors import MalformedRecord
from monitor.ingest.http.body import TooLarge, UnsupportedMedia, decompress

LIMIT = 10_000


@given(plain=st.binary(max_size=2000))
def test_a_compressed_body_is_decompressed(plain: bytes) -> None:
    assert decompress(plain, "", LIMIT) == plain
    assert decompress(gzip.compress(plain), " GZIP ", LIMIT) == plain
    assert decompress(zlib.compress(plain), "deflate", LIMIT) == plain
    assert decompress(gzip.compress(plain) + gzip.compress(b"more"), "gzip", LIMIT) == plain + b"more"


@given(body=st.binary(min_size=1, max_size=200), encoding=st.sampled_from(["gzip", "deflate"]))
def test_any_bytes_are_plain_or_malformed(body: bytes, encoding: str) -> None:
    with suppress(MalformedRecord):
        assert len(decompress(body, encoding, LIMIT)) <= LIMIT


@pytest.mark.parametrize("members", [1, 50])
def test_a_compression_bomb_is_rejected_in_every_encoding(members: int) -> None:
    bomb = gzip.compress(b"0" * (50 * LIMIT // members)) * members
    with pytest.raises(TooLarge, match="larger than 10000 bytes"):
        decompress(bomb, "gzip", LIMIT)


def test_a_body_of_exactly_the_limit_passes() -> None:
    assert len(decompress(gzip.compress(b"0" * LIMIT), "gzip", LIMIT)) == LIMIT


def test_other_encodings_are_named() -> None:
    with pytest.raises(UnsupportedMedia, match="content encoding 'br' is unknown; known: gzip, deflate"):
        decompress(b"", "br", LIMIT)


def test_a_body_of_very_many_members_is_rejected_early() -> None:
    with pytest.raises(MalformedRecord, match="more than 1000 members"):
        decompress(gzip.compress(b"") * 300_000, "gzip", 1000)
