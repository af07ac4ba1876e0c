"""Requests to an object store: their URLs, and their signature on the examples of its specification."""

from dataclasses import replace
from datetime import UTC, datetime

from monitor.domain.object_store import ObjectData, ObjectKeys, UrlStyle
from monitor.store.lake.objects.bucket import Bucket
from monitor.store.lake.objects.signature import signed_headers
from tests.store.build import HandClock

KEYS = ObjectKeys(id="AKIAIOSFODNN7EXAMPLE", secret="wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
AT = datetime(2013, 5, 24, tzinfo=UTC)
HOST = "https://examplebucket.s3.amazonaws.com"


def signature(query: dict[str, str]) -> str:
    headers = signed_headers("GET", f"{HOST}/", query, b"", keys=KEYS, region="us-east-1", now=AT)
    return headers["authorization"].rpartition("=")[2]


def test_the_examples_of_the_specification() -> None:
    """They are "GET Bucket Lifecycle" and "Get Bucket (List Objects)" of the Amazon S3 API of 2006-03-01."""
    assert signature({"lifecycle": ""}) == "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
    assert signature({"prefix": "J", "max-keys": "2"}) == (
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
    )


def test_the_token_of_temporary_keys_is_signed() -> None:
    keys = ObjectKeys(id=KEYS.id, secret=KEYS.secret, token="token")
    headers = signed_headers("GET", f"{HOST}/", {}, b"", keys=keys, region="us-east-1", now=AT)
    assert headers["x-amz-security-token"] == "token"
    assert "x-amz-security-token" in headers["authorization"]


def test_the_bucket_is_in_the_host_or_in_the_path() -> None:
    data = ObjectData.of("s3://driftd/lake", endpoint="https://objects.test:9000", keys=KEYS)
    urls: dict[UrlStyle, str] = {
        "path": "https://objects.test:9000/driftd/lake/x",
        "vhost": "https://driftd.objects.test:9000/lake/x",
    }
    for style, url in urls.items():
        with Bucket(replace(data, url_style=style), KEYS, HandClock()) as bucket:
            assert bucket.url("x") == url
