"""Silences: list, preview, create and expire."""

from datetime import datetime, timedelta

from fastapi import APIRouter
from fastapi.responses import Response

from monitor.alerting.suppress import preview
from monitor.api import encode_alert
from monitor.api.access import Sender, needs
from monitor.api.auth import Role
from monitor.api.body import Write, model_body
from monitor.api.context import ApiContext, Context
from monitor.api.idempotency import write_once
from monitor.api.listing import ListQuery, as_list
from monitor.api.lookup import Identifier, labels_of, missing
from monitor.api.problems import Unprocessable
from monitor.api.schema import CreateSilence, ExpireSilence, ListPage, SilenceItem, SilencePreview
from monitor.domain.run import new_id
from monitor.domain.silence import MalformedMatcher, Matcher, Silence, SilenceState, matcher_of
from monitor.errors import Conflict
from monitor.store.engine.database import Tx
from monitor.store.findings import alerts, silences

router = APIRouter(prefix="/api/v1/silences", tags=["alerts"])
LONGEST = timedelta(days=90)


@router.get("", **needs(Role.READ))
def list_silences(context: Context, query: ListQuery) -> ListPage[SilenceItem]:
    """List silences, the newest first, expired ones included."""
    now = context.clock.now()
    with context.store.read() as tx:
        return as_list(silences.page(tx, query), lambda row: encode_alert.silence(row, now))


@router.get("/{id}", **needs(Role.READ))
def get_silence(context: Context, id: Identifier) -> SilenceItem:  # noqa: A002 - the path uses id
    with context.store.read() as tx:
        return encode_alert.silence(_silence(tx, id), context.clock.now())


@router.post("/preview", response_model=SilencePreview, **needs(Role.READ, **model_body(CreateSilence)))
def preview_silence(context: Context, write: Write, sender: Sender) -> SilencePreview:
    """Return the open alerts that the silence would suppress. Nothing is stored."""
    silence = _new(write.parse(CreateSilence), context.clock.now(), sender.name)
    with context.store.read() as tx:
        found = preview(alerts.open_all(tx), silence)
        labels = labels_of(tx, (alert.deployment for alert in found))
    return SilencePreview(
        matchers=[str(matcher) for matcher in silence.matchers],
        alerts=[encode_alert.alert(alert, labels, None) for alert in found],
    )


@router.post("", status_code=201, response_model=SilenceItem, **needs(Role.OPERATE, **model_body(CreateSilence)))
def create_silence(context: Context, write: Write, sender: Sender) -> Response:
    """Suppress the notifications of matching alerts until the end of the silence."""
    order = write.parse(CreateSilence)
    now = context.clock.now()
    silence = _new(order, now, sender.name)

    def work(tx: Tx) -> tuple[int, SilenceItem]:
        silences.insert(tx, silence)
        return 201, encode_alert.silence(silence, now)

    return write_once(context, write, work)


@router.post("/{id}/expire", response_model=SilenceItem, **needs(Role.OPERATE, **model_body(ExpireSilence)))
def expire_silence(context: Context, id: Identifier, write: Write, sender: Sender) -> Response:  # noqa: A002
    """End a silence now. It stays in the list."""
    write.parse(ExpireSilence)
    return write_once(context, write, lambda tx: _expired(context, tx, id, sender.name))


def _expired(context: ApiContext, tx: Tx, silence_id: str, by: str) -> tuple[int, SilenceItem]:
    now = context.clock.now()
    if _silence(tx, silence_id).state(now) is SilenceState.EXPIRED:
        raise Conflict(f"silence {silence_id!r} has ended already")
    silences.expire(tx, silence_id, at=now, by=by)
    return 200, encode_alert.silence(_silence(tx, silence_id), now)


def _new(order: CreateSilence, now: datetime, by: str) -> Silence:
    starts_at = order.starts_at or now
    if order.ends_at <= max(starts_at, now):
        raise Unprocessable("body.ends_at: the end must be after the start and in the future")
    if order.ends_at - starts_at > LONGEST:
        raise Unprocessable(f"body.ends_at: a silence lasts {LONGEST.days} days at most; turn the rule off instead")
    return Silence(
        id=new_id("silence", now),
        matchers=tuple(_matcher(text) for text in order.matchers),
        created_by=by,
        comment=order.comment,
        created_at=now,
        starts_at=starts_at,
        ends_at=order.ends_at,
    )


def _matcher(text: str) -> Matcher:
    try:
        return matcher_of(text)
    except MalformedMatcher as error:
        raise Unprocessable(f"body.matchers: {error}") from None


def _silence(tx: Tx, silence_id: str) -> Silence:
    found = silences.get(tx, silence_id)
    if found is None:
        raise missing("silence", silence_id, "silences")
    return found
