"""Reports on what the refreshes of dynamic sets changed: ids and reasons, no texts."""

from datetime import datetime

from monitor.api.schema.wire import Wire


class RefreshItem(Wire):
    """`left` leads from an id to why; `excluded` counts accepted cases that did not come in, by reason."""

    set_name: str
    revision: str
    parent: str | None
    at: datetime
    cases: int
    carried: int
    entered: list[str]
    left: dict[str, str]
    replaced: list[str]
    excluded: dict[str, int]
