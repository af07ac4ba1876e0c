"""API tokens. They are never deleted: a revoked token stays in the list."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

import pyarrow as pa

from monitor.domain.api_token import ApiToken, TokenUse
from monitor.store.engine.append import row_of
from monitor.store.engine.json_columns import from_json, to_json
from monitor.store.engine.pagination import Page, PageQuery, fetch_page
from monitor.store.engine.schema import TABLES, table_of
from monitor.store.engine.transaction import Row, Tx

_USE: Final = {"last_used_at": pa.timestamp("us", tz="UTC"), "last_used_from": pa.string()}
USES: Final = pa.schema({"id": pa.string(), **_USE})
CONFIGURED_USES: Final = pa.schema({"sha256": pa.string(), **_USE})


def insert(tx: Tx, token: ApiToken) -> None:
    limited = None if token.deployments is None else to_json(list(token.deployments))
    row = row_of(token) | {"roles": ",".join(token.roles), "deployments": limited}
    tx.insert("api_token", table_of(TABLES["api_token"], [row]))


def get(tx: Tx, token_id: str) -> ApiToken | None:
    row = tx.one("token_by_id", id=token_id)
    return to_token(row) if row else None


def unrevoked(tx: Tx) -> list[ApiToken]:
    """Return all tokens that are not revoked, including expired ones."""
    return [to_token(row) for row in tx.query("unrevoked_tokens")]


def page(tx: Tx, q: PageQuery) -> Page[ApiToken]:
    """Return tokens, the newest first. A filter by deployment finds none: a token has no deployment."""
    return fetch_page(tx, "page_tokens", q, to_token, at="created_at")


def revoke(tx: Tx, token_id: str, *, at: datetime, by: str) -> None:
    """Revoke a token. A token that is revoked already does not change."""
    tx.execute("revoke_token", id=token_id, at=at, by=by)


def end(tx: Tx, token_id: str, *, until: datetime) -> None:
    """Let a token expire at `until`, or earlier if it would expire earlier."""
    tx.execute("end_token", id=token_id, until=until)


def store_uses(tx: Tx, uses: Mapping[str, TokenUse]) -> None:
    """Store the last use of tokens, by their ids."""
    rows = [{"id": id_, "last_used_at": use.at, "last_used_from": use.address} for id_, use in uses.items()]
    tx.execute("use_tokens", batch=pa.Table.from_pylist(rows, USES))


def store_configured_uses(tx: Tx, uses: Mapping[str, TokenUse]) -> None:
    """Store the last use of tokens of the configuration, by their digests."""
    rows = [{"sha256": digest, "last_used_at": use.at, "last_used_from": use.address} for digest, use in uses.items()]
    tx.execute("use_configured_tokens", batch=pa.Table.from_pylist(rows, CONFIGURED_USES))


def configured_uses(tx: Tx) -> dict[str, TokenUse]:
    """Return the stored last use of each token of the configuration, by its digest."""
    rows = tx.query("configured_token_uses")
    return {row["sha256"]: TokenUse(at=row["last_used_at"], address=row["last_used_from"]) for row in rows}


def to_token(row: Row) -> ApiToken:
    limited = row["deployments"]
    deployments = None if limited is None else tuple(from_json(limited))
    return ApiToken(**row | {"roles": tuple(row["roles"].split(",")), "deployments": deployments})
