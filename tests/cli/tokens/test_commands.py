"""`driftd tokens` on a file, and a daemon's tokens after its start."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from monitor import access_parts
from monitor.api.auth import Role
from monitor.api.schema import ListPage
from monitor.api.schema.tokens import ConfiguredTokenItem
from monitor.clock import SystemClock
from monitor.config.load import load
from monitor.errors import Unauthenticated
from monitor.guards.failed_logins import FailedLogins
from monitor.store.engine.database import Store
from tests.cli.conftest import Run
from tests.cli.daemon import Daemon
from tests.cli.house import write_house
from tests.cli.result import Result
from tests.ports import free_port

Drive = Callable[..., Result]


@pytest.fixture
def drive(run: Run, tmp_path: Path) -> Drive:
    """Run a command on a database without a daemon."""
    config = write_house(tmp_path, model_url="http://127.0.0.1:9/v1", api_port=free_port())
    (tmp_path / "data").mkdir()
    Store.open(tmp_path / "data" / "driftd.duckdb", clock=SystemClock()).close()
    return lambda *arguments: run(*arguments, "--config", config)


def test_a_token_is_printed_once_and_the_next_daemon_accepts_it(drive: Drive, tmp_path: Path) -> None:
    assert drive("tokens", "list").out == "no stored token yet\n"
    made = drive("tokens", "create", "collector", "--role", "ingest", "--expires-in", "90d", "--as", "ada")
    text = made.out.splitlines()[-1]
    assert text.startswith("driftd_")
    assert "cannot be shown again" in made.err
    (item,) = drive("tokens", "list", "--json").document["items"]
    assert (item["name"], item["roles"], item["state"]) == ("collector", ["ingest"], "active")
    assert "ada" in item["created_by"]
    assert text not in drive("tokens", "list").out

    config = load(tmp_path / "driftd.yaml", {})
    store = Store.open(config.store.path, clock=SystemClock())
    tokens = access_parts.tokens(config, FailedLogins(), SystemClock(), store)
    store.close()
    assert tokens.authenticate(f"Bearer {text}").roles == {Role.INGEST}
    with pytest.raises(Unauthenticated):
        tokens.authenticate(None)


def test_configured_tokens_are_printed_with_their_last_use(daemon: Daemon, run: Run) -> None:
    at = datetime(2026, 3, 1, 2, tzinfo=UTC)
    used = ConfiguredTokenItem(
        name="chief", beginning="0a1b2c3d", roles=["admin"], last_used_at=at, last_used_from="10.0.0.1"
    )
    other = ConfiguredTokenItem(name="ci", beginning="ffffffff", roles=["read"], deployments=["bot"])
    page = ListPage[ConfiguredTokenItem](items=[used, other], next_cursor=None)
    daemon.respond("GET /api/v1/tokens/configured", page)
    lines = [line.split() for line in run("tokens", "configured", "--url", daemon.url).out.splitlines()[-2:]]
    assert lines[0][:4] == ["chief", "0a1b2c3d…", "admin", "all"]
    assert lines[0][-1] == "10.0.0.1"
    assert lines[1][:5] == ["ci", "ffffffff…", "read", "bot", "never"]


def test_rotate_and_revoke_name_the_token(drive: Drive) -> None:
    first = drive("tokens", "create", "ops", "--role", "operate", "--role", "read", "--json").document
    second = drive("tokens", "rotate", first["id"], "--grace", "2h", "--json").document
    assert (second["replaces"], second["roles"]) == (first["id"], ["operate", "read"])
    assert drive("tokens", "revoke", second["id"]).out == f"{second['id']} (ops) is revoked\n"
    states = {item["id"]: item["state"] for item in drive("tokens", "list", "--json").document["items"]}
    assert states == {first["id"]: "active", second["id"]: "revoked"}
    assert drive("tokens", "revoke", second["id"]).code == 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("create", "ops", "--role", "root"), "--role 'root' is unknown; known: ingest, read"),
        (
            ("create", "ops", "--role", "read", "--expires-in", "soon"),
            "--expires-in: the interval 'soon' cannot be read",
        ),
        (("create", "a\tb", "--role", "read"), "name"),
        (("rotate", "token-nowhere"), "token 'token-nowhere' is unknown; `driftd tokens list` lists all"),
    ],
)
def test_wrong_input_is_named(drive: Drive, arguments: tuple[str, ...], reason: str) -> None:
    result = drive("tokens", *arguments)
    assert result.code in {1, 2}
    assert reason in result.err
