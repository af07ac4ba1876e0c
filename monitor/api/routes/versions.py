"""The versions of each deployment."""

from fastapi import APIRouter

from monitor.api import encode
from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.listing import ListQuery
from monitor.api.schema import ListPage, VersionItem
from monitor.store.traffic import versions

router = APIRouter(prefix="/api/v1/versions", tags=["versions"])


@router.get("", **needs(Role.READ))
def list_versions(context: Context, query: ListQuery) -> ListPage[VersionItem]:
    with context.store.read() as tx:
        page = versions.page_versions(tx, query)
        current = {d: versions.current_version(tx, d) for d in {version.deployment for version in page.items}}
    items = [encode.version(version, current=current[version.deployment]) for version in page.items]
    return ListPage(items=items, next_cursor=page.next_cursor)
