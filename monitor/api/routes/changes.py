"""Changes from one version to the next: list all, announce one."""

from fastapi import APIRouter
from fastapi.responses import Response

from monitor.api import encode
from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.body import Write, model_body
from monitor.api.context import Context
from monitor.api.idempotency import write_once
from monitor.api.listing import ListQuery, as_list
from monitor.api.schema import AnnounceChange, ChangeItem, ListPage
from monitor.changes.announce import Announcement, announce
from monitor.domain.run import new_id
from monitor.domain.version import Change
from monitor.errors import Conflict, unknown
from monitor.store.engine.database import Tx
from monitor.store.engine.pagination import PageQuery
from monitor.store.traffic import prompts, versions

router = APIRouter(prefix="/api/v1/changes", tags=["changes"])


@router.get("", **needs(Role.READ))
def list_changes(context: Context, query: ListQuery) -> ListPage[ChangeItem]:
    with context.store.read() as tx:
        return as_list(versions.page_changes(tx, query), encode.change)


@router.post("", status_code=201, response_model=ChangeItem, **needs(Role.OPERATE, **model_body(AnnounceChange)))
def announce_change(context: Context, write: Write) -> Response:
    """Announce a deploy. 201 with the change; 200 with the last change if the deployment already runs this version."""
    announcement = write.parse(AnnounceChange)
    policy = context.policy.deployments.get(announcement.deployment)
    if policy is None:
        raise unknown("deployment", announcement.deployment, context.policy.deployments)
    now = context.clock.now()

    def work(tx: Tx) -> tuple[int, ChangeItem]:
        announced = announce(
            Announcement(**announcement.model_dump()),
            fields=policy.changes.identity,
            current=versions.current_version(tx, announcement.deployment),
            known=versions.versions(tx, announcement.deployment),
            now=now,
            change_id=new_id("change", now),
            prompt_id=policy.prompt_id,
            last=_newest_change(tx, announcement.deployment),
        )
        if policy.keep_prompts and announcement.prompt_text is not None:
            to = (
                announced.change.to_version
                if announced.change
                else versions.current_version(tx, announcement.deployment)
            )
            prompts.store_announced(tx, announcement.deployment, to or "", announcement.prompt_text, now)
        if announced.change is None:
            return 200, encode.change(_last_change(tx, announcement.deployment))
        if announced.version is not None:
            versions.insert(tx, announced.version)
        versions.insert_change(tx, announced.change)
        return 201, encode.change(announced.change)

    return write_once(context, write, work)


def _newest_change(tx: Tx, deployment: str) -> Change | None:
    page = versions.page_changes(tx, PageQuery(limit=1, deployment=deployment))
    return page.items[0] if page.items else None


def _last_change(tx: Tx, deployment: str) -> Change:
    """Return the change to the current version. A first version that was observed in traffic has none."""
    change = _newest_change(tx, deployment)
    if change is None:
        raise Conflict(f"deployment {deployment!r} already runs this version; there is no change to announce")
    return change
