"""API tokens: create, list, rotate and revoke. Only the answer that creates a token has its text."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from typing import TypeVar

from fastapi import APIRouter

from monitor.api import audit
from monitor.api.access import Sender, needs
from monitor.api.auth import Principal, Role, Token, granted
from monitor.api.body import Write, model_body
from monitor.api.context import ApiContext, Context
from monitor.api.listing import ListQuery, as_list
from monitor.api.lookup import Identifier, missing
from monitor.api.problems import Unprocessable
from monitor.api.schema import ListPage
from monitor.api.schema.tokens import (
    ConfiguredTokenItem,
    CreateToken,
    NewTokenItem,
    RevokeToken,
    RotateToken,
    TokenItem,
)
from monitor.domain.api_token import ApiToken, TokenState, TokenUse, new_token, rotated
from monitor.errors import Conflict, Forbidden
from monitor.guards.token_uses import key_of_configured
from monitor.store.access import tokens
from monitor.store.engine.database import Tx

router = APIRouter(prefix="/api/v1/tokens", tags=["access"])
T = TypeVar("T")
DIGEST_CHARS = 8  # of a digest that people read


@router.get("", **needs(Role.ADMIN))
def list_tokens(context: Context, query: ListQuery) -> ListPage[TokenItem]:
    """List stored tokens, the newest first, including expired and revoked ones. Tokens of the configuration are not
    stored: see `/api/v1/tokens/configured`.
    """
    now = context.clock.now()
    with context.store.read() as tx:
        return as_list(tokens.page(tx, query), lambda token: _item(_with_use(context, token), now))


@router.get("/configured", **needs(Role.ADMIN))
def list_configured_tokens(context: Context) -> ListPage[ConfiguredTokenItem]:
    """List all tokens of the configuration with their last use, in the order of the configuration.

    Uses are stored about once a minute.
    """
    with context.store.read() as tx:
        uses = tokens.configured_uses(tx)
    return ListPage(
        items=[_configured(context, token, uses) for token in context.tokens.of_configuration], next_cursor=None
    )


@router.post("", status_code=201, **needs(Role.ADMIN, **model_body(CreateToken)))
def create_token(context: Context, write: Write, sender: Sender) -> NewTokenItem:
    """Create a token. The answer is the only place that ever has its text, so an Idempotency-Key has no effect.

    The sender can grant only roles that it has itself. The first token must have the role `admin`.
    """
    order, now = write.parse(CreateToken), context.clock.now()
    if order.expires_at is not None and order.expires_at <= now:
        raise Unprocessable("expires_at: it is in the past; give a later time, or none")
    if order.deployments is not None and Role.ADMIN in order.roles:
        raise Unprocessable("deployments: the role admin covers the whole daemon and cannot be limited to deployments")
    _may_grant(sender, order.roles)
    token, text = new_token(
        order.name,
        order.roles,
        by=sender.name,
        now=now,
        expires_at=order.expires_at,
        deployments=order.deployments,
    )

    def work(tx: Tx) -> None:
        if not context.tokens.required and Role.ADMIN not in order.roles:
            raise Conflict(
                "the first token must have the role admin: without tokens each local caller may do everything, and "
                "with this token only its owner may do anything"
            )
        tokens.insert(tx, token)
        audit.note(object_id=token.id)

    _write(context, work)
    return _new(token, text, now)


@router.post("/{id}/rotate", status_code=201, **needs(Role.ADMIN, **model_body(RotateToken)))
def rotate_token(context: Context, id: Identifier, write: Write, sender: Sender) -> NewTokenItem:  # noqa: A002 - the path uses id
    """Create the successor of a token, with its name, roles, deployments and length of life. The old one stays valid
    for `grace_s` seconds, so that its users can change over.
    """
    order, now = write.parse(RotateToken), context.clock.now()

    def work(tx: Tx) -> tuple[ApiToken, str]:
        old = _active(tx, id, now)
        _may_grant(sender, old.roles)
        token, text = rotated(old, by=sender.name, now=now)
        tokens.insert(tx, token)
        tokens.end(tx, old.id, until=now + timedelta(seconds=order.grace_s))
        return token, text

    token, text = _write(context, work)
    return _new(token, text, now)


@router.post("/{id}/revoke", **needs(Role.ADMIN, **model_body(RevokeToken)))
def revoke_token(context: Context, id: Identifier, write: Write, sender: Sender) -> TokenItem:  # noqa: A002
    """Revoke a token now. It stays in the list. The last admin token stays if the configuration has no token."""
    write.parse(RevokeToken)
    now = context.clock.now()

    def work(tx: Tx) -> ApiToken:
        _keep_an_admin(context, tx, _active(tx, id, now), now)
        tokens.revoke(tx, id, at=now, by=sender.name)
        return _token(tx, id)

    return _item(_write(context, work), now)


def _write(context: ApiContext, work: Callable[[Tx], T]) -> T:
    """Run `work` in a transaction, then let requests use the changed tokens. One change at a time: a slower one must
    not bring back a token that another has revoked.
    """
    with context.tokens.changing:
        with context.store.write() as tx:
            result = work(tx)
            stored = tokens.unrevoked(tx)
        context.tokens.store(stored)
    return result


def _may_grant(sender: Principal, roles: Sequence[str]) -> None:
    lacking = sorted(granted(Role(role) for role in roles) - sender.roles)
    if lacking:
        raise Forbidden(f"{sender.name!r} cannot grant {', '.join(lacking)}: it does not have this role itself")


def _keep_an_admin(context: ApiContext, tx: Tx, token: ApiToken, now: datetime) -> None:
    if context.tokens.configured:
        return
    others = [each for each in tokens.unrevoked(tx) if each.id != token.id]
    if others and not any(Role.ADMIN in each.roles and each.state(now) is TokenState.ACTIVE for each in others):
        raise Conflict(f"token {token.id!r} is the last with the role admin; create another one first")


def _active(tx: Tx, token_id: str, now: datetime) -> ApiToken:
    token = _token(tx, token_id)
    if token.state(now) is not TokenState.ACTIVE:
        raise Conflict(f"token {token_id!r} is {token.state(now).value}")
    return token


def _token(tx: Tx, token_id: str) -> ApiToken:
    token = tokens.get(tx, token_id)
    if token is None:
        raise missing("token", token_id, "tokens")
    return token


def _new(token: ApiToken, text: str, now: datetime) -> NewTokenItem:
    return NewTokenItem.model_validate(_item(token, now).model_dump() | {"token": text})


def _with_use(context: ApiContext, token: ApiToken) -> ApiToken:
    """Return the token with its newest use, which may not be stored yet."""
    use = context.tokens.uses.newest(token.id)
    return token if use is None else replace(token, last_used_at=use.at, last_used_from=use.address)


def _configured(context: ApiContext, token: Token, uses: Mapping[str, TokenUse]) -> ConfiguredTokenItem:
    digest = token.sha256.lower()
    use = context.tokens.uses.newest(key_of_configured(digest)) or uses.get(digest)
    roles = sorted(role.value for role in token.roles)
    limited = None if token.deployments is None else sorted(token.deployments)
    return ConfiguredTokenItem.model_validate(
        {
            "name": token.name,
            "beginning": digest[:DIGEST_CHARS],
            "roles": roles,
            "deployments": limited,
            "last_used_at": use and use.at,
            "last_used_from": use and use.address,
        }
    )


def _item(token: ApiToken, now: datetime) -> TokenItem:
    shown = {name: value for name, value in asdict(token).items() if name != "sha256"}
    derived = {"roles": list(token.roles), "state": token.state(now).value, "expires_soon": token.expires_soon(now)}
    return TokenItem.model_validate(shown | derived)
