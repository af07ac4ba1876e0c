"""The block `api.oidc`."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from monitor.config.oidc import OidcConfig

BLOCK = {"issuer": "https://login.example.com", "client_id": "driftd", "roles": {"staff": ["read"]}}


def test_issuer_client_and_roles_are_enough() -> None:
    found = OidcConfig.model_validate(BLOCK)
    assert (found.groups_claim, found.scopes, found.audience) == ("groups", ("openid", "email", "profile"), None)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"issuer": "http://login.example.com"}, "use https"),
        ({"issuer": "https://login.example.com?a=b"}, "no query"),
        ({"scopes": ["email"]}, "openid is missing"),
        ({"roles": {}}, "at least 1"),
        ({"roles": {"staff": []}}, "at least 1"),
        ({"roles": {"staff": ["root"]}}, "Input should be"),
        ({"deployments": {"ops": ["shop"]}}, "has no roles"),
        ({"client_id": ""}, "at least 1"),
    ],
)
def test_a_mistake_is_refused(changed: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValidationError, match=sentence):
        OidcConfig.model_validate({**BLOCK, **changed})


@pytest.mark.parametrize("issuer", ["http://127.0.0.1:3000", "http://localhost:3000", "http://[::1]:3000"])
def test_a_provider_on_this_machine_needs_no_https(issuer: str) -> None:
    assert OidcConfig.model_validate({**BLOCK, "issuer": issuer}).issuer == issuer


def test_the_secret_is_read_from_a_file_and_never_shown(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("canary\n")
    found = OidcConfig.model_validate({**BLOCK, "client_secret_file": str(tmp_path / "secret")})
    assert found.client_secret is not None
    assert found.client_secret.get_secret_value() == "canary"
    assert "canary" not in repr(found)
