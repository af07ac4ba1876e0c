"""`driftd check` and the provider of the login: a real HTTP server with its settings and keys."""

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from monitor.cli.checks.line import State
from monitor.cli.checks.login import check_login
from monitor.config.load import load
from monitor.config.tree import Config
from tests.asgi_server import serving
from tests.guards.oidc.provider import new_key


def provider() -> Starlette:
    def settings(request: Request) -> JSONResponse:
        issuer = str(request.base_url).rstrip("/")
        return JSONResponse({"issuer": issuer, "jwks_uri": f"{issuer}/jwks"})

    keys = {"keys": [new_key("k1").as_dict(private=False)]}
    return Starlette(
        routes=[
            Route("/.well-known/openid-configuration", settings),
            Route("/jwks", lambda _request: JSONResponse(keys)),
        ]
    )


def config_of(
    folder: Path, issuer: str, *, secret: bool = True, dashboard_url: str | None = "https://d.example"
) -> Config:
    lines = [
        "api:",
        f"  dashboard_url: {dashboard_url}" if dashboard_url else "",
        "  oidc:",
        f"    issuer: {issuer}",
        "    client_id: driftd",
        "    client_secret_file: secret" if secret else "",
        "    roles: {staff: [read]}",
    ]
    (folder / "secret").write_text("s3cret")
    (folder / "driftd.yaml").write_text("\n".join(lines))
    return load(folder / "driftd.yaml", {})


@pytest.mark.parametrize(
    ("secret", "dashboard_url", "state", "part"),
    [
        (True, "https://d.example", State.OK, "must be https://d.example/oauth2callback"),
        (False, "https://d.example", State.WARN, "has no client_secret"),
        (True, None, State.WARN, "api.dashboard_url is not set"),
    ],
)
def test_a_provider_that_answers(
    tmp_path: Path, secret: bool, dashboard_url: str | None, state: State, part: str
) -> None:
    with serving(provider()) as issuer:
        line = check_login(config_of(tmp_path, issuer, secret=secret, dashboard_url=dashboard_url))
    assert line.state is state
    assert part in line.sentence


def test_a_provider_that_does_not_answer_fails(tmp_path: Path) -> None:
    line = check_login(config_of(tmp_path, "http://127.0.0.1:9"))
    assert line.state is State.FAIL
    assert "users cannot log in" in line.sentence
