"""Requests of the Judges page and of the review of outcomes. Nothing is cached: a reviewer sees the current state."""

from dataclasses import asdict, dataclass
from urllib.parse import quote

from dashboards.client import Client
from monitor.api.schema import (
    AcceptJudge,
    BiasReportItem,
    JudgeDetail,
    JudgeItem,
    RescoreDetail,
    RescoreItem,
    ReviewedOutcome,
    ReviewOutcome,
    ReviewSample,
    SentinelsItem,
)
from monitor.api.schema.judge_history import JudgeHistoryItem

MOST = 500
OPERATE, REVIEW, REVEAL = "operate", "review", "reveal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The place of a judge: a scorer of a set of a deployment."""

    deployment: str
    set_name: str
    scorer: str

    @property
    def query(self) -> dict[str, str]:
        return asdict(self)

    @property
    def link(self) -> dict[str, str]:
        """Return the parameters of the address of a page."""
        return {"deployment": self.deployment, "set": self.set_name, "scorer": self.scorer}


def judges(client: Client) -> list[JudgeItem]:
    return client.items("judges", JudgeItem, most=MOST)


def judge(client: Client, place: Place) -> JudgeDetail:
    return client.read("/api/v1/judges/calibration", JudgeDetail, place.query)


def history(client: Client, place: Place) -> JudgeHistoryItem:
    return client.read("/api/v1/judges/history", JudgeHistoryItem, place.query)


def sentinels(client: Client, place: Place) -> SentinelsItem:
    return client.read("/api/v1/judges/sentinels", SentinelsItem, place.query)


def bias(client: Client, place: Place) -> BiasReportItem:
    return client.read("/api/v1/judges/bias", BiasReportItem, place.query)


def rescores(client: Client, place: Place) -> list[RescoreItem]:
    """Return the newest rescores of a judge."""
    found = client.items("rescores", RescoreItem, most=MOST, deployment=place.deployment)
    return [row for row in found if (row.set_name, row.scorer) == (place.set_name, place.scorer)]


def rescore(client: Client, rescore_id: str) -> RescoreDetail:
    return client.read(f"/api/v1/rescores/{quote(rescore_id, safe='')}", RescoreDetail, {})


def accept(client: Client, place: Place, reason: str, user: str | None) -> SentinelsItem:
    """Accept how a judge judges now. Raise DaemonRefusal when the daemon rejects it."""
    return client.order(
        "/api/v1/judges/accept", AcceptJudge(reason=reason, **place.query), SentinelsItem, user, role=OPERATE
    )


def sample(client: Client, place: Place, *, count: int, reveal: bool, user: str | None) -> ReviewSample:
    """Return the next outcomes that `user` should review. With `reveal`, the daemon logs the access to sealed texts."""
    query = place.query | {"count": str(count)} | ({"reveal": "true"} if reveal else {})
    return client.read("/api/v1/judges/sample", ReviewSample, query, user=user)


def review(client: Client, order: ReviewOutcome, user: str | None) -> ReviewedOutcome:
    """Store the verdict of a person on an outcome. Raise DaemonRefusal when the daemon rejects it."""
    return client.order("/api/v1/judges/reviews", order, ReviewedOutcome, user, role=REVIEW)
