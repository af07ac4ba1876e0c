import base64
import random
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.errors import SealError
from replay.evalsets.sealing import Sealer, key_text, load_key, new_key

KEY = bytes(range(32))
keys = st.binary(min_size=32, max_size=32)
texts = st.text(st.characters(exclude_categories=["Cs"]))


@given(keys, st.binary(), texts)
def test_what_was_sealed_opens_with_its_key_and_context(key: bytes, plain: bytes, context: str) -> None:
    sealer = Sealer(key)
    assert sealer.open(sealer.seal(plain, context), context) == plain


def test_nothing_of_the_plain_text_or_the_key_stands_in_the_sealed_bytes() -> None:
    sealed = Sealer(KEY).seal(b"Is 17077 a prime number?", "primes/prime-0")
    assert b"17077" not in sealed
    assert KEY not in sealed
    assert KEY.hex() not in repr(Sealer(KEY))


def test_equal_texts_seal_differently() -> None:
    sealer = Sealer(KEY)
    assert sealer.seal(b"yes", "a") != sealer.seal(b"yes", "a")


def test_the_nonce_comes_from_the_given_random_bytes() -> None:
    def sealed() -> bytes:
        return Sealer(KEY, random.Random(7).randbytes).seal(b"yes", "a")

    assert sealed() == sealed()


def test_another_key_is_told_apart_from_changed_bytes() -> None:
    other = bytes(32)
    sealed = Sealer(other).seal(b"yes", "primes/prime-0")
    with pytest.raises(SealError) as caught:
        Sealer(KEY).open(sealed, "primes/prime-0")
    assert str(caught.value) == (
        f"primes/prime-0: sealed with key {Sealer(other).key_id}, the given key is {Sealer(KEY).key_id}; "
        "give the key file this set was imported with, or name it under old_keys"
    )


def test_a_value_does_not_open_in_another_place() -> None:
    sealed = Sealer(KEY).seal(b"yes", "primes/prime-0")
    with pytest.raises(SealError, match="primes/prime-1: the sealed bytes were changed or belong to another place"):
        Sealer(KEY).open(sealed, "primes/prime-1")


@given(st.data())
def test_no_changed_byte_goes_unnoticed(data: st.DataObject) -> None:
    sealed = bytearray(Sealer(KEY).seal(b"Is 7 a prime number?", "a"))
    at = data.draw(st.integers(0, len(sealed) - 1))
    sealed[at] ^= data.draw(st.integers(1, 255))
    with pytest.raises(SealError):
        Sealer(KEY).open(bytes(sealed), "a")


def test_a_cut_value_and_a_foreign_format_are_named() -> None:
    sealed = Sealer(KEY).seal(b"", "a")
    with pytest.raises(SealError, match="a: 32 bytes are too few"):
        Sealer(KEY).open(sealed[:-1], "a")
    with pytest.raises(SealError, match="a: sealed in format 2, this driftd reads format 1"):
        Sealer(KEY).open(b"\x02" + sealed[1:], "a")


def test_a_value_sealed_by_the_first_release_still_opens() -> None:
    sealed = bytes.fromhex(
        "01630dcd2938b4e652e44da7f2370d9e263325e06f5a6b31f4f11b784607d6f70bca6deb72afa76b66d4e0ce4928ab40107ceadc59"
    )
    assert Sealer(KEY).open(sealed, "primes/prime-0") == b"Is 7 a prime number?"


def test_a_mac_stays_what_it_was_in_the_first_release() -> None:
    assert Sealer(KEY).mac("yes") == "568d9154e932cf2e3c2d8bd3b53ca93571d18914efdeed3f85a1243079d475d0"


@given(texts)
def test_a_mac_is_equal_for_spellings_of_one_text(text: str) -> None:
    sealer = Sealer(KEY)
    assert sealer.mac(f" {unicodedata.normalize('NFD', text)}\n") == sealer.mac(unicodedata.normalize("NFC", text))


def test_a_mac_depends_on_the_text_and_the_key() -> None:
    assert len({Sealer(KEY).mac("yes"), Sealer(KEY).mac("no"), Sealer(bytes(32)).mac("yes")}) == 3


@given(keys)
def test_a_key_is_read_from_every_form_it_is_kept_in(key: bytes) -> None:
    urlsafe = base64.urlsafe_b64encode(key).decode().rstrip("=")
    forms: list[bytes | str] = [
        key,
        key_text(key),
        key_text(key).encode() + b"\n",
        key.hex(),
        key.hex().upper(),
        urlsafe,
    ]
    assert [load_key(form) for form in forms] == [key] * len(forms)


@pytest.mark.parametrize(
    "given_key", [b"", "", "secret", b"x" * 31, b"\xff" * 33, "zz" * 32, "ü" * 44, key_text(bytes(16))]
)
def test_what_is_no_key_is_told_the_forms_there_are(given_key: bytes | str) -> None:
    with pytest.raises(
        SealError, match=r"a key must be 32 raw bytes, or their base64 \(44 characters\) or hexadecimal"
    ):
        load_key(given_key)


def test_the_error_about_a_key_does_not_print_it() -> None:
    with pytest.raises(SealError) as caught:
        load_key("almost-a-secret")
    assert "almost" not in str(caught.value)


def test_a_sealer_takes_no_short_key() -> None:
    with pytest.raises(SealError, match="a key must have 32 bytes, this one has 5"):
        Sealer(b"short")


def test_new_keys_differ_and_come_from_the_given_random_bytes() -> None:
    assert new_key() != new_key()
    assert new_key(random.Random(1).randbytes) == random.Random(1).randbytes(32)
