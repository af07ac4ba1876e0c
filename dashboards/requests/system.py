"""Requests of the page System."""

from urllib.parse import quote

from dashboards.client import Client
from monitor.api.schema import (
    BudgetItem,
    CompactionItem,
    DeadLetterDetail,
    DeadLetterItem,
    ListPage,
    LossItem,
    ReceiverItem,
    RemovedDeadLetter,
    RemoveDeadLetter,
    RetryDeadLetter,
    TestedReceiver,
    TestReceiver,
)
from monitor.api.schema.audit import AuditItem
from monitor.api.schema.tokens import (
    ConfiguredTokenItem,
    CreateToken,
    NewTokenItem,
    RevokeToken,
    RotateToken,
    TokenItem,
)

MOST = 200
MOST_ENTRIES = 1_000
OPERATE, ADMIN = "operate", "admin"
LETTERS = "/api/v1/dead_letters"


def dead_letters(client: Client) -> list[DeadLetterItem]:
    return client.items("dead_letters", DeadLetterItem, most=MOST)


def dead_letter(client: Client, id_: str) -> DeadLetterDetail:
    return client.read(f"{LETTERS}/{_segment(id_)}", DeadLetterDetail, {})


def retry(client: Client, id_: str, order: RetryDeadLetter, user: str | None) -> RemovedDeadLetter:
    """Decode a dead letter again. This and the other orders raise DaemonRefusal when the daemon rejects them."""
    return client.order(f"{LETTERS}/{_segment(id_)}/retry", order, RemovedDeadLetter, user, role=OPERATE)


def discard(client: Client, id_: str, user: str | None) -> RemovedDeadLetter:
    return client.order(f"{LETTERS}/{_segment(id_)}/remove", RemoveDeadLetter(), RemovedDeadLetter, user, role=OPERATE)


def receivers(client: Client) -> list[ReceiverItem]:
    return client.read("/api/v1/receivers", ListPage[ReceiverItem], {}).items


def test_receiver(client: Client, name: str, user: str | None) -> TestedReceiver:
    return client.order(f"/api/v1/receivers/{_segment(name)}/test", TestReceiver(), TestedReceiver, user, role=OPERATE)


def budgets(client: Client) -> list[BudgetItem]:
    return client.read("/api/v1/budgets", ListPage[BudgetItem], {}).items


def compactions(client: Client) -> list[CompactionItem]:
    return client.items("compactions", CompactionItem, most=20)


def losses(client: Client) -> list[LossItem]:
    return client.items("losses", LossItem, most=20)


def audit(client: Client) -> list[AuditItem]:
    """Return the newest entries of the audit log, newest first."""
    return client.items("audit", AuditItem, most=MOST_ENTRIES)


def tokens(client: Client) -> list[TokenItem]:
    return client.items("tokens", TokenItem, most=MOST)


def configured_tokens(client: Client) -> list[ConfiguredTokenItem]:
    return client.read("/api/v1/tokens/configured", ListPage[ConfiguredTokenItem], {}).items


def create_token(client: Client, order: CreateToken, user: str | None) -> NewTokenItem:
    return client.order("/api/v1/tokens", order, NewTokenItem, user, role=ADMIN)


def rotate_token(client: Client, id_: str, user: str | None) -> NewTokenItem:
    return client.order(f"/api/v1/tokens/{_segment(id_)}/rotate", RotateToken(), NewTokenItem, user, role=ADMIN)


def revoke_token(client: Client, id_: str, user: str | None) -> TokenItem:
    return client.order(f"/api/v1/tokens/{_segment(id_)}/revoke", RevokeToken(), TokenItem, user, role=ADMIN)


def _segment(text: str) -> str:
    return quote(text, safe="")
