import hashlib
import json

import pytest

from monitor.changes.fingerprint import identity_from, identity_of

DEFAULT = ("response_model", "prompt")
HASH = "3f2a9c" + "0" * 58


def test_the_digest_is_the_first_twelve_hex_of_canonical_json() -> None:
    identity = identity_of(DEFAULT, response_model="gpt-4-0314", prompt_hash=HASH)
    canonical = json.dumps({"prompt": HASH, "response_model": "gpt-4-0314"}, separators=(",", ":"))
    assert identity is not None
    assert identity.digest == hashlib.sha256(canonical.encode()).hexdigest()[:12]
    assert identity.fields == {"response_model": "gpt-4-0314", "prompt": HASH}


def test_the_order_of_the_fields_does_not_change_the_digest() -> None:
    one = identity_of(("prompt", "response_model"), response_model="m", prompt_id="p", prompt_version="1")
    other = identity_of(("response_model", "prompt"), response_model="m", prompt_id="p", prompt_version="1")
    assert one is not None
    assert other is not None
    assert one.digest == other.digest


def test_no_response_model_is_no_identity_when_it_is_one_of_the_fields() -> None:
    assert identity_of(DEFAULT, response_model=None, prompt_hash=HASH) is None
    assert identity_of(DEFAULT, response_model="", prompt_hash=HASH) is None
    assert identity_of(("prompt",), response_model=None, prompt_hash=HASH) is not None


@pytest.mark.parametrize(
    ("prompt", "label"),
    [
        ({"prompt_hash": HASH}, "gpt-4-0314 · prompt 3f2a9c"),
        ({"prompt_id": "support", "prompt_version": "12", "prompt_hash": HASH}, "gpt-4-0314 · support@12"),
        ({"prompt_id": "support"}, "gpt-4-0314 · support"),
        ({"prompt_version": "12"}, "gpt-4-0314"),
        ({}, "gpt-4-0314"),
    ],
)
def test_the_label_is_readable(prompt: dict[str, str], label: str) -> None:
    identity = identity_of(DEFAULT, response_model="gpt-4-0314", **prompt)
    assert identity is not None
    assert identity.label == label


def test_a_request_model_is_labelled_as_requested() -> None:
    fields = ("response_model", "request_model")
    identity = identity_of(fields, response_model="gpt-4-0314", request_model="gpt-4")
    assert identity is not None
    assert identity.label == "gpt-4-0314 · requested gpt-4"


def test_an_identity_of_nothing_has_a_name_too() -> None:
    identity = identity_of(("prompt",), response_model="gpt-4-0314")
    assert identity is not None
    assert identity.label == "unnamed"


def test_equal_values_under_different_names_are_different_identities() -> None:
    assert identity_from({"response_model": "m"}).digest != identity_from({"request_model": "m"}).digest


def test_an_unknown_field_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="'temprature' is unknown; known: response_model, request_model, prompt"):
        identity_of(("temprature",), response_model="m")
