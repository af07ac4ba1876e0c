"""`driftd tokens`: create, list, rotate and revoke API tokens."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, cast

import typer

from monitor.api.schema import ListPage
from monitor.api.schema.tokens import (
    ConfiguredTokenItem,
    CreateToken,
    NewTokenItem,
    RevokeToken,
    RoleName,
    RotateToken,
    TokenItem,
)
from monitor.cli.connection.session import Session, with_session, with_writing_session
from monitor.cli.options import Limit
from monitor.cli.terminal.output import note, print_facts, print_line, print_table
from monitor.config.calendar.schedules import seconds_of
from monitor.errors import UsageError

app = typer.Typer(
    help="API tokens: create, list, rotate, revoke, and those of the configuration.",
    no_args_is_help=True,
    add_completion=False,
)
ROLES = ("ingest", "read", "review", "operate", "reveal", "admin")
TokenId = Annotated[str, typer.Argument(metavar="TOKEN", help="Id of a token, from `driftd tokens list`.")]


@app.command("create")
@with_writing_session
def create(
    session: Session,
    name: Annotated[str, typer.Argument(help="Owner of the token: a service or a person. The logs contain it.")],
    roles: Annotated[list[str], typer.Option("--role", "-r", help=f"A role, several times: {', '.join(ROLES)}.")],
    deployments: Annotated[
        list[str] | None,
        typer.Option("--deployment", "-d", help="A deployment that the token reaches, several times. Default: all."),
    ] = None,
    lifetime: Annotated[
        str | None,
        typer.Option("--expires-in", metavar="LENGTH", help="Length of life, for example 90d. Default: none."),
    ] = None,
) -> None:
    """Create a token and print its text, which is shown only once. It is valid immediately, without a restart."""
    order = CreateToken.model_construct(
        name=name, roles=_roles(roles), expires_at=_end(lifetime), deployments=deployments or None
    )
    made = session.api.post("/api/v1/tokens", order, NewTokenItem)
    session.show(made, lambda: _print_new(made))


@app.command("list")
@with_session
def list_tokens(session: Session, limit: Limit = 50) -> None:
    """List stored tokens, the newest first, expired and revoked ones included. Their texts are not stored."""
    page = session.api.list("/api/v1/tokens", TokenItem, limit=limit)
    session.show(page, lambda: _print_list(page.items))


@app.command("configured")
@with_session
def list_configured(session: Session) -> None:
    """List the tokens of the configuration with their roles and their last use."""
    found = session.api.get("/api/v1/tokens/configured", ListPage[ConfiguredTokenItem])
    session.show(found, lambda: _print_configured(found.items))


@app.command("rotate")
@with_writing_session
def rotate(
    session: Session,
    token_id: TokenId,
    grace: Annotated[
        str, typer.Option("--grace", metavar="LENGTH", help="How long the old token stays valid, for example 2h or 0.")
    ] = "24h",
) -> None:
    """Replace a token by a new one with the same name, roles and length of life, and print the text of the new one."""
    order = RotateToken(grace_s=0 if grace == "0" else int(_length("--grace", grace).total_seconds()))
    made = session.api.post(f"/api/v1/tokens/{token_id}/rotate", order, NewTokenItem)
    session.show(made, lambda: _print_new(made))


@app.command("revoke")
@with_writing_session
def revoke(session: Session, token_id: TokenId) -> None:
    """Revoke a token. The next request with it is refused."""
    found = session.api.post(f"/api/v1/tokens/{token_id}/revoke", RevokeToken(), TokenItem)
    session.show(found, lambda: print_line(f"{found.id} ({found.name}) is {found.state}"))


def _roles(names: Sequence[str]) -> list[RoleName]:
    if unknown := [name for name in names if name not in ROLES]:
        raise UsageError(f"--role {unknown[0]!r} is unknown; known: {', '.join(ROLES)}")
    return [cast("RoleName", name) for name in dict.fromkeys(names)]


def _end(lifetime: str | None) -> datetime | None:
    return None if lifetime is None else datetime.now(UTC) + _length("--expires-in", lifetime)


def _length(option: str, text: str) -> timedelta:
    try:
        return timedelta(seconds=seconds_of(text))
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from None


def _print_new(made: NewTokenItem) -> None:
    print_facts(
        [
            ("token", made.id),
            ("name", made.name),
            ("roles", ", ".join(made.roles)),
            ("deployments", _deployments(made)),
            ("expires", made.expires_at or "never"),
            ("replaces", made.replaces),
        ]
    )
    print_line(made.token)
    note("keep this text now: it is not stored and cannot be shown again")


def _print_list(items: Sequence[TokenItem]) -> None:
    columns = (
        "token",
        "name",
        "begins",
        "roles",
        "deployments",
        "state",
        "created",
        "by",
        "expires",
        "last use",
        "from",
    )
    print_table(columns, [_row(item) for item in items], "no stored token yet")
    note("tokens of api.tokens are not listed; `driftd tokens configured` lists them with their last use")
    for item in items:
        if item.expires_soon:
            note(f"{item.id} ({item.name}) expires soon; replace it with `driftd tokens rotate {item.id}`")


def _print_configured(items: Sequence[ConfiguredTokenItem]) -> None:
    rows = [
        (
            item.name,
            f"{item.beginning}…",
            ", ".join(item.roles),
            _deployments(item),
            item.last_used_at or "never",
            item.last_used_from or "",
        )
        for item in items
    ]
    columns = ("name", "sha256", "roles", "deployments", "last use", "from")
    print_table(columns, rows, "no token in the configuration")


def _deployments(item: TokenItem | ConfiguredTokenItem) -> str:
    return "all" if item.deployments is None else ", ".join(item.deployments)


def _row(item: TokenItem) -> Sequence[object]:
    expires = item.expires_at or "never"
    return (
        item.id,
        item.name,
        f"{item.beginning}…",
        ", ".join(item.roles),
        _deployments(item),
        item.state,
        item.created_at,
        item.created_by,
        expires,
        item.last_used_at or "never",
        item.last_used_from or "",
    )
